/// What a program is linked from.
#pragma once

#include <string>
#include <vector>

#include "command_line.hpp"
#include "record.hpp"
#include "result.hpp"

namespace cppc::driver {

/// An object on the linker's command line, or in an archive on it, that knows how it was compiled.
struct Part {
  std::size_t argument = 0;     ///< index in the command line
  std::string file;             ///< object or archive
  bool in_archive = false;      ///< so that the linker takes it only if it needs it
  std::size_t member = 0;       ///< index in the archive
  bool all_of_it = false;       ///< in an archive of which the linker takes everything, --whole-archive
  std::string name;             ///< for people: file, or archive(member)
  std::vector<Record> records;  ///< several if `ld -r` made it from several
  bool fully_known = true;      ///< everything in it has a record
};

/// The parts named on the command line. Archives in directories of the compiler's own are not looked for: nothing there
/// is anybody's program.
Result<std::vector<Part>> find_parts(const CommandLine& line);

}  // namespace cppc::driver
