#include "keeper.hpp"

#include <fcntl.h>
#include <spdlog/spdlog.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "cppc/fault.hpp"
#include "encode.hpp"

namespace cppc::keeper {
namespace {

using nlohmann::json;
using tools::error;

Label label_of(std::uint64_t set, const json& image, bool complete) {
  return {set, image.at("rank"), image.at("bytes"), image.at("xxh3"), complete};
}

json listed(const Label& label) { return {{"rank", label.rank}, {"bytes", label.bytes}, {"xxh3", label.xxh3}}; }

json listed(const ParityName& name, const Parity& parity) {
  json object = to_json(name);
  for (const Label& member : parity.members) object["members"].push_back(listed(member));
  return object;
}

Encoding encoding_of(std::uint64_t set, const json& parity, bool complete) {
  Encoding encoding{{{}, parity.at("rows"), parity.at("row")}, {}};
  for (const json& member : parity.at("members")) {
    encoding.members.push_back({label_of(set, member, complete), member.at("at")});
    encoding.name.ranks.push_back(member.at("rank"));
  }
  return encoding;
}

}  // namespace

Result<std::unique_ptr<Keeper>> Keeper::start(const json& settings, Adopt adopt) {
  std::unique_ptr<Keeper> keeper(
      new Keeper({settings.at("key"), std::chrono::seconds(settings.at("silence_s").get<int>())}, std::move(adopt)));
  auto server = PeerServer::start(keeper->peers_, keeper->images_);
  if (!server) return error(std::move(server).error());
  keeper->server_ = *std::move(server);
  auto local_server = LocalServer::open(settings.at("job"),
                                        [raw = keeper.get()](const Request& request) { return raw->serve(request); });
  if (!local_server) return error(std::move(local_server).error());
  keeper->local_server_ = *std::move(local_server);
  return keeper;
}

// That others wait for beside it.
Keeper::Task Keeper::long_task(const std::string& what) {
  if (what == "copy") return &Keeper::copy;
  if (what == "encode") return &Keeper::encode;
  return what == "bring" ? &Keeper::bring : nullptr;
}

bool Keeper::handle(const json& request, const Answer& answer) {
  const std::string what = request.at("do");
  const std::uint64_t id = request.at("id");
  const auto set = request.value("set", std::uint64_t{0});
  if (what == "quit") return false;
  if (const Task task = long_task(what)) {
    std::thread([this, task, request, answer, id] {
      auto done = (this->*task)(request);
      json body = done ? *std::move(done) : json{{"error", done.error()}};
      body["id"] = id;
      answer(body);
    }).detach();
    return true;
  }
  (void)fault::at("keeper-" + what);
  if (what == "begin") images_.begin(set);
  if (what == "complete") images_.complete(set, request.at("ranks"));
  if (what == "locate") origins_.locate(request);
  if (what == "regroup") images_.keep_parities(set, request.at("groups"));
  if (what == "discard") {
    const std::lock_guard lock(mutex_);
    discarded_.insert(set);
    images_.discard(set);
  }
  json answered = what == "list" ? list() : json::object();
  answered["id"] = id;
  answer(answered);
  return true;
}

json Keeper::list() {
  json sets = json::array();
  const std::uint64_t last = images_.last();
  for (const Images::Listed& set : images_.keep_only_complete()) {
    json images = json::array(), parities = json::array();
    for (const auto& [rank, image] : set.images)
      images.push_back(listed({set.number, rank, image->bytes().size(), image->xxh3()}));
    for (const auto& [name, parity] : set.parities) parities.push_back(listed(name, parity));
    sets.push_back(
        {{"set", set.number}, {"ranks", set.ranks}, {"images", std::move(images)}, {"parities", std::move(parities)}});
  }
  return {{"sets", std::move(sets)}, {"last", last}};
}

Result<json> Keeper::copy(const json& request) {
  const std::uint64_t set = request.at("set");
  std::uint64_t sent = 0;
  for (const json& one : request.at("images")) {
    const bool written = one.at("written");
    const auto copied = copy_one(label_of(set, one, /*complete=*/!written), written, request.at("to"));
    if (!copied) return error(copied.error());
    sent += *copied;
  }
  return json{{"sent", sent}};
}

Result<std::uint64_t> Keeper::copy_one(const Label& label, bool written, const std::string& to) {
  Held image;
  if (written) {
    auto sealed = images_.seal(label.set, label.rank, label.bytes, label.xxh3);
    if (!sealed) return error(sealed.error());
    image = *std::move(sealed);
  } else {
    image = images_.find(label.set, label.rank);
    if (image == nullptr) return error("the image of rank " + std::to_string(label.rank) + " is not there");
  }
  if (to.empty()) return 0;
  auto sent = push(peers_, to, label, *image, [&] { return is_wanted(label.set); });
  if (!sent)
    return error("the image of rank " + std::to_string(label.rank) + " cannot be copied to " + to + ": " +
                 sent.error());
  spdlog::info("set {}, rank {}: {} of {} bytes copied to {}", label.set, label.rank, *sent, label.bytes, to);
  return sent;
}

bool Keeper::is_wanted(std::uint64_t set) {
  const std::lock_guard lock(mutex_);
  return !discarded_.contains(set);
}

// One after the other: so there is memory for the next one, or it is refused.
Result<json> Keeper::encode(const json& request) {
  const std::uint64_t set = request.at("set");
  std::uint64_t received = 0;
  for (const json& one : request.at("parities")) {
    const Encoding encoding = encoding_of(set, one, request.at("complete"));
    const auto encoded = keeper::encode(peers_, images_, encoding, [&] { return is_wanted(set); });
    if (!encoded) return error(text(encoding.name) + " cannot be made: " + encoded.error());
    spdlog::info("set {}, {}: {} bytes received", set, text(encoding.name), *encoded);
    received += *encoded;
  }
  return json{{"received", received}};
}

Result<json> Keeper::bring(const json& request) {
  for (const int rank : request.at("ranks"))
    if (const auto image = origins_.bring(request.at("set"), rank); !image)
      return error("the image of rank " + std::to_string(rank) + " is lost: " + image.error());
  return json::object();
}

tl::expected<UniqueFd, std::string> Keeper::serve(const Request& request) {
  switch (request.kind) {
    case Request::Kind::takes:
      if (!images_.takes(request.set)) return error("the keeper takes no images of set " + std::to_string(request.set));
      return UniqueFd();
    case Request::Kind::make:
      if (auto faulty = fault::at("keeper-make"); !faulty) return error(cppc_status_text(faulty.error()));
      return images_.make(request.set, request.rank, request.bytes);
    case Request::Kind::adopt:
      return adopt_();
    case Request::Kind::find:
      break;
  }
  (void)fault::at("keeper-find");
  const auto image = origins_.bring(request.set, request.rank);
  if (!image) return error(image.error());
  UniqueFd file(fcntl((*image)->file_descriptor(), F_DUPFD_CLOEXEC, 0));
  if (!file) return error(std::string("no descriptor for an image: ") + std::strerror(errno));
  return file;
}

}  // namespace cppc::keeper
