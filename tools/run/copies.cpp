#include <algorithm>

#include "protection.hpp"

namespace cppc::run {
namespace {

using nlohmann::json;
using tools::error;

/// With partners each image is on the node of its rank and on the next one.
class Copies : public Protection {
 public:
  Copies(const KeeperLinks& links, const std::vector<AllocatedNode>& nodes, bool partners)
      : links_(links), nodes_(nodes), partners_(partners) {}

  Result<void> enough_to_start(std::size_t nodes) const override {
    if (!partners_ || nodes >= 2) return {};
    return error("--protect partner needs two nodes or more: a copy on the same node protects nothing");
  }

  Result<void> enough_to_go_on(std::size_t nodes) const override {
    if (!partners_ || nodes >= 2) return {};
    return error("no other node is left that could have copies of images");
  }

  Result<void> protect(ImageSet& set) override {
    if (!partners_) return seal_images(links_, set);
    std::map<int, Way> ways;
    for (std::size_t rank = 0; rank < set.at.size(); ++rank) {
      const std::string& node = *set.at[rank].begin();
      const std::string partner = partner_of(node, {});
      if (partner.empty()) return error("no other node than " + node + " is left that could have copies of images");
      ways[static_cast<int>(rank)] = {node, partner};
    }
    return copy_images(links_, set, ways, /*written=*/true);
  }

  bool is_whole(const ImageSet& set) const override {
    const auto alive = links_.all();
    return std::ranges::all_of(set.at, [&](const std::set<std::string>& nodes) {
      return std::ranges::any_of(nodes, [&](const std::string& node) { return alive.contains(node); });
    });
  }

  // Images of which only one copy is left.
  Result<void> protect_again(ImageSet& set, const std::vector<std::string>& /*places*/) override {
    if (!partners_) return {};
    const auto alive = links_.all();
    if (auto enough = enough_to_go_on(alive.size()); !enough) return enough;
    std::map<int, Way> ways;
    for (std::size_t rank = 0; rank < set.at.size(); ++rank) {
      std::erase_if(set.at[rank], [&](const std::string& node) { return !alive.contains(node); });
      if (set.at[rank].size() == 1) add_way(ways, set, rank, *set.at[rank].begin());
    }
    return copy_images(links_, set, ways, /*written=*/false);
  }

  Result<void> vacate(ImageSet& set, const std::string& node) override {
    std::map<int, Way> ways;
    for (std::size_t rank = 0; rank < set.at.size(); ++rank)
      if (set.at[rank].contains(node)) add_way(ways, set, rank, node);
    return copy_images(links_, set, ways, /*written=*/false);
  }

 private:
  void add_way(std::map<int, Way>& ways, const ImageSet& set, std::size_t rank, const std::string& from) const {
    if (const std::string to = partner_of(from, set.at[rank]); !to.empty()) ways[static_cast<int>(rank)] = {from, to};
  }

  // The next node, in the order of the allocation, with a keeper; empty: there is none.
  std::string partner_of(const std::string& node, const std::set<std::string>& others_than) const {
    const auto own = std::ranges::find(nodes_, node, &AllocatedNode::name) - nodes_.begin();
    const auto count = static_cast<std::ptrdiff_t>(nodes_.size());
    for (std::ptrdiff_t i = 1; i < count; ++i) {
      const std::string& next = nodes_[static_cast<std::size_t>((own + i) % count)].name;
      if (!others_than.contains(next) && links_.link(next) != nullptr) return next;
    }
    return "";
  }

  const KeeperLinks& links_;
  const std::vector<AllocatedNode>& nodes_;
  const bool partners_;
};

}  // namespace

std::unique_ptr<Protection> protect_by_copies(const KeeperLinks& links, const std::vector<AllocatedNode>& nodes) {
  return std::make_unique<Copies>(links, nodes, /*partners=*/true);
}

std::unique_ptr<Protection> protect_by_nothing(const KeeperLinks& links, const std::vector<AllocatedNode>& nodes) {
  return std::make_unique<Copies>(links, nodes, /*partners=*/false);
}

// All ways at a time, one image after the other on each.
Result<void> copy_images(const KeeperLinks& links, ImageSet& set, const std::map<int, Way>& ways, bool written) {
  std::map<Way, json> images;
  for (const auto& [rank, way] : ways) {
    json image = label_json(set, static_cast<std::size_t>(rank));
    image["written"] = written;
    images[way].push_back(std::move(image));
  }
  std::vector<KeeperLinks::Task> tasks;
  for (const auto& [way, its] : images) {
    const auto target = way.to.empty() ? nullptr : links.link(way.to);
    if (target == nullptr && !way.to.empty()) return error("a keeper has ended, on " + way.to);
    tasks.push_back(
        {way.from,
         {{"do", "copy"}, {"set", set.number}, {"images", its}, {"to", target == nullptr ? "" : target->addresses()}},
         way.to});
  }
  if (auto done = links.run(tasks); !done) return done;
  for (const auto& [rank, way] : ways)
    if (!way.to.empty()) set.at[static_cast<std::size_t>(rank)].insert(way.to);
  return {};
}

Result<void> seal_images(const KeeperLinks& links, ImageSet& set) {
  std::map<int, Way> ways;
  for (std::size_t rank = 0; rank < set.at.size(); ++rank) ways[static_cast<int>(rank)] = {*set.at[rank].begin(), ""};
  return copy_images(links, set, ways, /*written=*/true);
}

}  // namespace cppc::run
