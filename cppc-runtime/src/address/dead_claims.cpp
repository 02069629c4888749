#include "address/dead_claims.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "address/region_heap.hpp"

namespace cppc::address {

namespace {

/// The program names arrays row by row. What follows the last claim makes it longer; when there are very many that do
/// not, small ones are left out: the program stands still meanwhile.
constexpr std::size_t kMany = 100000, kSmall = 512;

using Bytes = std::span<const std::byte>;

const std::byte* end_of(Bytes bytes) { return bytes.data() + bytes.size(); }

/// Programs in the manner of FORTRAN have pointers to one element, or more, before an array.
constexpr std::size_t kBefore = 512;

/// Right behind the end counts, and so does a place before it that is as near as elements are.
bool leads_into(const void* address, Bytes object) {
  return std::less<>()(address, object.data())
             ? object.data() - static_cast<const std::byte*>(address) <= static_cast<std::ptrdiff_t>(kBefore)
             : std::less_equal<>()(address, end_of(object));
}

Bytes common(Bytes a, Bytes b) {
  const std::byte* const begin = std::max(a.data(), b.data());
  const std::byte* const end = std::min(end_of(a), end_of(b));
  return begin < end ? Bytes(begin, end) : Bytes();
}

std::vector<Bytes> united(std::vector<Bytes> parts) {
  std::ranges::sort(parts, std::less<>(), &Bytes::data);
  std::vector<Bytes> apart;
  for (const Bytes part : parts) {
    if (apart.empty() || part.data() > end_of(apart.back()))
      apart.push_back(part);
    else
      apart.back() = {apart.back().data(), std::max(end_of(apart.back()), end_of(part))};
  }
  return apart;
}

/// Of two lists that are apart and rising.
std::vector<Bytes> common(std::span<const Bytes> one, std::span<const Bytes> other) {
  std::vector<Bytes> made;
  for (auto a = one.begin(), b = other.begin(); a != one.end() && b != other.end();) {
    if (const Bytes both = common(*a, *b); !both.empty()) made.push_back(both);
    if (end_of(*a) < end_of(*b))
      ++a;
    else
      ++b;
  }
  return made;
}

/// Makes the last of them longer when they meet.
void append(std::vector<Bytes>& parts, Bytes memory) {
  if (!parts.empty() && end_of(parts.back()) == memory.data())
    parts.back() = {parts.back().data(), end_of(memory)};
  else if (parts.size() < kMany || memory.size() >= kSmall)
    parts.push_back(memory);
}

}  // namespace

void DeadClaims::begin_way() {
  if (on_a_way_) {
    std::vector<Bytes> parts = united(std::exchange(way_, {}));
    common_ = common_ ? common(*common_, parts) : std::move(parts);
  }
  on_a_way_ = true;
}

void DeadClaims::end_ways() {
  begin_way();
  on_a_way_ = false;
  for (const Bytes part : std::exchange(common_, std::nullopt).value_or(std::vector<Bytes>()))
    add_range(part, {}, std::nullopt);
}

void DeadClaims::add_block(const void* address) {
  const Bytes block = RegionHeap::owns(address) ? RegionHeap::find_block(address) : std::span<std::byte>();
  if (!block.empty() && block.data() == address) add_range(block, {}, std::nullopt);
}

void DeadClaims::add_range(Bytes memory, std::span<const void* const> others, std::optional<const void*> within) {
  if (memory.empty()) return;
  if (on_a_way_) {
    if (others.empty() && !within) append(way_, memory);
    return;
  }
  if (!claims_.empty() && end_of(claims_.back().memory) == memory.data() && claims_.back().within == within &&
      std::ranges::equal(claims_.back().others, others)) {
    claims_.back().memory = {claims_.back().memory.data(), end_of(memory)};
  } else if (claims_.size() < kMany || memory.size() >= kSmall) {
    claims_.push_back({memory, {others.begin(), others.end()}, within});
  }
}

void DeadClaims::clear() {
  objects_.clear();
  claims_.clear();
  on_a_way_ = false;
  way_.clear();
  common_.reset();
}

/// Empty: none is known there.
Bytes DeadClaims::object_at(const void* address) const {
  if (RegionHeap::owns(address)) return RegionHeap::find_block(address);
  const auto holds = [&](Bytes object) {
    return !std::less<>()(address, object.data()) && std::less<>()(address, end_of(object));
  };
  const auto found = std::ranges::find_if(objects_, holds);
  return found != objects_.end() ? *found : Bytes();
}

Bytes DeadClaims::true_part(const Claim& claim) const {
  if (claim.others.empty() && !claim.within) return claim.memory;
  const Bytes object = object_at(claim.within ? *claim.within : claim.memory.data());
  const auto leads_here = [&](const void* other) { return leads_into(other, object); };
  if (object.empty() || std::ranges::any_of(claim.others, leads_here)) return {};
  return common(claim.memory, object);
}

std::vector<Bytes> DeadClaims::settle(std::vector<Bytes> free) const {
  std::vector<Bytes> parts = std::move(free);
  for (const Claim& claim : claims_)
    if (const Bytes part = true_part(claim); !part.empty()) parts.push_back(part);
  return united(std::move(parts));
}

std::vector<cppc_part> dead_parts(Bytes memory, std::span<const Bytes> dead) {
  std::vector<cppc_part> parts;
  auto next = std::ranges::upper_bound(dead, memory.data(), std::less<>(), &Bytes::data);
  if (next != dead.begin()) --next;
  for (; next != dead.end() && next->data() < end_of(memory); ++next) {
    const Bytes part = common(*next, memory);
    if (part.size() >= kLeastDeadPart)
      parts.push_back({static_cast<std::uint64_t>(part.data() - memory.data()), part.size()});
  }
  return parts;
}

std::vector<cppc_part> parts_between(std::span<const cppc_part> parts, std::uint64_t bytes) {
  std::vector<cppc_part> left;
  std::uint64_t from = 0;
  for (const cppc_part& part : parts) {
    if (part.offset > from) left.push_back({from, part.offset - from});
    from = part.offset + part.bytes;
  }
  if (bytes > from) left.push_back({from, bytes - from});
  return left;
}

}  // namespace cppc::address
