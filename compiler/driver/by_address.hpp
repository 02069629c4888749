/// Linking programs whose state is kept by address: at a fixed place, with the runtimes of their languages inside.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "process.hpp"
#include "result.hpp"
#include "settings.hpp"
#include "wrapper.hpp"

namespace cppc::driver {

/// What cannot be kept by address is refused by name.
Result<void> check_by_address(const CommandLine& line, const Wrapper& wrapper, const std::string& output);

/// What makes the linker's command line one for such a program.
struct AddressWords {
  std::vector<std::string> in_front;                         ///< before the user's words, libcppc included
  std::vector<std::string> at_end;                           ///< behind MPI's flags
  std::map<std::size_t, std::vector<std::string>> replaced;  ///< arguments
};

AddressWords address_words(const CommandLine& line, const Wrapper& wrapper, const Parts& parts, Runner& runner);

/// The same for somebody else's command line, as far as it can be said without knowing that: without libcppc.
std::vector<std::string> address_flags(const Wrapper& wrapper);

}  // namespace cppc::driver
