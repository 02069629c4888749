/// Where a keeper gets images that it does not have: from other keepers, or from what is left of their groups. cppc-run
/// says so before the job is started again. Any thread.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "rebuild.hpp"

namespace cppc::keeper {

class Origins {
 public:
  Origins(Peers peers, Images& images) : peers_(std::move(peers)), images_(images) {}

  /// As keeper.hpp has it. What has been said before does not count any more.
  void locate(const nlohmann::json& request);

  /// The image, which is here from then on. Who asks for one that is on its way waits for it.
  Result<Held> bring(std::uint64_t set, int rank);

 private:
  using Key = std::pair<std::uint64_t, int>;  // set and rank
  struct Origin {
    Member member;
    std::vector<Group> groups;  // that the rank is in
  };
  Result<Held> bring_now(const Key& key);
  Result<Held> get(const Origin& origin) const;

  const Peers peers_;
  Images& images_;
  std::mutex mutex_;
  std::condition_variable brought_;
  std::map<Key, Origin> origins_;
  std::set<Key> on_their_way_;
};

}  // namespace cppc::keeper
