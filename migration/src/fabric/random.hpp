/// Bytes that nobody can guess.
#pragma once

#include <sys/random.h>

#include <cerrno>
#include <cstddef>
#include <span>

namespace cppc::fabric {

/// `bytes` are few (256 at most): the kernel then gives them all at once, or is interrupted before it has begun.
inline void random_bytes(std::span<std::byte> bytes) {
  while (getrandom(bytes.data(), bytes.size(), 0) < 0 && errno == EINTR) {
  }
}

}  // namespace cppc::fabric
