#include "keepers.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <condition_variable>
#include <future>
#include <iterator>
#include <utility>

#include "cppc/deadlines.hpp"

namespace cppc::run {
namespace {

using nlohmann::json;
using tools::error;
using namespace std::chrono_literals;

constexpr auto patience_to_start = 20s;
constexpr auto patience = 5s;  // with answers that keepers need not work for
constexpr std::size_t kept = 2;
constexpr int tries = 3;

json to_json(int rank, const checkpoint::RankImage& image) {
  return {{"rank", rank}, {"bytes", image.bytes}, {"xxh3", image.xxh3}};
}

// For a shell on the node.
std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

Keepers::Keepers(Settings settings, std::vector<AllocatedNode> nodes)
    : settings_(std::move(settings)), nodes_(std::move(nodes)) {}

Result<std::unique_ptr<Keepers>> Keepers::start(Settings settings, const std::vector<AllocatedNode>& nodes) {
  if (nodes.size() < 2)
    return error("--protect partner needs two nodes or more: a copy on the same node protects nothing");
  std::unique_ptr<Keepers> keepers(new Keepers(std::move(settings), nodes));
  std::vector<std::future<Result<Link>>> started;
  for (const AllocatedNode& node : nodes)
    started.push_back(std::async(std::launch::async, [&] { return keepers->start_on(node); }));
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    auto link = started[i].get();
    if (!link) return error("no keeper on " + nodes[i].name + ": " + link.error());
    keepers->links_[nodes[i].name] = *std::move(link);
  }
  keepers->begin_beats();
  return keepers;
}

Keepers::~Keepers() {
  beats_ = {};
  protects_ = {};
  std::vector<std::future<void>> ends;
  for (const auto& [node, link] : all())
    ends.push_back(std::async(std::launch::async, [link = link] { link->quit(); }));
}

Result<Keepers::Link> Keepers::start_on(const AllocatedNode& node, const std::vector<std::string>& arguments) const {
  std::vector<std::string> command = settings_.way_to(node);
  const bool by_shell = !command.empty();
  command.push_back(by_shell ? quoted(settings_.program) : settings_.program);
  command.insert(command.end(), arguments.begin(), arguments.end());
  const json first{{"job", settings_.job},
                   {"key", settings_.key},
                   {"silence_s", settings_.silence.count()},
                   {"environment", settings_.environment},
                   {"outlives", settings_.partners}};
  auto link = KeeperLink::start(command, first, patience_to_start);
  if (!link) return error(std::move(link).error());
  return Link(*std::move(link));
}

void Keepers::begin_beats() {
  if (!beats_.joinable()) beats_ = std::jthread([this](const std::stop_token& stop) { beat(stop); });
}

// A keeper that hears nothing for long takes cppc-run for dead.
void Keepers::beat(const std::stop_token& stop) const {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  while (!stopped.wait_for(lock, stop, deadlines::keep() / 4.0, [] { return false; }) && !stop.stop_requested())
    tell_all({{"do", "ping"}});
}

Keepers::Link Keepers::link(const std::string& node) const {
  const std::lock_guard lock(links_mutex_);
  const auto found = links_.find(node);
  return found != links_.end() && found->second->alive() ? found->second : nullptr;
}

std::map<std::string, Keepers::Link> Keepers::all() const {
  const std::lock_guard lock(links_mutex_);
  std::map<std::string, Link> alive;
  for (const auto& [node, link] : links_)
    if (link->alive()) alive.emplace(node, link);
  return alive;
}

// At the same time; who does not answer is lost. Whether all have.
bool Keepers::tell_all(const json& request) const {
  std::vector<std::future<bool>> told;
  for (const auto& [node, link] : all())
    told.push_back(std::async(std::launch::async, [node = node, link = link, &request] {
      const auto answer = link->ask(request, patience);
      if (answer) return true;
      spdlog::warn("{}: {}", node, answer.error());
      link->lose();
      return false;
    }));
  bool all_have = true;
  for (auto& one : told) all_have = one.get() && all_have;
  return all_have;
}

// Images that it had are lost; others of the sets are still there. Whether there was one to start.
bool Keepers::revive() {
  std::vector<std::pair<std::string, std::future<Result<Link>>>> started;
  for (const AllocatedNode& node : nodes_) {
    if (link(node.name) != nullptr) continue;
    Link before;  // a keeper that is still there ends with its connection
    {
      const std::lock_guard lock(links_mutex_);
      if (left_.contains(node.name)) continue;
      if (auto old = links_.extract(node.name)) before = std::move(old.mapped());
    }
    before.reset();
    started.emplace_back(node.name, std::async(std::launch::async, [&, this] { return start_on(node); }));
  }
  for (auto& [node, future] : started) {
    auto link = future.get();
    for (auto& [number, set] : sets_)
      for (auto& nodes : set.at) nodes.erase(node);
    if (!link) {
      spdlog::warn("no keeper on {}: {}", node, link.error());
      continue;
    }
    const std::lock_guard lock(links_mutex_);
    links_[node] = *std::move(link);
  }
  return !started.empty();
}

void Keepers::protect_newest() {
  if (settings_.partners && !sets_.empty()) copy_again(sets_.rbegin()->first);
}

Result<std::uint64_t> Keepers::begin() {
  const std::lock_guard lock(mutex_);
  if (revive()) protect_newest();
  if (settings_.partners && all().size() < 2) return error("no other node is left that could have copies of images");
  begin_beats();
  while (sets_.size() > 1) sets_.erase(sets_.begin());
  tell_all({{"do", "begin"}, {"set", ++last_}});
  return last_;
}

// The next node, in the order of the allocation, with a keeper; empty: there is none.
std::string Keepers::partner_of(const std::string& node, const std::set<std::string>& others_than) const {
  const auto own = std::ranges::find(nodes_, node, &AllocatedNode::name) - nodes_.begin();
  const auto count = static_cast<std::ptrdiff_t>(nodes_.size());
  for (std::ptrdiff_t i = 1; i < count; ++i) {
    const std::string& next = nodes_[static_cast<std::size_t>((own + i) % count)].name;
    if (!others_than.contains(next) && link(next) != nullptr) return next;
  }
  return "";
}

// Without `to`, the images stay where they have been written.
Result<void> Keepers::copy(std::uint64_t set, const json& images, const std::string& from, const std::string& to,
                           const std::function<bool()>& wanted) const {
  const Link source = link(from), target = link(to);
  if (source == nullptr || (target == nullptr && !to.empty()))
    return error("a keeper has ended, on " + (source == nullptr ? from : to));
  json request{{"do", "copy"}, {"set", set}, {"images", images}, {"to", ""}};
  if (target != nullptr) request["to"] = target->addresses();
  const auto done = source->ask(request, deadlines::ship(), wanted);
  if (done) return {};
  return error(from + (to.empty() ? "" : ", to " + to) + ": " + done.error());
}

// All at a time, one after the other of each node; given up when one fails.
Result<void> Keepers::copy(std::uint64_t set, const std::map<int, std::pair<std::string, std::string>>& from_to,
                           bool written, Set& contents) const {
  std::map<std::pair<std::string, std::string>, json> requests;
  for (const auto& [rank, way] : from_to) {
    json image = to_json(rank, contents.images[static_cast<std::size_t>(rank)]);
    image["written"] = written;
    requests[way].push_back(std::move(image));
  }
  std::atomic<bool> failed = false;
  std::vector<std::future<Result<void>>> copies;
  for (const auto& [way, images] : requests)
    copies.push_back(std::async(std::launch::async, [&, this]() -> Result<void> {
      const auto done = copy(set, images, way.first, way.second, [&] { return !failed; });
      if (!done) failed = true;
      return done;
    }));
  std::string why;
  for (auto& one : copies)
    if (const auto done = one.get(); !done && (why.empty() || why.ends_with("given up"))) why = done.error();
  if (!why.empty()) return error(why);
  for (const auto& [rank, way] : from_to) {
    auto& at = contents.at[static_cast<std::size_t>(rank)];
    at.insert(way.first);
    if (!way.second.empty()) at.insert(way.second);
  }
  return {};
}

Result<void> Keepers::complete(std::uint64_t set, const checkpoint::Manifest& manifest,
                               const std::vector<std::string>& nodes) {
  const std::lock_guard lock(mutex_);
  Set contents{manifest.images, std::vector<std::set<std::string>>(manifest.images.size())};
  std::map<int, std::pair<std::string, std::string>> from_to;
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
    const std::string partner = settings_.partners ? partner_of(nodes[rank], {}) : "";
    if (partner.empty() && settings_.partners)
      return error("no other node than " + nodes[rank] + " is left that could have copies of images");
    from_to[static_cast<int>(rank)] = {nodes[rank], partner};
  }
  if (const auto copied = copy(set, from_to, /*written=*/true, contents); !copied) return copied;
  sets_[set] = std::move(contents);
  while (sets_.size() > kept) sets_.erase(sets_.begin());
  if (tell_all({{"do", "complete"}, {"set", set}, {"ranks", nodes.size()}})) return {};
  if (!settings_.partners) return error("a keeper has ended, and images with it");
  revive();
  copy_again(set);
  return {};
}

void Keepers::discard(std::uint64_t set) {
  const std::lock_guard lock(mutex_);
  sets_.erase(set);
  tell_all({{"do", "discard"}, {"set", set}});
}

void Keepers::lose(const std::set<std::string>& nodes) {
  const std::lock_guard lock(links_mutex_);
  for (const std::string& node : nodes) {
    left_.insert(node);
    if (const auto found = links_.find(node); found != links_.end()) found->second->lose();
  }
}

void Keepers::vacate(const std::string& node) {
  const Link its = link(node);
  {
    const std::lock_guard lock(links_mutex_);
    left_.insert(node);
  }
  if (its == nullptr) return;
  const std::lock_guard lock(mutex_);
  for (auto& [number, set] : sets_) {
    std::map<int, std::pair<std::string, std::string>> from_to;
    for (std::size_t rank = 0; rank < set.at.size(); ++rank)
      if (set.at[rank].contains(node))
        if (const std::string to = partner_of(node, set.at[rank]); !to.empty())
          from_to[static_cast<int>(rank)] = {node, to};
    if (const auto copied = copy(number, from_to, /*written=*/false, set); !copied)
      spdlog::warn("images on {} have no other copy now: {}", node, copied.error());
    for (auto& nodes : set.at) nodes.erase(node);
  }
  its->quit();
  its->lose();
}

std::uint64_t Keepers::newest() {
  const std::lock_guard lock(mutex_);
  tell_all({{"do", "ping"}});
  const auto alive = all();
  const auto is_there = [&](const std::set<std::string>& nodes) {
    return std::ranges::any_of(nodes, [&](const std::string& node) { return alive.contains(node); });
  };
  for (auto set = sets_.rbegin(); set != sets_.rend(); ++set)
    if (std::ranges::all_of(set->second.at, is_there)) return set->first;
  return 0;
}

json Keepers::locations(std::uint64_t set) const {
  const Set& contents = sets_.at(set);
  json images = json::array();
  for (std::size_t rank = 0; rank < contents.images.size(); ++rank) {
    json image = to_json(static_cast<int>(rank), contents.images[rank]);
    image["at"] = json::array();
    for (const std::string& node : contents.at[rank])
      if (const Link its = link(node)) image["at"].push_back(its->addresses());
    images.push_back(std::move(image));
  }
  return {{"do", "locate"}, {"set", set}, {"images", std::move(images)}};
}

void Keepers::prepare_start(std::uint64_t set, const std::vector<AllocatedNode>& nodes) {
  protects_ = {};  // of the start before; needs the lock
  const std::lock_guard lock(mutex_);
  {
    const std::lock_guard links_lock(links_mutex_);
    left_.clear();
  }
  nodes_ = nodes;
  for (int i = 0; i < tries; ++i) {
    revive();
    if (!sets_.contains(set)) return;
    if (tell_all(locations(set))) break;
  }
  if (!settings_.partners) return;
  protects_ = std::jthread([this, set] {
    const std::lock_guard beside(mutex_);
    if (sets_.contains(set)) copy_again(set);
  });
}

// Images of which only one copy is left.
void Keepers::copy_again(std::uint64_t number) {
  Set& set = sets_.at(number);
  const auto alive = all();
  std::map<int, std::pair<std::string, std::string>> from_to;
  for (std::size_t rank = 0; rank < set.at.size(); ++rank) {
    std::erase_if(set.at[rank], [&](const std::string& node) { return !alive.contains(node); });
    if (set.at[rank].size() != 1) continue;
    const std::string from = *set.at[rank].begin();
    if (const std::string to = partner_of(from, set.at[rank]); !to.empty())
      from_to[static_cast<int>(rank)] = {from, to};
  }
  if (const auto copied = copy(number, from_to, /*written=*/false, set); !copied)
    spdlog::warn("images have no other copy until the next checkpoint: {}", copied.error());
}

}  // namespace cppc::run
