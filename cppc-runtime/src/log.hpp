/// The runtime's log: standard error, one line a message, "cppc: rank 3 on node1: error: ...".
#pragma once

#include <fmt/core.h>

#include <string_view>

#include "cppc/status.h"

namespace cppc {

/// What spdlog has to say it with, which takes long to compile, is seen by log.cpp alone.
class Log {
 public:
  enum class Level { warning, error, critical };

  template <typename... Arguments>
  void warn(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    write(Level::warning, text, fmt::make_format_args(arguments...));
  }
  template <typename... Arguments>
  void error(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    write(Level::error, text, fmt::make_format_args(arguments...));
  }
  template <typename... Arguments>
  void critical(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    write(Level::critical, text, fmt::make_format_args(arguments...));
  }

  /// Nothing is said until it is undone.
  void silence(bool silent);

 private:
  void write(Level level, fmt::string_view text, fmt::format_args arguments);
};

Log log();

/// Names the rank in messages from now on.
void set_log_rank(int rank);

/// Ends a process that would otherwise go on with a wrong state: logs `message` with the text of `status`, does what
/// before_death() asks for, and exits with status 1, without the exit handlers of the program.
[[noreturn]] void die(cppc_status status, std::string_view message);

/// `last_act` is called by die(), and need not return; null: nothing.
void before_death(void (*last_act)(cppc_status status));

}  // namespace cppc
