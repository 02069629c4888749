#include "address/process/file_locks.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

namespace cppc::address {

/// Not from /proc/locks: to open that, the system waits for all its processors, which takes 10 ms.
tl::expected<FileLock, std::string> lock_of(int number) {
  std::ifstream file(fmt::format("/proc/self/fdinfo/{}", number));
  if (!file) return tl::unexpected<std::string>("open, but the system does not say whether it is locked");
  FileLock found = FileLock::none;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string label, count, kind, manner, mode;
    fields >> label >> count >> kind >> manner >> mode;
    if (label != "lock:") continue;
    if (kind != "FLOCK") return tl::unexpected<std::string>("locked by fcntl()");
    found = mode == "WRITE" ? FileLock::exclusive : FileLock::shared;
  }
  return found;
}

}  // namespace cppc::address
