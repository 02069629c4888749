/// How many descriptors this process may have: as many as the system lets it, while its children get what it had.
#pragma once

#include <sys/resource.h>

#include <cstddef>

#include "../common/result.hpp"

namespace cppc::run {

using tools::Result;

class DescriptorLimit {
 public:
  /// Raises the soft limit to the hard one.
  DescriptorLimit();

  /// An error when a job of so many nodes needs more.
  Result<void> check(std::size_t nodes) const;

  /// Puts the limit back. For a child, after fork(): it only makes a system call.
  void restore() const;

 private:
  rlimit original_{}, raised_{};
};

}  // namespace cppc::run
