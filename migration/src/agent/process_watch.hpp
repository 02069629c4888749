#pragma once

#include <sys/types.h>

#include <chrono>
#include <tl/expected.hpp>

#include "cppc/status.h"

namespace cppc::migration {

/// A process that can be waited for although it is not a child.
class ProcessWatch {
 public:
  static tl::expected<ProcessWatch, cppc_status> on(pid_t process);
  ProcessWatch(ProcessWatch&& other) noexcept;
  ProcessWatch& operator=(ProcessWatch&& other) noexcept;
  ~ProcessWatch();
  [[nodiscard]] int descriptor() const { return descriptor_; }  ///< readable once the process has ended
  [[nodiscard]] bool ended() const { return ends_within({}); }
  [[nodiscard]] bool ends_within(std::chrono::milliseconds time) const;
  void await_end() const;
  void terminate() const;  ///< if it still runs

 private:
  explicit ProcessWatch(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace cppc::migration
