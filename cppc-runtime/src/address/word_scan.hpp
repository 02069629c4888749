/// Looks through memory for words that may be addresses of others' memory, or name the thread, as fast as memory can be
/// read.
#pragma once

#include <cstdint>
#include <span>

namespace cppc::address {

/// Addresses from `begin` on.
struct Window {
  std::uintptr_t begin = UINTPTR_MAX;
  std::uintptr_t bytes = 0;
  /// Widens it.
  void add(std::uintptr_t from, std::uintptr_t to);
  [[nodiscard]] bool holds(std::uintptr_t word) const { return word - begin < bytes; }
};

/// Two ranges of addresses, below the program's own memory and above, and words that a lock holds which a thread has.
struct Windows {
  Window below;
  Window above;
  std::uintptr_t thread = ~std::uintptr_t{0};  ///< its number; none is that large
  /// Besides the number a mutex has how many use it: one.
  static constexpr std::uintptr_t kUsers = static_cast<std::uintptr_t>(std::uint64_t{1} << 32);
  [[nodiscard]] bool is_address(std::uintptr_t word) const { return below.holds(word) || above.holds(word); }
  [[nodiscard]] bool names_thread(std::uintptr_t word) const { return (word & ~kUsers) == thread; }
  [[nodiscard]] bool hold(std::uintptr_t word) const { return is_address(word) || names_thread(word); }
};

/// The number of words before the first group of eight that has one in the windows: a multiple of eight, or the number
/// of words without what is left of it by eight.
std::size_t pass_over(std::span<const std::uintptr_t> words, const Windows& windows);

}  // namespace cppc::address
