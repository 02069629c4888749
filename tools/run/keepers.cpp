#include "keepers.hpp"

#include <spdlog/spdlog.h>

#include <utility>

#include "cppc/fault.hpp"
#include "image_server.hpp"

namespace cppc::run {
namespace {

using nlohmann::json;
using tools::error;

constexpr std::size_t kept = 2;
constexpr int tries = 3;

std::unique_ptr<Protection> make_protection(const KeeperLinks& links, const std::vector<AllocatedNode>& nodes,
                                            bool protects, const std::optional<ErasureCode>& code) {
  if (!protects) return protect_by_nothing(links, nodes);
  return code ? protect_by_parities(links, nodes, *code) : protect_by_copies(links, nodes);
}

}  // namespace

Keepers::Keepers(Settings settings, std::vector<AllocatedNode> nodes)
    : protects_images_(settings.protects),
      links_(std::move(settings.links)),
      nodes_(std::move(nodes)),
      protection_(make_protection(links_, nodes_, settings.protects, settings.code)) {}

Result<std::unique_ptr<Keepers>> Keepers::start(Settings settings, const std::vector<AllocatedNode>& nodes) {
  auto keepers = std::make_unique<Keepers>(std::move(settings), nodes);
  if (const auto enough = keepers->protection_->enough_to_start(nodes.size()); !enough) return error(enough.error());
  for (auto& [node, link] : keepers->links_.start_on(nodes)) {
    if (!link) return error("no keeper on " + node + ": " + link.error());
    keepers->links_.add(node, *std::move(link));
  }
  keepers->links_.begin_beats();
  return keepers;
}

// Who protects a set needs the links.
Keepers::~Keepers() { protects_ = {}; }

// Images that it had are lost; others of the sets are still there. Whether there was one to start.
bool Keepers::revive() {
  const auto without = links_.without_keeper(nodes_);
  auto started = links_.start_on(without);
  for (std::size_t i = 0; i < without.size(); ++i) {
    auto& [node, link] = started[i];
    for (auto& [number, set] : sets_) forget(set, node);
    if (link)
      links_.add(node, *std::move(link));
    else if (const auto again = take_up_again(without[i]); !again)
      replace(without[i], link.error() == again.error() ? link.error() : link.error() + " (" + again.error() + ")");
  }
  return !started.empty();
}

// One that is there and answers nobody would keep its node, and so the job, from having checkpoints.
void Keepers::replace(const AllocatedNode& node, const std::string& why) {
  auto link = links_.start_on({node}, {"--replace"}).front().second;
  if (!link) return spdlog::warn("no keeper on {}: {}", node.name, why);
  spdlog::warn("{}: its keeper does not answer, and another one takes its place", node.name);
  links_.add(node.name, *std::move(link));
}

void Keepers::protect_again(ImageSet& set, const std::vector<std::string>& places) {
  if (!protects_images_) return;
  if (const auto done = protection_->protect_again(set, places); done)
    spdlog::info("memory:{} is protected again", set.number);
  else
    spdlog::warn("memory:{} cannot be protected from the loss of another node: {}", set.number, done.error());
}

Result<std::uint64_t> Keepers::begin(Use use) {
  const std::lock_guard lock(mutex_);
  links_.ask_all({{"do", "ping"}});  // one that does not answer is replaced
  if (revive() && !sets_.empty()) protect_again(sets_.rbegin()->second);
  const auto enough = protection_->enough_to_go_on(links_.all().size());
  if (!enough && use == Use::checkpoint) return error(enough.error());
  links_.begin_beats();
  while (sets_.size() > 1) sets_.erase(sets_.begin());
  links_.ask_all({{"do", "begin"}, {"set", ++last_}});
  begun_.emplace(last_, use);
  return last_;
}

Result<void> Keepers::protect(ImageSet& set) {
  const auto begun = begun_.find(set.number);
  const bool is_for_relocation = begun != begun_.end() && begun->second == Use::relocation;
  if (is_for_relocation && !protection_->enough_to_go_on(links_.all().size())) return seal_images(links_, set);
  return protection_->protect(set);
}

Result<void> Keepers::complete(std::uint64_t set, const checkpoint::Manifest& manifest,
                               const std::vector<std::string>& nodes) {
  const std::lock_guard lock(mutex_);
  ImageSet contents{set, manifest.images, {}, {}};
  for (const std::string& node : nodes) contents.at.push_back({node});
  if (auto done = protect(contents); !done) return done;
  sets_[set] = std::move(contents);
  begun_.erase(set);
  while (sets_.size() > kept) sets_.erase(sets_.begin());
  if (links_.ask_all({{"do", "complete"}, {"set", set}, {"ranks", nodes.size()}})) return {};
  if (!protects_images_) return error("a keeper has ended, and images with it");
  revive();
  protect_again(sets_.at(set));
  return {};
}

void Keepers::discard(std::uint64_t set) {
  const std::lock_guard lock(mutex_);
  discard_locked(set);
}

void Keepers::discard_locked(std::uint64_t set) {
  sets_.erase(set);
  begun_.erase(set);
  links_.ask_all({{"do", "discard"}, {"set", set}});
  if (server_ != nullptr && server_->set() == set) server_.reset();
}

void Keepers::lose(const std::set<std::string>& nodes) { links_.lose(nodes); }

void Keepers::vacate(const std::string& node) {
  const auto its = links_.link(node);
  links_.leave_out(node);
  if (its == nullptr) return;
  const std::lock_guard lock(mutex_);
  for (auto& [number, set] : sets_) {
    if (const auto done = protection_->vacate(set, node); !done)
      spdlog::warn("memory:{} cannot be protected from the loss of another node: {}", number, done.error());
    forget(set, node);
  }
  its->quit();
  its->lose();
}

std::uint64_t Keepers::newest() {
  const std::lock_guard lock(mutex_);
  links_.ask_all({{"do", "ping"}});
  for (auto set = sets_.rbegin(); set != sets_.rend(); ++set)
    if (protection_->is_whole(set->second)) return set->first;
  return 0;
}

void Keepers::prepare_start(std::uint64_t set, const std::vector<AllocatedNode>& nodes,
                            const std::vector<std::string>& places) {
  protects_ = {};  // of the start before; needs the lock
  const std::lock_guard lock(mutex_);
  links_.use_all_again();
  nodes_ = nodes;
  (void)fault::at("controller-restart");
  for (int i = 0; i < tries; ++i) {
    revive();
    if (!sets_.contains(set) || links_.ask_all(locate_request(sets_.at(set), links_))) break;
  }
  // Of a checkpoint that waits for this start: keepers of new nodes have not heard of it.
  for (const auto& [number, use] : begun_) links_.ask_all({{"do", "begin"}, {"set", number}});
  if (!protects_images_ || !sets_.contains(set)) return;
  protects_ = std::jthread([this, set, places] {
    const std::lock_guard beside(mutex_);
    if (const auto found = sets_.find(set); found != sets_.end()) protect_again(found->second, places);
  });
}

}  // namespace cppc::run
