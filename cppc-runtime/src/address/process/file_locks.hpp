/// The locks that this process holds on files, as the system lists them: it does not tell a process its own otherwise.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>

namespace cppc::address {

/// By flock().
enum class FileLock : std::uint8_t { none, shared, exclusive };

struct HeldLock {
  int number;  ///< of a descriptor
  FileLock kind;
  std::string path;
};

/// What is held through this open descriptor. The error says, for a message that names the descriptor, what cannot be
/// taken again in another process.
tl::expected<FileLock, std::string> lock_of(int number);

}  // namespace cppc::address
