/// The tools that the wrapper runs.
#pragma once

#include <signal.h>

#include <span>
#include <string>
#include <vector>

#include "result.hpp"

namespace cppc::driver {

struct Command {
  std::vector<std::string> words;  ///< the program, searched in PATH, and its arguments
  std::string directory = ".";     ///< where it runs
};

struct Output {
  int status = 0;
  std::string text;    ///< standard output
  std::string errors;  ///< standard error
};

/// Turns into `words`. Returns only when that is not possible.
Failure become(std::span<const std::string> words, bool verbose);

/// Runs tools one after the other or side by side. While it exists, signals that would end this process are passed on
/// to the running tools instead, so that temporary files can be removed; afterwards they have their effect. One at a
/// time, and no other children beside it.
class Runner {
 public:
  explicit Runner(bool verbose);  ///< verbose: prints every command on standard error
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;
  ~Runner();

  /// Runs `command` with this process's input and output; its exit status, 128 + signal when a signal ended it.
  Result<int> run(const Command& command);
  /// Runs all, as many at once as there are processors; all of them even if one fails. The status of the first in
  /// order that failed, or 0.
  Result<int> run_all(std::span<const Command> commands);
  /// The same, and nobody sees what they print.
  Result<int> run_all_quietly(std::span<const Command> commands);
  /// Runs `command` and keeps what it prints.
  Result<Output> capture(const Command& command);

  /// Whether a signal has come that ends this process.
  [[nodiscard]] bool interrupted() const { return interrupted_by_ != 0; }

 private:
  struct Child;
  Result<pid_t> start(const Command& command, int output, int errors);
  Result<int> run_all(std::span<const Command> commands, int output, int errors);
  void wait_for_one(std::vector<Child>& running, std::vector<int>& statuses);

  bool verbose_;
  sigset_t waited_for_{}, before_{};
  int interrupted_by_ = 0;
};

}  // namespace cppc::driver
