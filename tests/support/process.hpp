/// Child processes for tests and benchmarks: started, fed nothing, their output collected, ended whatever happens.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace cppc::test {

struct Finished {
  int status = -1;     ///< exit status, or 128 + signal
  std::string output;  ///< standard output
  std::string errors;  ///< standard error
};

class Process {
 public:
  /// Starts `command` (searched in PATH). `environment`: NAME=value, on top of this process's. Ends the test program
  /// with a message when it cannot.
  explicit Process(const std::vector<std::string>& command, const std::vector<std::string>& environment = {});
  Process(Process&& other) noexcept;
  Process& operator=(Process&&) = delete;
  ~Process();  ///< kills it if it still runs

  [[nodiscard]] pid_t id() const { return id_; }
  void signal(int number) const;
  [[nodiscard]] bool running();
  /// Waits until it has ended; killed after `limit`, which then is its status 124 as timeout(1) has it.
  Finished wait(std::chrono::seconds limit = std::chrono::seconds(300));
  /// Standard output and error so far.
  [[nodiscard]] std::string output() const;
  [[nodiscard]] std::string errors() const;

 private:
  pid_t id_ = -1;
  int output_ = -1, errors_ = -1;  ///< files without a name
  std::optional<int> status_;
};

/// Runs `command` to its end.
Finished run(const std::vector<std::string>& command, std::chrono::seconds limit = std::chrono::seconds(300));

}  // namespace cppc::test
