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
///   encode    {"set", "complete", "parities": [{"rows", "row", "members": [{"rank", "bytes", "xxh3", "at":
///             [addresses]}]}]}: parities of a set that is being made, or is complete, are made here; {"received":
///             bytes}
///   regroup   {"set", "groups": [[ranks]]}: parities of other groups of the set are not needed any more
///   discard   {"set"}
///   list      {"sets": [{"set", "ranks", "images": [{"rank", "bytes", "xxh3"}], "parities": [{"ranks", "rows", "row",
///             "members": [{"rank", "bytes", "xxh3"}]}]}], "last"}: complete sets, and what of them is here; others are
///             discarded. "last": the last set that was begun
///   locate    {"set", "images": [{"rank", "bytes", "xxh3", "at": [addresses]}], "groups": [{"ranks", "rows",
///             "parities": [{"row", "at": [addresses]}]}]}: where to get what is not here, or from what to rebuild it
///   bring     {"set", "ranks"}: gets these images now
///   quit      the job is over
#pragma once

#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "cppc/memory_free.hpp"
#include "images.hpp"
#include "local_server.hpp"
#include "origins.hpp"
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
  using Task = Result<nlohmann::json> (Keeper::*)(const nlohmann::json& request);
  Keeper(Peers peers, Adopt adopt) : peers_(std::move(peers)), adopt_(std::move(adopt)) {}
  static Task long_task(const std::string& what);
  nlohmann::json list();
  Result<nlohmann::json> copy(const nlohmann::json& request);
  Result<std::uint64_t> copy_one(const Label& label, bool written, const std::string& to);
  Result<nlohmann::json> encode(const nlohmann::json& request);
  Result<nlohmann::json> bring(const nlohmann::json& request);
  bool is_wanted(std::uint64_t set);
  tl::expected<UniqueFd, std::string> serve(const Request& request);

  const Peers peers_;
  const Adopt adopt_;
  Images images_{[] { return migration::memory_free(); }};
  Origins origins_{peers_, images_};
  std::mutex mutex_;
  std::set<std::uint64_t> discarded_;
  std::unique_ptr<PeerServer> server_;
  std::unique_ptr<LocalServer> local_server_;
};

}  // namespace cppc::keeper
