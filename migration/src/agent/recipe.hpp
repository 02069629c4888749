/// How a process was started: program, arguments, environment, directory. Read from a rank on the node that it leaves,
/// used on the node that it moves to.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "cppc/status.h"

namespace cppc::migration {

struct Recipe {
  std::string program;   ///< path of the executable file
  std::string identity;  ///< which program that is (program_id.hpp)
  std::string directory;
  std::vector<std::string> arguments;
  std::vector<std::string> environment;  ///< NAME=value, as the process was started with

  /// Of a running process of the same user. CPPC_ERR_SYSTEM, logged.
  static tl::expected<Recipe, cppc_status> of(pid_t process);

  [[nodiscard]] std::vector<std::byte> encode() const;
  /// CPPC_ERR_ARGUMENT for anything that encode() has not made.
  static tl::expected<Recipe, cppc_status> decode(std::span<const std::byte> bytes);

  /// The environment for a replacement: the recipe's, with what belongs to MPI's own start-up taken from `own`, the
  /// process that is going to become it, and with the setting `extra`, whatever the recipe says of it (the source may
  /// have been a replacement itself).
  [[nodiscard]] std::vector<std::string> environment_for(std::span<const char* const> own,
                                                         const std::string& extra) const;
};

/// As the system takes lists of strings, with a null pointer at the end; valid as long as `strings` stay as they are.
std::vector<char*> pointers(std::vector<std::string>& strings);

}  // namespace cppc::migration
