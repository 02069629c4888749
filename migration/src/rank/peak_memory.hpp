/// For messages: how much memory a migration takes.
#pragma once

#include <sys/resource.h>

namespace cppc::migration {

/// The most that this process has had in memory so far, in MB of 10^6 bytes.
inline double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
}

}  // namespace cppc::migration
