/// Names that the parts of a program have for the linker: what code that the translator cannot look at may refer to.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "record.hpp"

namespace cppc::driver {

using Names = std::set<std::string>;

struct Outside {
  std::vector<std::optional<Names>> of_records;  ///< of the object that a source was compiled to; nothing: not known
  Names others;                                  ///< of whatever else is linked
};

/// In place of names: some are not known.
inline constexpr const char* any_name = "*";

/// Whether the linker is told to give names another meaning, or is given a script that may do so.
bool gives_names_anew(const CommandLine& line);

/// `program`: all that is known to have been compiled for it, the first `own` of these in this link; `linked`: the
/// program without translation; `directories`: the compiler's own. Nothing when something may have names that cannot be
/// seen; any_name is among them when sources in another language are compiled in this link.
std::optional<Outside> names_outside(const CommandLine& line, std::span<const Record> program, std::size_t own,
                                     const std::string& linked, const std::vector<std::string>& directories);

}  // namespace cppc::driver
