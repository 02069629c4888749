/// The way to the translator, `cppc`.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "outside.hpp"
#include "process.hpp"
#include "record.hpp"
#include "result.hpp"
#include "settings.hpp"

namespace cppc::driver {

/// A source of the program.
struct TranslationInput {
  nlohmann::json command;  ///< an entry of a compilation database
  std::string object;      ///< what it was compiled to, where it lies; empty when it is compiled in this link only
  std::int64_t compiled;   ///< when that was, as Record has it; 0: in this link
  std::string macros;      ///< what the compiler predefines for it, as lines of #define
  std::string left_out;    ///< why the translator cannot look at it; empty when it can (by_address only)
};

struct TranslationRequest {
  std::span<const TranslationInput> program;  ///< all sources of the program
  std::span<const TranslationInput> modules;  ///< sources in Fortran of which only the modules are wanted
  std::span<const std::string> options;       ///< for the translator
  std::string directory;                      ///< is made; what is translated goes there
  std::string name;                           ///< the program's, for CPPC_KEEP
  bool by_address = false;                    ///< nothing but places and memory that is dead there
  const Outside* outside = nullptr;           ///< for Fortran: what else is linked; null when that is not known
  bool renamed = false;                       ///< the linker gives names another meaning
  bool quiet = false;  ///< of what the translator says when it fails, only the reason is returned
};

/// For each source of the program the translated file, or an empty string where nothing had to change; one file more in
/// C, or an empty string, which the translated files call; nothing at all when the program is to stay as it is.
struct Translated {
  std::vector<std::string> files;
  std::string companion;
};

Result<std::optional<Translated>> translate(const TranslationRequest& request, const Parts& parts, Runner& runner);

}  // namespace cppc::driver
