/// Memory of an image: one mapping, in huge pages where the kernel has them, that grows in place.
#pragma once

#include <cstddef>
#include <span>
#include <tl/expected.hpp>

#include "cppc/status.h"

namespace cppc::image {

class Arena {
 public:
  /// `bytes` of zeroed memory, there and then: later, the first touch of a page costs more than what is written to it.
  static tl::expected<Arena, cppc_status> allocate(std::size_t bytes);
  Arena(Arena&& other) noexcept;
  Arena& operator=(Arena&& other) noexcept;
  ~Arena();

  /// Makes room for `bytes`; what is there stays, though it may move. False when the kernel has no more.
  bool grow(std::size_t bytes);

  /// All of it.
  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }

 private:
  explicit Arena(std::span<std::byte> bytes) : bytes_(bytes) {}
  std::span<std::byte> bytes_;
};

}  // namespace cppc::image
