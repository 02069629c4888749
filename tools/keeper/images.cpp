#include "images.hpp"

#include <fcntl.h>

#include <cerrno>
#include <cstring>

namespace cppc::keeper {
namespace {

using tools::error;

constexpr std::size_t kept = 2;  // complete sets

}  // namespace

void Images::begin(std::uint64_t set) {
  const std::lock_guard lock(mutex_);
  keep_complete(1);
  sets_.try_emplace(set);
}

bool Images::takes(std::uint64_t set) const {
  const std::lock_guard lock(mutex_);
  const auto found = sets_.find(set);
  return found != sets_.end() && !found->second.complete;
}

void Images::complete(std::uint64_t set, int ranks) {
  const std::lock_guard lock(mutex_);
  if (const auto found = sets_.find(set); found != sets_.end()) {
    found->second.complete = true;
    found->second.ranks = ranks;
  }
  keep_complete(kept);
}

void Images::discard(std::uint64_t set) {
  const std::lock_guard lock(mutex_);
  sets_.erase(set);
}

// The newest ones.
void Images::keep_complete(std::size_t count) {
  std::size_t seen = 0;
  for (auto one = sets_.rbegin(); one != sets_.rend();) {
    if (one->second.complete && ++seen > count) {
      one = std::make_reverse_iterator(sets_.erase(std::next(one).base()));
    } else {
      ++one;
    }
  }
}

Result<UniqueFd> Images::make(std::uint64_t set, int rank, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto found = sets_.find(set);
  if (found == sets_.end() || found->second.complete) return error("set " + std::to_string(set) + " is not being made");
  auto reservation = reservations_.make(bytes);
  if (!reservation) return error(reservation.error());
  UniqueFd for_rank(fcntl(reservation->file.get(), F_DUPFD_CLOEXEC, 0));
  if (!for_rank) return error(std::string("no descriptor for an image: ") + std::strerror(errno));
  found->second.written.insert_or_assign(rank, *std::move(reservation));
  return for_rank;
}

Result<Held> Images::seal(std::uint64_t set, int rank, std::uint64_t bytes, std::uint64_t xxh3) {
  std::map<int, Reservation>::node_type written;
  {
    const std::lock_guard lock(mutex_);
    const auto found = sets_.find(set);
    if (found != sets_.end()) written = found->second.written.extract(rank);
  }
  if (written.empty()) return error("no image of rank " + std::to_string(rank) + " has been written");
  auto image = Image::take(std::move(written.mapped().file), bytes, xxh3);
  if (!image) return error("the image of rank " + std::to_string(rank) + " is not good: " + image.error());
  if (const auto added = add(set, rank, *image, /*complete=*/false); !added) return error(added.error());
  return image;
}

Result<Images::Set*> Images::set_to_add_to(std::uint64_t set, bool complete) {
  if (complete) sets_[set].complete = true;
  const auto found = sets_.find(set);
  if (found == sets_.end()) return error("set " + std::to_string(set) + " is not being made");
  return &found->second;
}

Result<void> Images::add(std::uint64_t set, int rank, Held image, bool complete) {
  const std::lock_guard lock(mutex_);
  return set_to_add_to(set, complete).map([&](Set* its) { its->images[rank] = std::move(image); });
}

Result<void> Images::add_parity(std::uint64_t set, const ParityName& name, Parity parity, bool complete) {
  const std::lock_guard lock(mutex_);
  return set_to_add_to(set, complete).map([&](Set* its) { its->parities[name] = std::move(parity); });
}

void Images::keep_parities(std::uint64_t set, const std::set<std::vector<int>>& groups) {
  const std::lock_guard lock(mutex_);
  if (const auto found = sets_.find(set); found != sets_.end())
    std::erase_if(found->second.parities, [&](const auto& one) { return !groups.contains(one.first.ranks); });
}

std::vector<Images::Listed> Images::keep_only_complete() {
  const std::lock_guard lock(mutex_);
  std::erase_if(sets_, [](const auto& one) { return !one.second.complete; });
  std::vector<Listed> all;
  for (const auto& [number, set] : sets_) all.push_back({number, set.ranks, set.images, set.parities});
  return all;
}

std::uint64_t Images::last() const {
  const std::lock_guard lock(mutex_);
  return sets_.empty() ? 0 : sets_.rbegin()->first;
}

Held Images::find(std::uint64_t set, int rank) const {
  const std::lock_guard lock(mutex_);
  const auto found = sets_.find(set);
  if (found == sets_.end()) return nullptr;
  const auto image = found->second.images.find(rank);
  return image == found->second.images.end() ? nullptr : image->second;
}

Held Images::newest_of(int rank) const {
  const std::lock_guard lock(mutex_);
  for (auto set = sets_.rbegin(); set != sets_.rend(); ++set)
    if (const auto image = set->second.images.find(rank); image != set->second.images.end()) return image->second;
  return nullptr;
}

std::optional<Parity> Images::find_parity(std::uint64_t set, const ParityName& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = sets_.find(set);
  if (found == sets_.end()) return std::nullopt;
  const auto parity = found->second.parities.find(name);
  return parity == found->second.parities.end() ? std::nullopt : std::optional(parity->second);
}

std::optional<Parity> Images::earlier_parity(std::uint64_t set, const ParityName& name) const {
  const std::lock_guard lock(mutex_);
  for (auto one = sets_.rbegin(); one != sets_.rend(); ++one)
    if (const auto parity = one->second.parities.find(name); one->first != set && parity != one->second.parities.end())
      return parity->second;
  return std::nullopt;
}

}  // namespace cppc::keeper
