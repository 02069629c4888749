/// What a keeper does: cppc-run tells it on its standard input, one JSON object a line, and is answered on its standard
/// output.
///
/// The first line: {"job", "key", "silence_s", "environment", "outlives"}, answered with {"addresses"}: where other
/// keepers reach this one. One that outlives its cppc-run answers the first line of another one likewise. Then
/// requests, {"id", "do", ...}, each answered with {"id"} and what it asks for, or {"id", "error"}:
///   ping      nothing
///   begin     {"set"}: a new set of images, of which ranks now write theirs
///   copy      {"set", "images": [{"rank", "bytes", "xxh3", "written"}], "to"}: those that ranks of this node have
///             written, or that are here, are brought to the keeper at these addresses, if any; {"sent"}: bytes
///   complete  {"set", "ranks"}: all images of the set, of so many ranks, are where they belong
///   discard   {"set"}
///   list      {"sets": [{"set", "ranks", "images": [{"rank", "bytes", "xxh3"}]}], "last"}: complete sets, and what of
///   them
///             is here; others are discarded. "last": the last set that was begun
///   locate    {"set", "images": [{"rank", "bytes", "xxh3", "at": [addresses]}]}: where to get what is not here
///   quit      the job is over
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "cppc/memory_free.hpp"
#include "door.hpp"
#include "images.hpp"
#include "peers.hpp"

namespace cppc::keeper {

class Keeper {
 public:
  using Adopt = std::function<Result<UniqueFd>()>;
  /// From the first line; `adopt` is for a cppc-run that takes up the job. An error when there is one of the job on
  /// this node already.
  static Result<std::unique_ptr<Keeper>> start(const nlohmann::json& settings, Adopt adopt);
  const std::string& addresses() const { return server_->addresses(); }

  using Answer = std::function<void(const nlohmann::json&)>;
  /// Answers now or, on another thread, later. False: it was to quit.
  bool handle(const nlohmann::json& request, const Answer& answer);

 private:
  struct Located {
    Label label;
    std::vector<std::string> at;
  };
  Keeper(Peers peers, Adopt adopt) : peers_(std::move(peers)), adopt_(std::move(adopt)) {}
  nlohmann::json list();
  Result<nlohmann::json> copy(const nlohmann::json& request);
  Result<std::uint64_t> copy_one(const Label& label, bool written, const std::string& to);
  void locate(const nlohmann::json& request);
  tl::expected<UniqueFd, std::string> serve(const Request& request);
  Result<Held> bring(const Request& request);

  const Peers peers_;
  const Adopt adopt_;
  Images images_{[] { return migration::memory_free(); }};
  std::mutex mutex_;
  std::map<std::pair<std::uint64_t, int>, Located> located_;  // by set and rank
  std::set<std::uint64_t> discarded_;
  std::unique_ptr<PeerServer> server_;
  std::unique_ptr<Door> door_;
};

}  // namespace cppc::keeper
