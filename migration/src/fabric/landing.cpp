#include "fabric/landing.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "fabric/zero.hpp"

namespace cppc::fabric {

std::optional<Landing> Landing::at(std::vector<Place> places) {
  Landing landing;
  std::erase_if(places, [](const Place& place) { return place.memory.empty(); });
  std::uint64_t end = 0;
  for (const Place& place : places) {
    if (place.offset < end || place.memory.size() > std::numeric_limits<std::uint64_t>::max() - place.offset) {
      return std::nullopt;
    }
    end = place.offset + place.memory.size();
    landing.bytes_ += place.memory.size();
  }
  landing.places_ = std::move(places);
  return landing;
}

/// Calls use(memory, done) for the memory of these bytes, piece by piece, with the bytes before it.
template <class Use>
bool Landing::each_part(std::uint64_t offset, std::uint64_t bytes, Use use) const {
  const auto ends_before = [&](const Place& one) { return one.offset + one.memory.size() <= offset; };
  auto place = std::partition_point(places_.begin(), places_.end(), ends_before);
  for (std::uint64_t done = 0; done < bytes; ++place) {
    if (place == places_.end() || place->offset > offset + done) return false;
    const auto rest = place->memory.subspan(offset + done - place->offset);
    const auto part = rest.first(std::min<std::uint64_t>(rest.size(), bytes - done));
    use(part, done);
    done += part.size();
  }
  return true;
}

std::optional<std::span<std::byte>> Landing::in_one(std::uint64_t offset, std::uint64_t bytes) const {
  std::optional<std::span<std::byte>> found;
  const bool there = each_part(offset, bytes, [&](std::span<std::byte> part, std::uint64_t done) {
    if (done == 0) found = part;
  });
  return there && found && found->size() == bytes ? found : std::nullopt;
}

bool Landing::write(std::uint64_t offset, std::span<const std::byte> contents) const {
  return each_part(offset, contents.size(), [&](std::span<std::byte> part, std::uint64_t done) {
    std::memcpy(part.data(), contents.data() + done, part.size());
  });
}

bool Landing::clear(std::uint64_t offset, std::uint64_t bytes) const {
  return each_part(offset, bytes, [](std::span<std::byte> part, std::uint64_t) {
    for (std::size_t at = 0; at < part.size(); at += zero_block_bytes) {
      const auto block = part.subspan(at, std::min(zero_block_bytes, part.size() - at));
      if (!is_zero(block)) std::ranges::fill(block, std::byte{0});
    }
  });
}

}  // namespace cppc::fabric
