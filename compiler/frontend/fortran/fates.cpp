#include "fates.hpp"

#include <algorithm>

namespace cppc::fortran {
namespace {

/// Overwrites of a way that it is worth to name.
constexpr std::size_t kMostOverwrites = 8;

std::uint64_t key(Fate one, Fate other) {
  return static_cast<std::uint64_t>(one) << 32U | static_cast<std::uint64_t>(other);
}

Overwrites both(Overwrites one, const Overwrites& other) {
  for (const std::size_t number : other)
    if (one.size() < kMostOverwrites) one.insert(number);
  return one;
}

/// Without ways beside which another says no more to be dead.
void drop_implied(Ways& ways) {
  if (ways.size() < 2) return;
  std::erase_if(ways, [&ways](const Overwrites& way) {
    return std::ranges::any_of(
        ways, [&](const Overwrites& other) { return &other != &way && std::ranges::includes(way, other); });
  });
}

}  // namespace

FateTable::FateTable() {
  const Ways* const none = &numbers_.try_emplace(Ways(), Fate::dead).first->first;
  ways_ = {none, none};
  ways_.push_back(&numbers_.try_emplace({{afterwards}}, Fate::passed).first->first);
}

Fate FateTable::of(Ways ways) {
  drop_implied(ways);
  if (ways.size() > most_ways) return Fate::live;
  const auto [found, fresh] = numbers_.try_emplace(std::move(ways), static_cast<Fate>(ways_.size()));
  if (fresh) ways_.push_back(&found->first);
  return found->second;
}

Fate FateTable::meet(Fate one, Fate other) {
  if (one == other || other == Fate::dead) return one;
  if (one == Fate::dead) return other;
  if (one == Fate::live || other == Fate::live) return Fate::live;
  const auto [found, fresh] = met_.try_emplace(key(std::min(one, other), std::max(one, other)), Fate::live);
  if (!fresh) return found->second;
  Ways all = ways(one);
  all.insert(ways(other).begin(), ways(other).end());
  return found->second = of(std::move(all));
}

Fate FateTable::followed_by(Fate fate, Fate after) {
  if (fate == Fate::passed) return after;
  if (fate == Fate::live || fate == Fate::dead) return fate;
  const auto [found, fresh] = followed_.try_emplace(key(fate, after), Fate::live);
  return fresh ? found->second = make_followed_by(fate, after) : found->second;
}

Fate FateTable::make_followed_by(Fate fate, Fate after) {
  Ways made;
  for (const Overwrites& way : ways(fate)) {
    if (!way.contains(afterwards)) {
      made.insert(way);
      continue;
    }
    Overwrites first = way;
    first.erase(afterwards);
    if (after == Fate::live && first.empty()) return Fate::live;
    if (after == Fate::live)
      made.insert(first);
    else
      for (const Overwrites& next : ways(after)) made.insert(both(first, next));
    drop_implied(made);
    if (made.size() > most_ways) return Fate::live;
  }
  return of(std::move(made));
}

Fate FateTable::preceded_by(const Overwrites& overwrites, Fate fate) {
  if (fate == Fate::live) return of({overwrites});
  return changed(fate, [&](const Overwrites& way) { return both(overwrites, way); });
}

}  // namespace cppc::fortran
