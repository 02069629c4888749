/// The paths of an image, each once. Millions of them are looked up while a rank stands still, so the table is one
/// piece of memory and holds hashes: a name is looked at only when hashes are equal.
#pragma once

#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace cppc::image {

class PathSet {
 public:
  /// Room for so many paths without a pause.
  void reserve(std::size_t paths) {
    if (2 * paths > slots_.size()) grow(2 * paths);
  }

  /// False when `path` is there already. `number` stands for it, and `path_of(number)` gives the path of an earlier
  /// one.
  template <class PathOf>
  bool insert(std::string_view path, std::size_t number, PathOf path_of) {
    if (2 * (used_ + 1) > slots_.size()) grow(4 * (used_ + 1));
    const std::uint64_t hash = XXH3_64bits(path.data(), path.size());
    Slot* slot = &slot_at(hash);
    for (; slot->number != 0; slot = &after(*slot))
      if (slot->hash == hash && path_of(slot->number - 1) == path) return false;
    *slot = {hash, number + 1};
    ++used_;
    return true;
  }

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::uint64_t number = 0;  // plus one; 0: free
  };

  Slot& slot_at(std::uint64_t hash) { return slots_[hash & (slots_.size() - 1)]; }
  Slot& after(Slot& slot) { return &slot == &slots_.back() ? slots_.front() : *(&slot + 1); }

  void grow(std::size_t least) {
    std::size_t size = 16;
    while (size < least) size *= 2;
    std::vector<Slot> before(size);
    before.swap(slots_);
    for (const Slot& one : before) {
      if (one.number == 0) continue;
      Slot* slot = &slot_at(one.hash);
      while (slot->number != 0) slot = &after(*slot);
      *slot = one;
    }
  }

  std::vector<Slot> slots_;  // a power of two, at most half of them used
  std::size_t used_ = 0;
};

}  // namespace cppc::image
