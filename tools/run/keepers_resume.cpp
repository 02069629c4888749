#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "keepers.hpp"

namespace cppc::run {
namespace {

using nlohmann::json;
using tools::error;
using namespace std::chrono_literals;

constexpr auto list_timeout = 5s;

}  // namespace

Result<std::unique_ptr<Keepers>> Keepers::resume(Settings settings, const std::vector<AllocatedNode>& nodes) {
  auto keepers = std::make_unique<Keepers>(std::move(settings), nodes);
  KeeperLinks& links = keepers->links_;
  const std::string& job = links.settings().job;
  std::string why = "it had no nodes";
  for (auto& [node, link] : links.start_on(nodes, {"--adopt", job})) {
    const auto taken = link ? keepers->take_over(node, **link) : error(link.error());
    if (taken) {
      links.add(node, *std::move(link));
    } else {
      why = node + ": " + taken.error();
      spdlog::warn("no keeper of {} on {}", job, why);
    }
  }
  if (links.all().empty()) return error("no keeper of " + job + " is left (" + why + ")");
  links.begin_beats();
  return keepers;
}

// What it has becomes part of the sets.
Result<void> Keepers::take_over(const std::string& node, KeeperLink& link) try {
  const auto listed = link.ask({{"do", "list"}}, list_timeout);
  if (!listed) return error(listed.error());
  last_ = std::max(last_, listed->at("last").get<std::uint64_t>());
  for (const json& one : listed->at("sets")) {
    ImageSet& set = sets_[one.at("set").get<std::uint64_t>()];
    set.number = one.at("set");
    add_listed(set, node, one);
  }
  return {};
} catch (const std::exception& wrong) {  // as the JSON library throws it, or a row that is none
  return error(std::string("its keeper's list is not understood: ") + wrong.what());
}

// One that did not answer in time, so that nobody is connected to it any more, may still be there: it waits as it would
// if this process had ended.
Result<void> Keepers::take_up_again(const AllocatedNode& node) try {
  auto link = links_.start_on({node}, {"--adopt", links_.settings().job}).front().second;
  if (!link) return error(link.error());
  const auto listed = (*link)->ask({{"do", "list"}}, list_timeout);
  if (!listed) return error(listed.error());
  for (const json& one : listed->at("sets"))
    if (const auto known = sets_.find(one.at("set").get<std::uint64_t>()); known != sets_.end())
      add_listed(known->second, node.name, one);
  links_.add(node.name, *std::move(link));
  return {};
} catch (const json::exception& wrong) {
  return error(std::string("its list is not understood: ") + wrong.what());
}

void Keepers::leave() {
  protects_ = {};
  links_.let_go();
}

std::vector<AllocatedNode> Keepers::missing() const {
  std::vector<AllocatedNode> without;
  for (const AllocatedNode& node : nodes_)
    if (links_.link(node.name) == nullptr) without.push_back(node);
  return without;
}

}  // namespace cppc::run
