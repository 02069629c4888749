/// Which objects take the place of which parts of a program's link.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "program.hpp"
#include "record.hpp"
#include "result.hpp"

namespace cppc::driver {

struct Replacement {
  std::vector<std::size_t> sources;   ///< of the program's, to be compiled again
  std::vector<std::string> in_front;  ///< objects: the linker no longer looks for these in archives
  std::map<std::size_t, std::vector<std::string>> arguments;  ///< inputs instead of an argument
};

/// Decides it. `program`: all sources, the first `own` of them those on the command line itself. `translated`: as
/// translate() returns it. `directory`: where the object of source n will be `n.o`, and where members of archives are
/// put that have to be linked anyway.
Result<Replacement> plan_replacement(const CommandLine& line, Language language, std::span<const Part> parts,
                                     std::span<const Record> program, std::size_t own,
                                     std::span<const std::string> translated, const std::string& directory);

/// The path of source `index`'s new object.
std::string object_path(const std::string& directory, std::size_t index);

}  // namespace cppc::driver
