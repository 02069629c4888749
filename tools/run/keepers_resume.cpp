#include <spdlog/spdlog.h>

#include <algorithm>
#include <future>
#include <utility>

#include "keepers.hpp"

namespace cppc::run {
namespace {

using nlohmann::json;
using tools::error;
using namespace std::chrono_literals;

constexpr auto patience_to_list = 5s;

}  // namespace

Result<std::unique_ptr<Keepers>> Keepers::resume(Settings settings, const std::vector<AllocatedNode>& nodes) {
  std::unique_ptr<Keepers> keepers(new Keepers(std::move(settings), nodes));
  const std::vector<std::string> arguments{"--adopt", keepers->settings_.job};
  std::vector<std::future<Result<Link>>> adopted;
  for (const AllocatedNode& node : nodes)
    adopted.push_back(std::async(std::launch::async, [&] { return keepers->start_on(node, arguments); }));
  std::string why = "it had no nodes";
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::string& node = nodes[i].name;
    auto link = adopted[i].get();
    const auto taken = link ? keepers->take_over(node, **link) : error(link.error());
    if (taken) {
      keepers->links_[node] = *std::move(link);
    } else {
      why = node + ": " + taken.error();
      spdlog::warn("no keeper of {} on {}", keepers->settings_.job, why);
    }
  }
  if (keepers->links_.empty()) return error("no keeper of " + keepers->settings_.job + " is left (" + why + ")");
  keepers->begin_beats();
  return keepers;
}

// What it has becomes part of the sets.
Result<void> Keepers::take_over(const std::string& node, KeeperLink& link) try {
  const auto listed = link.ask({{"do", "list"}}, patience_to_list);
  if (!listed) return error(listed.error());
  last_ = std::max(last_, listed->at("last").get<std::uint64_t>());
  for (const json& one : listed->at("sets")) {
    Set& set = sets_[one.at("set").get<std::uint64_t>()];
    std::size_t ranks = std::max(set.at.size(), one.at("ranks").get<std::size_t>());
    for (const json& image : one.at("images")) ranks = std::max(ranks, image.at("rank").get<std::size_t>() + 1);
    set.images.resize(ranks);
    set.at.resize(ranks);
    for (const json& image : one.at("images")) {
      const auto rank = image.at("rank").get<std::size_t>();
      set.images[rank].bytes = image.at("bytes");
      set.images[rank].xxh3 = image.at("xxh3");
      set.at[rank].insert(node);
    }
  }
  return {};
} catch (const json::exception& wrong) {
  return error(std::string("its keeper's list is not understood: ") + wrong.what());
}

void Keepers::leave() {
  beats_ = {};
  protects_ = {};
  for (const auto& [node, its] : all()) its->lose();
}

std::vector<AllocatedNode> Keepers::missing() const {
  std::vector<AllocatedNode> without;
  for (const AllocatedNode& node : nodes_)
    if (link(node.name) == nullptr) without.push_back(node);
  return without;
}

}  // namespace cppc::run
