#include "parity_groups.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace cppc::run {
namespace {

class Planner {
 public:
  Planner(const std::vector<std::string>& homes, const std::vector<std::string>& nodes, const ErasureCode& code)
      : homes_(homes),
        nodes_(nodes),
        rows_(static_cast<std::size_t>(code.parities)),
        most_(std::min(static_cast<std::size_t>(code.images), nodes.size() - rows_)) {
    for (const std::string& node : nodes) load_[node] = 0;
    for (const std::string& home : homes) ++load_[home];
  }

  std::vector<ParityGroup> plan(const std::vector<ParityGroup>& before) {
    std::vector<int> all(homes_.size());
    std::iota(all.begin(), all.end(), 0);
    std::vector<ParityGroup> fresh = deal(all), groups = kept(before);
    std::set<int> placed;
    for (const ParityGroup& group : groups) placed.insert(group.ranks.begin(), group.ranks.end());
    std::erase_if(all, [&](int rank) { return placed.contains(rank); });
    const std::vector<ParityGroup> others = deal(all);
    groups.insert(groups.end(), others.begin(), others.end());
    if (groups.size() > fresh.size()) groups = std::move(fresh);
    place_parities(groups);
    return groups;
  }

 private:
  [[nodiscard]] const std::string& home(int rank) const { return homes_[static_cast<std::size_t>(rank)]; }

  // As few groups as can be, as large as each other. Images of a node follow each other, and are not more than there
  // are groups: so each of them comes to another one.
  [[nodiscard]] std::vector<ParityGroup> deal(const std::vector<int>& ranks) const {
    std::map<std::string, std::vector<int>> by_node;
    for (const int rank : ranks) by_node[home(rank)].push_back(rank);
    std::vector<int> in_order;
    std::size_t count = (ranks.size() + most_ - 1) / most_;
    for (const std::string& node : nodes_) {
      const std::vector<int>& its = by_node[node];
      in_order.insert(in_order.end(), its.begin(), its.end());
      count = std::max(count, its.size());
    }
    std::vector<ParityGroup> groups(count, {{}, std::vector<std::string>(rows_)});
    for (std::size_t i = 0; i < in_order.size(); ++i) groups[i % count].ranks.push_back(in_order[i]);
    return groups;
  }

  // Those of which the images are still on different nodes, without parities that are not apart from these any more.
  [[nodiscard]] std::vector<ParityGroup> kept(const std::vector<ParityGroup>& before) const {
    std::vector<ParityGroup> groups;
    std::set<int> seen;
    for (ParityGroup group : before) {
      std::set<std::string> taken;
      const bool apart = std::ranges::all_of(group.ranks, [&](int rank) {
        return static_cast<std::size_t>(rank) < homes_.size() && taken.insert(home(rank)).second;
      });
      if (!apart || group.ranks.size() > most_ ||
          std::ranges::any_of(group.ranks, [&](int rank) { return seen.contains(rank); }))
        continue;
      seen.insert(group.ranks.begin(), group.ranks.end());
      group.parities.resize(rows_);
      for (std::string& node : group.parities)
        if (!load_.contains(node) || !taken.insert(node).second) node.clear();
      groups.push_back(std::move(group));
    }
    return groups;
  }

  void place_parities(std::vector<ParityGroup>& groups) {
    for (const ParityGroup& group : groups)
      for (const std::string& node : group.parities)
        if (!node.empty()) ++load_[node];
    std::vector<std::pair<ParityGroup*, std::string*>> placed;
    for (ParityGroup& group : groups)
      for (std::string& node : group.parities)
        if (node.empty()) {
          node = least_loaded(group);
          ++load_[node];
          placed.emplace_back(&group, &node);
        }
    while (std::ranges::any_of(placed, [&](const auto& one) { return moves(*one.first, *one.second); })) continue;
  }

  // Each time the sum of the squares of loads becomes less.
  bool moves(const ParityGroup& group, std::string& node) {
    const std::string other = least_loaded(group);
    if (other.empty() || load_[other] + 1 >= load_[node]) return false;
    --load_[node];
    ++load_[other];
    node = other;
    return true;
  }

  // That has nothing of the group; of several the first one.
  [[nodiscard]] std::string least_loaded(const ParityGroup& group) const {
    const std::string* best = nullptr;
    for (const std::string& node : nodes_) {
      const bool has_some = std::ranges::find(group.parities, node) != group.parities.end() ||
                            std::ranges::any_of(group.ranks, [&](int rank) { return home(rank) == node; });
      if (!has_some && (best == nullptr || load_.at(node) < load_.at(*best))) best = &node;
    }
    return best == nullptr ? "" : *best;
  }

  const std::vector<std::string>& homes_;
  const std::vector<std::string>& nodes_;
  const std::size_t rows_;
  const std::size_t most_;                   // images of a group
  std::map<std::string, std::size_t> load_;  // images and parities, by node
};

}  // namespace

Result<std::vector<ParityGroup>> plan_groups(const std::vector<std::string>& homes,
                                             const std::vector<std::string>& nodes, const ErasureCode& code,
                                             const std::vector<ParityGroup>& before) {
  if (nodes.size() <= static_cast<std::size_t>(code.parities))
    return tools::error("images with " + std::to_string(code.parities) + " parities need " +
                        std::to_string(code.parities + 1) + " nodes, and there are " + std::to_string(nodes.size()));
  for (const std::string& home : homes)
    if (std::ranges::find(nodes, home) == nodes.end())
      return tools::error("an image is on " + home + ", which is lost");
  return Planner(homes, nodes, code).plan(before);
}

}  // namespace cppc::run
