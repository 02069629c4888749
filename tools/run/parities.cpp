#include <spdlog/spdlog.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "protection.hpp"

namespace cppc::run {
namespace {

using nlohmann::json;
using tools::error;

std::string name_of(const ErasureCode& code) {
  return "rs:" + std::to_string(code.images) + "+" + std::to_string(code.parities);
}

std::size_t index(int rank) { return static_cast<std::size_t>(rank); }

/// Parities of groups of images, on other nodes than these (parity_groups.hpp). Keepers make them, of what they get
/// from each other: this says only who makes which.
class Parities : public Protection {
 public:
  Parities(const KeeperLinks& links, const std::vector<AllocatedNode>& nodes, const ErasureCode& code)
      : links_(links), nodes_(nodes), code_(code) {}

  Result<void> enough_to_start(std::size_t nodes) const override {
    const auto needed = index(code_.images) + index(code_.parities);
    if (nodes >= needed) return {};
    return error("--protect " + name_of(code_) + " needs " + std::to_string(needed) +
                 " nodes or more, and the job has " + std::to_string(nodes) +
                 ": name more of them, spare ones for instance, or choose a smaller K or M");
  }

  Result<void> enough_to_go_on(std::size_t nodes) const override {
    if (nodes >= 2) return {};
    return error("no other node is left that could have parities of images (--protect " + name_of(code_) + ")");
  }

  Result<void> protect(ImageSet& set) override {
    if (auto sealed = seal_images(links_, set); !sealed) return sealed;
    return regroup(set, last_groups_, usable_nodes(""), /*complete=*/false);
  }

  bool is_whole(const ImageSet& set) const override {
    const auto alive = links_.all();
    std::vector<bool> there(set.at.size());
    for (std::size_t rank = 0; rank < there.size(); ++rank)
      there[rank] = std::ranges::any_of(set.at[rank], [&](const std::string& node) { return alive.contains(node); });
    std::vector<bool> can_be = there;
    for (const ParityGroup& group : set.groups) {
      const auto images = std::ranges::count_if(group.ranks, [&](int rank) { return there[index(rank)]; });
      const auto rows =
          std::ranges::count_if(group.parities, [&](const std::string& node) { return alive.contains(node); });
      if (static_cast<std::size_t>(images + rows) < group.ranks.size()) continue;
      for (const int rank : group.ranks) can_be[index(rank)] = true;
    }
    return std::ranges::all_of(can_be, [](bool one) { return one; });
  }

  Result<void> protect_again(ImageSet& set, const std::vector<std::string>& places) override {
    return protect_on(set, usable_nodes(""), places);
  }

  // Images are got from there, as long as its keeper is.
  Result<void> vacate(ImageSet& set, const std::string& node) override {
    return protect_on(set, usable_nodes(node), {});
  }

 private:
  // On these nodes alone.
  Result<void> protect_on(ImageSet& set, const std::vector<std::string>& nodes,
                          const std::vector<std::string>& places) {
    if (auto brought = bring_images(set, places, nodes); !brought) return brought;
    if (auto enough = enough_to_go_on(nodes.size()); !enough) return enough;
    return regroup(set, set.groups, nodes, /*complete=*/true);
  }

  // With keepers, and of the job from now on.
  std::vector<std::string> usable_nodes(const std::string& but) const {
    std::vector<std::string> usable;
    for (const AllocatedNode& node : nodes_)
      if (node.name != but && links_.link(node.name) != nullptr) usable.push_back(node.name);
    return usable;
  }

  static std::optional<std::string> home_of(const ImageSet& set, std::size_t rank,
                                            const std::vector<std::string>& nodes) {
    for (const std::string& node : nodes)
      if (set.at[rank].contains(node)) return node;
    return std::nullopt;
  }

  static std::map<std::string, std::size_t> load_of(const ImageSet& set) {
    std::map<std::string, std::size_t> load;
    for (const auto& at : set.at)
      for (const std::string& node : at) ++load[node];
    return load;
  }

  // For another image; one that has nothing of the rank's group, if there is such a node.
  static std::string emptiest(const ImageSet& set, std::size_t rank, const std::vector<std::string>& nodes,
                              std::map<std::string, std::size_t>& load) {
    std::set<std::string> of_group;
    for (const ParityGroup& group : set.groups)
      if (std::ranges::find(group.ranks, static_cast<int>(rank)) != group.ranks.end()) {
        of_group.insert(group.parities.begin(), group.parities.end());
        for (const int member : group.ranks)
          of_group.insert(set.at[index(member)].begin(), set.at[index(member)].end());
      }
    const auto cost = [&](const std::string& node) { return std::pair(of_group.contains(node), load[node]); };
    const auto best = std::ranges::min_element(nodes, {}, cost);
    return best == nodes.end() ? "" : *best;
  }

  // Those that are on none of these nodes, to where their ranks are, if that is known: these need them as well.
  Result<void> bring_images(ImageSet& set, const std::vector<std::string>& places,
                            const std::vector<std::string>& nodes) {
    if (nodes.empty()) return error("no node is left that has a keeper");
    std::map<std::string, std::vector<int>> lost;
    std::map<std::string, std::size_t> load = load_of(set);
    for (std::size_t rank = 0; rank < set.at.size(); ++rank) {
      if (home_of(set, rank, nodes)) continue;
      const bool is_placed = rank < places.size() && std::ranges::find(nodes, places[rank]) != nodes.end();
      const std::string node = is_placed ? places[rank] : emptiest(set, rank, nodes, load);
      lost[node].push_back(static_cast<int>(rank));
      ++load[node];
    }
    if (lost.empty()) return {};
    links_.ask_all(locate_request(set, links_));
    std::vector<KeeperLinks::Task> tasks;
    for (const auto& [node, ranks] : lost)
      tasks.push_back({node, {{"do", "bring"}, {"set", set.number}, {"ranks", ranks}}});
    if (auto brought = links_.run(tasks); !brought) return brought;
    for (const auto& [node, ranks] : lost)
      for (const int rank : ranks) set.at[index(rank)].insert(node);
    return {};
  }

  // Parities that are missing are made before others go.
  Result<void> regroup(ImageSet& set, const std::vector<ParityGroup>& before, const std::vector<std::string>& nodes,
                       bool complete) {
    std::vector<std::string> homes;
    for (std::size_t rank = 0; rank < set.at.size(); ++rank) {
      const auto home = home_of(set, rank, nodes);
      if (!home) return error("the image of rank " + std::to_string(rank) + " is on no node that has a keeper");
      homes.push_back(*home);
    }
    const ErasureCode code = code_for(nodes.size());
    auto groups = plan_groups(homes, nodes, code, before);
    if (!groups) return error(groups.error());
    if (auto made = links_.run(tasks_for(set, *groups, complete)); !made) return made;
    set.groups = *std::move(groups);
    last_groups_ = set.groups;
    json ranks = json::array();
    for (const ParityGroup& group : set.groups) ranks.push_back(group.ranks);
    links_.ask_all({{"do", "regroup"}, {"set", set.number}, {"groups", std::move(ranks)}});
    return {};
  }

  // With fewer parities where there are not M + 1 nodes, which is said once.
  ErasureCode code_for(std::size_t nodes) {
    ErasureCode code = code_;
    code.parities = std::min(code_.parities, static_cast<int>(nodes) - 1);
    if (std::exchange(parities_now_, code.parities) != code.parities && code.parities < code_.parities)
      spdlog::warn(
          "{} nodes have keepers: images have {} in place of {} parities (--protect {}), and no more than {} of these "
          "nodes may be lost",
          nodes, code.parities, code_.parities, name_of(code_), code.parities);
    return code;
  }

  // One for each keeper; it does nothing for parities that it has.
  std::vector<KeeperLinks::Task> tasks_for(const ImageSet& set, const std::vector<ParityGroup>& groups,
                                           bool complete) const {
    std::map<std::string, json> by_node;
    for (const ParityGroup& group : groups) {
      json members = json::array();
      for (const int rank : group.ranks) members.push_back(located_json(set, index(rank), links_));
      for (std::size_t row = 0; row < group.parities.size(); ++row)
        by_node[group.parities[row]].push_back({{"rows", group.parities.size()}, {"row", row}, {"members", members}});
    }
    std::vector<KeeperLinks::Task> tasks;
    for (auto& [node, parities] : by_node)
      tasks.push_back(
          {node, {{"do", "encode"}, {"set", set.number}, {"complete", complete}, {"parities", std::move(parities)}}});
    return tasks;
  }

  const KeeperLinks& links_;
  const std::vector<AllocatedNode>& nodes_;
  const ErasureCode code_;
  int parities_now_ = 0;
  std::vector<ParityGroup> last_groups_;  // of the newest set: the next one is to have the same
};

}  // namespace

std::unique_ptr<Protection> protect_by_parities(const KeeperLinks& links, const std::vector<AllocatedNode>& nodes,
                                                const ErasureCode& code) {
  return std::make_unique<Parities>(links, nodes, code);
}

}  // namespace cppc::run
