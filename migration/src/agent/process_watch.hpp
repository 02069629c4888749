#pragma once

#include <sys/types.h>

#include <chrono>
#include <tl/expected.hpp>
#include <utility>

#include "cppc/status.h"
#include "cppc/unique_fd.hpp"

namespace cppc::migration {

/// A process that can be waited for although it is not a child.
class ProcessWatch {
 public:
  static tl::expected<ProcessWatch, cppc_status> on(pid_t process);
  [[nodiscard]] int descriptor() const { return descriptor_.get(); }  ///< readable once the process has ended
  [[nodiscard]] bool ended() const { return ends_within({}); }
  [[nodiscard]] bool ends_within(std::chrono::milliseconds time) const;
  void await_end() const;
  void terminate() const;  ///< if it still runs
  void kill() const;       ///< likewise

 private:
  explicit ProcessWatch(UniqueFd descriptor) : descriptor_(std::move(descriptor)) {}
  UniqueFd descriptor_;
};

}  // namespace cppc::migration
