/// What becomes of arrays from a place on. Equal fates are one number, so that copying and comparing them costs
/// nothing, and what two of them make is found once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

namespace cppc::fortran {

/// One behind the other, by number: what is in any of them is dead.
using Overwrites = std::set<std::size_t>;

/// On one way or another: what is in all of them is dead. None: all of the array is.
using Ways = std::set<Overwrites>;

/// Among overwrites: what becomes of the array when the procedure has ended.
inline constexpr std::size_t afterwards = std::numeric_limits<std::size_t>::max();

/// Of one array at one place. `dead`: nobody reads it any more. `live`: perhaps read as it is. `passed`: what becomes
/// of it is known when the procedure has ended. Others have numbers that a FateTable gives.
enum class Fate : std::uint32_t { dead, live, passed };

class FateTable {
 public:
  /// Ways that are worth to name.
  static constexpr std::size_t most_ways = 32;

  FateTable();

  /// Not of `live`.
  [[nodiscard]] const Ways& ways(Fate fate) const { return *ways_[static_cast<std::size_t>(fate)]; }
  Fate of(Ways ways);

  /// What holds where two ways meet.
  Fate meet(Fate one, Fate other);

  /// With what becomes of it when the procedure has ended.
  Fate followed_by(Fate fate, Fate after);

  /// With overwrites before all of its ways.
  Fate preceded_by(const Overwrites& overwrites, Fate fate);

  /// With what `make` makes of each of its ways; an empty one: live.
  template <typename Make>
  Fate changed(Fate fate, Make make) {
    if (fate == Fate::live || fate == Fate::dead) return fate;
    Ways made;
    for (const Overwrites& way : ways(fate)) {
      Overwrites one = make(way);
      if (one.empty()) return Fate::live;
      made.insert(std::move(one));
    }
    return of(std::move(made));
  }

  /// With those overwrites only that `keeps` says.
  template <typename Keeps>
  Fate filtered(Fate fate, Keeps keeps) {
    const auto stays = [&](std::size_t number) { return number == afterwards || keeps(number); };
    if (std::ranges::all_of(ways(fate), [&](const Overwrites& way) { return std::ranges::all_of(way, stays); }))
      return fate;
    return changed(fate, [&](Overwrites way) {
      std::erase_if(way, [&](std::size_t number) { return !stays(number); });
      return way;
    });
  }

 private:
  using Pairs = std::unordered_map<std::uint64_t, Fate>;

  Fate make_followed_by(Fate fate, Fate after);

  std::map<Ways, Fate> numbers_;
  std::vector<const Ways*> ways_;  ///< by number
  Pairs met_, followed_;
};

/// What was made of each of a few values before.
template <typename Make>
class Remembered {
 public:
  explicit Remembered(Make make) : make_(std::move(make)) {}
  Fate operator()(Fate fate) {
    if (fate == Fate::live || fate == Fate::dead) return fate;
    if (const auto found = made_.find(fate); found != made_.end()) return found->second;
    const Fate made = make_(fate);
    made_.emplace(fate, made);
    return made;
  }

 private:
  Make make_;
  std::unordered_map<Fate, Fate> made_;
};

}  // namespace cppc::fortran
