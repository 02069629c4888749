/// Where the contents of an image belong in the target, as the source knows it: where it may write to.
#pragma once

#include <cstdint>
#include <map>

#include "fabric/control.hpp"

namespace cppc::fabric {

/// From here on a write of its own costs less than the copy.
inline constexpr std::size_t worth_a_write = std::size_t{64} << 10;

class Places {
 public:
  void add(const RemotePlace& place) { places_.insert_or_assign(place.offset, place); }
  [[nodiscard]] std::size_t size() const { return places_.size(); }

  /// The one that holds the byte of the file; null: it is in none.
  [[nodiscard]] const RemotePlace* find(std::uint64_t offset) const {
    auto after = places_.upper_bound(offset);
    if (after == places_.begin()) return nullptr;
    const RemotePlace& place = (--after)->second;
    return offset - place.offset < place.bytes ? &place : nullptr;
  }

 private:
  std::map<std::uint64_t, RemotePlace> places_;  // by offset
};

}  // namespace cppc::fabric
