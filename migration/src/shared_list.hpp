/// A list in memory that processes share.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cppc::migration {

/// Has one writer at a time and any number of readers. A reader gets the last list that was written completely, never
/// parts of two, and waits for nobody: a writer that stops in the middle of a list leaves the previous one. Memory
/// filled with zeros is an empty list.
template <class T, std::size_t Capacity>
class SharedList {
 public:
  static constexpr std::size_t capacity = Capacity;

  /// Elements beyond the capacity are left out.
  void write(std::span<const T> elements) {
    const std::uint32_t next = version_.load(std::memory_order_relaxed) + 1;
    Copy& copy = copies_[next % copies_.size()];
    const std::size_t size = std::min(elements.size(), Capacity);
    for (std::size_t i = 0; i < size; ++i) copy.elements[i].store(elements[i], std::memory_order_release);
    copy.size.store(static_cast<std::uint32_t>(size), std::memory_order_release);
    version_.store(next, std::memory_order_release);
  }

  [[nodiscard]] std::vector<T> read() const {
    for (;;) {
      const std::uint32_t version = version_.load(std::memory_order_acquire);
      const Copy& copy = copies_[version % copies_.size()];
      std::vector<T> elements(std::min<std::size_t>(copy.size.load(std::memory_order_acquire), Capacity));
      for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = copy.elements[i].load(std::memory_order_acquire);
      // The writer changes this copy again only after it has published the other one.
      if (version_.load(std::memory_order_relaxed) == version) return elements;
    }
  }

  [[nodiscard]] bool empty() const { return read().empty(); }

 private:
  struct Copy {
    std::atomic<std::uint32_t> size;
    std::array<std::atomic<T>, Capacity> elements;
  };
  static_assert(std::atomic<T>::is_always_lock_free && std::atomic<std::uint32_t>::is_always_lock_free);

  std::atomic<std::uint32_t> version_;
  std::array<Copy, 2> copies_;
};

}  // namespace cppc::migration
