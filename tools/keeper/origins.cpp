#include "origins.hpp"

#include <spdlog/spdlog.h>

#include "peers.hpp"

namespace cppc::keeper {
namespace {

using nlohmann::json;
using tools::error;

Member member_of(std::uint64_t set, const json& image) {
  return {{set, image.at("rank"), image.at("bytes"), image.at("xxh3"), /*complete=*/true}, image.at("at")};
}

}  // namespace

void Origins::locate(const json& request) {
  const std::lock_guard lock(mutex_);
  origins_.clear();
  const std::uint64_t set = request.at("set");
  for (const json& image : request.at("images")) {
    const Member member = member_of(set, image);
    origins_[{set, member.label.rank}] = {member, {}};
  }
  for (const json& one : request.value("groups", json::array())) {
    Group group{{}, one.at("rows"), {}};
    for (const int rank : one.at("ranks")) group.members.push_back(origins_.at({set, rank}).member);
    for (const json& row : one.at("parities")) group.parities.push_back({row.at("row"), row.at("at")});
    for (const Member& member : group.members) origins_.at({set, member.label.rank}).groups.push_back(group);
  }
}

Result<Held> Origins::bring(std::uint64_t set, int rank) {
  const Key key{set, rank};
  {
    std::unique_lock lock(mutex_);
    brought_.wait(lock, [&] { return !on_their_way_.contains(key); });
    on_their_way_.insert(key);
  }
  auto image = bring_now(key);
  const std::lock_guard lock(mutex_);
  on_their_way_.erase(key);
  brought_.notify_all();
  return image;
}

Result<Held> Origins::bring_now(const Key& key) {
  if (Held own = images_.find(key.first, key.second)) return own;
  Origin origin;
  {
    const std::lock_guard lock(mutex_);
    const auto found = origins_.find(key);
    if (found == origins_.end()) return error("no keeper has it");
    origin = found->second;
  }
  auto image = get(origin);
  if (!image) return image;
  if (const auto added = images_.add(key.first, key.second, *image, /*complete=*/true); !added)
    return error(added.error());
  return image;
}

Result<Held> Origins::get(const Origin& origin) const {
  const Label& label = origin.member.label;
  std::string why = "no keeper has it";
  for (const std::string& addresses : origin.member.at) {
    auto image = fetch(peers_, images_.reservations(), addresses, label);
    if (image) return image;
    why = addresses + ": " + image.error();
  }
  for (const Group& group : origin.groups) {
    auto image = rebuild(peers_, images_.reservations(), group, label.rank);
    if (image) {
      spdlog::info("set {}, rank {}: {} bytes rebuilt from its group", label.set, label.rank, label.bytes);
      return image;
    }
    why = image.error();
  }
  return error(why);
}

}  // namespace cppc::keeper
