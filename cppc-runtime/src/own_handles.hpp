/// Handles that the program was given and that stay what they are while it runs in this process: of streams. Each has a
/// number, which it keeps in the process that replaces this one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <new>
#include <optional>
#include <unordered_map>
#include <utility>

#include "log.hpp"

namespace cppc {

/// The first number; those below stand for handles that every process has.
inline constexpr std::uint64_t first_own_handle = 65536;

template <class Handle, class Info>
class OwnHandles {
 public:
  struct Entry {
    Handle handle;
    Info info;
  };

  [[nodiscard]] bool empty() const { return entries_.empty(); }

  /// Null when the program was not given `handle`, or has given it back.
  [[nodiscard]] Info* find(Handle handle) {
    const auto number = numbers_.find(handle);
    return number != numbers_.end() ? &entries_.at(number->second).info : nullptr;
  }

  /// The program was given `handle`. Ends the process when there is no memory.
  void add(Handle handle, Info info) { put(next_, handle, std::move(info)); }

  /// Likewise, in the process that is replaced and under this number, which is free.
  void put(std::uint64_t number, Handle handle, Info info) noexcept try {
    numbers_.insert_or_assign(handle, number);
    entries_.insert_or_assign(number, Entry{handle, std::move(info)});
    if (number >= next_) next_ = number + 1;
  } catch (const std::bad_alloc&) {
    die(CPPC_ERR_MEMORY, "no memory to remember what the program has opened or made");
  }

  void remove(Handle handle) {
    const auto found = numbers_.find(handle);
    if (found == numbers_.end()) return;
    entries_.erase(found->second);
    numbers_.erase(found);
  }

  [[nodiscard]] std::optional<std::uint64_t> number_of(Handle handle) const {
    const auto found = numbers_.find(handle);
    return found != numbers_.end() ? std::optional(found->second) : std::nullopt;
  }

  [[nodiscard]] std::optional<Handle> at(std::uint64_t number) const {
    const auto found = entries_.find(number);
    return found != entries_.end() ? std::optional(found->second.handle) : std::nullopt;
  }

  /// By number.
  [[nodiscard]] const std::map<std::uint64_t, Entry>& entries() const { return entries_; }

  /// Leaves all numbers below `next` to put(): handles that have one get another.
  void reserve(std::uint64_t next) {
    next_ = next > next_ ? next : next_;
    while (!entries_.empty() && entries_.begin()->first < next) {
      auto node = entries_.extract(entries_.begin());
      put(next_, node.mapped().handle, std::move(node.mapped().info));
    }
  }

 private:
  std::map<std::uint64_t, Entry> entries_;
  std::unordered_map<Handle, std::uint64_t> numbers_;
  std::uint64_t next_ = first_own_handle;
};

}  // namespace cppc
