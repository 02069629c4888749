/// Calls that may reach several functions, those of virtual functions above all.
#include <algorithm>
#include <map>
#include <utility>

#include "effects.hpp"

namespace cppc::analysis {

bool Effect::grow(const Effect& other) {
  bool grew = reads |= other.reads;
  grew |= changes |= other.changes;
  grew |= parts |= other.parts;
  return grew;
}

void Effect::add_choice(const Effect& other, bool first) {
  grow(other);
  if (first)
    kills = other.kills;
  else
    kills &= other.kills;
  ends = (first || ends) && other.ends;
  may_end |= other.ends || other.may_end;
  outside |= other.outside;
}

/// Functions that calls may reach together: most calls of a virtual function reach the same ones.
void Effects::find_reached() {
  std::map<std::vector<ir::Index>, ir::Index> known;
  several_of_.resize(program_.functions.size());
  for (ir::Index c = 0; c < program_.calls.size(); ++c) {
    const auto& callees = points_to_.callees(c);
    const bool anywhere = std::ranges::find(callees, program_.elsewhere) != callees.end();
    Reached& reached = reached_.emplace_back();
    std::vector<ir::Index> defined;
    for (const ir::Index callee : callees) {
      if (anywhere && std::ranges::binary_search(kept_callbacks_, callee))
        continue;  // functions outside have the effects of those, too
      (program_.functions[callee].defined ? defined : reached.others).push_back(callee);
    }
    if (defined.size() < 2) {
      reached.others.insert(reached.others.end(), defined.begin(), defined.end());
      continue;
    }
    std::ranges::sort(defined);
    const auto [found, fresh] = known.try_emplace(defined, static_cast<ir::Index>(several_.size()));
    reached.several = found->second;
    if (!fresh) continue;
    for (const ir::Index f : defined) several_of_[f].push_back(found->second);
    several_.push_back({.functions = std::move(defined), .effect = {}});
  }
  for (ir::Index f = 0; f < program_.functions.size(); ++f) add_to_several(f);
}

/// A function's effect has grown.
void Effects::add_to_several(ir::Index function) {
  for (const ir::Index one : several_of_[function]) {
    Effect& effect = several_[one].effect;
    effect.grow(functions_[function]);
    effect.may_end |= functions_[function].ends || functions_[function].may_end;
    effect.outside |= functions_[function].outside;
  }
}

void Effects::find_kills(Several& several) {
  if (!std::exchange(several.due, false)) return;
  Effect all;
  bool first = true;
  for (const ir::Index f : several.functions) {
    Effect one;
    one.kills = functions_[f].kills;
    one.ends = functions_[f].ends;
    all.add_choice(one, std::exchange(first, false));
  }
  several.effect.kills = std::move(all.kills);
  several.effect.ends = all.ends;
  several.effect.may_end |= all.may_end;
}

}  // namespace cppc::analysis
