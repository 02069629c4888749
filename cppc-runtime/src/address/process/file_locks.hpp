/// The locks that this process holds on files, as the system lists them: it does not tell a process its own otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "cppc/status.h"

namespace cppc::address {

/// By flock().
enum class FileLock : std::uint8_t { none, shared, exclusive };

struct HeldLock {
  int number;  ///< of a descriptor
  FileLock kind;
  std::string path;
};

class FileLocks {
 public:
  /// As they are now. CPPC_ERR_SYSTEM, logged.
  static tl::expected<FileLocks, cppc_status> read();

  /// What is held by this open descriptor, whose file is opened `times` times. The error says, for a message that
  /// names the descriptor, what cannot be taken again in another process.
  [[nodiscard]] tl::expected<FileLock, std::string> of(int number, std::size_t times) const;

 private:
  struct Entry {
    std::string kind;
    std::string mode;
    std::string file;  ///< device and inode
  };

  std::vector<Entry> entries_;
};

}  // namespace cppc::address
