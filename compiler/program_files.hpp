/// The files of the program that is translated, and how each is compiled.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frontend/source.hpp"

namespace cppc {

/// The program's files.
struct Files {
  std::vector<frontend::Command> commands;                  ///< without arguments: it is not to be looked at
  std::vector<std::string> objects;                         ///< by command: what it was compiled to
  std::vector<std::int64_t> compiled;                       ///< and when, as std::filesystem counts; 0: it is now
  std::vector<frontend::LeftOut> left_out;                  ///< those that are not to be looked at
  std::vector<std::optional<std::set<std::string>>> names;  ///< by command: that its object has for the linker
  std::vector<frontend::Command> modules;  ///< sources in Fortran that are no part of the program but for modules
};

/// Whether a file was written after an object was compiled, at a time as in Files::compiled.
bool is_newer(const std::string& file, std::int64_t compiled);

/// Of a compilation database; a file that is none ends the translator.
Files read_commands(const std::string& file);

/// Of files that are named one by one, compiled with `options`.
Files own_commands(const std::vector<std::string>& names, const std::vector<std::string>& options);

}  // namespace cppc
