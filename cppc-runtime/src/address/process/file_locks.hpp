/// The locks that this process holds on files, as the system lists them: it does not tell a process its own otherwise.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "bytes.hpp"

namespace cppc::address {

struct FileLock {
  enum class Manner : std::uint8_t {
    flock,    ///< of the whole file, by the open description
    process,  ///< of a range, by fcntl() F_SETLK
    open      ///< of a range, by fcntl() F_OFD_SETLK
  };
  Manner manner = Manner::flock;
  bool exclusive = false;
  std::int64_t start = 0;
  std::int64_t bytes = 0;  ///< 0: to the end, wherever that is
};

/// Held through the descriptor.
struct HeldLock {
  int number;
  FileLock lock;
  std::string path;
};

/// What is held through this open descriptor. The error says, for a message that names the descriptor, what cannot be
/// taken again in another process.
tl::expected<std::vector<FileLock>, std::string> locks_of(int number);

/// Never waits: 0, or -1 and errno, EAGAIN if another process has it.
int take(const HeldLock& held);
void release(const HeldLock& held);

void write(const std::vector<FileLock>& locks, ByteWriter& out);
std::vector<FileLock> read_locks(ByteReader& in);

}  // namespace cppc::address
