/// The way to the translator, `cppc`.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "process.hpp"
#include "record.hpp"
#include "result.hpp"
#include "settings.hpp"

namespace cppc::driver {

struct TranslationRequest {
  std::span<const Record> program;       ///< all C sources of the program
  std::span<const std::string> options;  ///< for the translator
  std::string directory;                 ///< is made; what is translated goes there
  std::string name;                      ///< the program's, for CPPC_KEEP
  bool by_address = false;               ///< nothing but places and memory that is dead there
  bool quiet = false;                    ///< what the translator says of a failure is nobody's concern
};

/// For each source of the program the translated file, or an empty string where nothing had to change; nothing at all
/// when the program is to stay as it is.
Result<std::optional<std::vector<std::string>>> translate(const TranslationRequest& request, const Parts& parts,
                                                          Runner& runner);

}  // namespace cppc::driver
