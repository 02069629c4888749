#include "keeper.hpp"

#include <fcntl.h>
#include <spdlog/spdlog.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "cppc/fault.hpp"

namespace cppc::keeper {
namespace {

using nlohmann::json;
using tools::error;

Label label_of(std::uint64_t set, const json& image, bool complete) {
  return {set, image.at("rank"), image.at("bytes"), image.at("xxh3"), complete};
}

}  // namespace

Result<std::unique_ptr<Keeper>> Keeper::start(const json& settings, Adopt adopt) {
  std::unique_ptr<Keeper> keeper(
      new Keeper({settings.at("key"), std::chrono::seconds(settings.at("silence_s").get<int>())}, std::move(adopt)));
  auto server = PeerServer::start(keeper->peers_, keeper->images_);
  if (!server) return error(std::move(server).error());
  keeper->server_ = *std::move(server);
  auto door =
      Door::open(settings.at("job"), [raw = keeper.get()](const Request& request) { return raw->serve(request); });
  if (!door) return error(std::move(door).error());
  keeper->door_ = *std::move(door);
  return keeper;
}

bool Keeper::handle(const json& request, const Answer& answer) {
  const std::string what = request.at("do");
  const std::uint64_t id = request.at("id");
  const auto set = request.value("set", std::uint64_t{0});
  if (what == "quit") return false;
  if (what == "copy") {
    std::thread([this, request, answer, id] {
      auto done = copy(request);
      json body = done ? *std::move(done) : json{{"error", done.error()}};
      body["id"] = id;
      answer(body);
    }).detach();
    return true;
  }
  (void)fault::at("keeper-" + what);
  if (what == "begin") images_.begin(set);
  if (what == "complete") images_.complete(set, request.at("ranks"));
  if (what == "locate") locate(request);
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
    json images = json::array();
    for (const auto& [rank, image] : set.images)
      images.push_back({{"rank", rank}, {"bytes", image->bytes().size()}, {"xxh3", image->xxh3()}});
    sets.push_back({{"set", set.number}, {"ranks", set.ranks}, {"images", std::move(images)}});
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
  const auto wanted = [&] {
    const std::lock_guard lock(mutex_);
    return !discarded_.contains(label.set);
  };
  auto sent = push(peers_, to, label, *image, wanted);
  if (!sent)
    return error("the image of rank " + std::to_string(label.rank) + " cannot be copied to " + to + ": " +
                 sent.error());
  spdlog::info("set {}, rank {}: {} of {} bytes copied to {}", label.set, label.rank, *sent, label.bytes, to);
  return sent;
}

void Keeper::locate(const json& request) {
  const std::lock_guard lock(mutex_);
  located_.clear();
  const std::uint64_t set = request.at("set");
  for (const json& one : request.at("images")) {
    const Label label = label_of(set, one, /*complete=*/true);
    located_[{set, label.rank}] = {label, one.at("at")};
  }
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
  const auto image = bring(request);
  if (!image) return error(image.error());
  UniqueFd file(fcntl((*image)->file_descriptor(), F_DUPFD_CLOEXEC, 0));
  if (!file) return error(std::string("no descriptor for an image: ") + std::strerror(errno));
  return file;
}

Result<Held> Keeper::bring(const Request& request) {
  if (Held own = images_.find(request.set, request.rank)) return own;
  Located located;
  {
    const std::lock_guard lock(mutex_);
    const auto found = located_.find({request.set, request.rank});
    if (found == located_.end()) return error("no keeper has it");
    located = found->second;
  }
  if (const auto room = images_.has_room(located.label.bytes); !room) return error(room.error());
  std::string why = "no keeper has it";
  for (const std::string& addresses : located.at) {
    auto image = fetch(peers_, addresses, located.label);
    if (image) {
      if (const auto added = images_.add(request.set, request.rank, *image, /*complete=*/true); !added)
        return error(added.error());
      return image;
    }
    why = addresses + ": " + image.error();
  }
  return error(why);
}

}  // namespace cppc::keeper
