/// What protects the images of a set, each of which its rank has written on its own node, from the loss of nodes:
/// copies on partners, parities, or nothing. One thread at a time.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "image_set.hpp"
#include "keeper_links.hpp"

namespace cppc::run {

class Protection {
 public:
  virtual ~Protection() = default;

  /// Whether the job has enough nodes to be started with it; and enough with keepers for another set.
  virtual Result<void> enough_to_start(std::size_t nodes) const = 0;
  virtual Result<void> enough_to_go_on(std::size_t nodes) const = 0;

  /// All images have been written, each on the one node that `at` has.
  virtual Result<void> protect(ImageSet& set) = 0;

  /// Whether every image is there, or what it can be rebuilt from.
  virtual bool is_whole(const ImageSet& set) const = 0;

  /// Nodes have been lost, or have come: the set, which is complete, is to be protected as well as it can be. `places`:
  /// where the ranks are, if that is known.
  virtual Result<void> protect_again(ImageSet& set, const std::vector<std::string>& places) = 0;

  /// The node, whose keeper is still there, is about to leave the job; what it has goes elsewhere.
  virtual Result<void> vacate(ImageSet& set, const std::string& node) = 0;
};

/// `nodes`: those of the job, in their order.
std::unique_ptr<Protection> protect_by_copies(const KeeperLinks& links, const std::vector<AllocatedNode>& nodes);
std::unique_ptr<Protection> protect_by_parities(const KeeperLinks& links, const std::vector<AllocatedNode>& nodes,
                                                const ErasureCode& code);
/// For sets that are needed while all nodes are there.
std::unique_ptr<Protection> protect_by_nothing(const KeeperLinks& links, const std::vector<AllocatedNode>& nodes);

/// Images from one node to another, by rank; without `to` they stay where they are. `written`: ranks have just done so.
struct Way {
  std::string from, to;
  friend auto operator<=>(const Way&, const Way&) = default;
};
Result<void> copy_images(const KeeperLinks& links, ImageSet& set, const std::map<int, Way>& ways, bool written);

/// Where they have been written: what has arrived there is as the ranks have told, and stays so.
Result<void> seal_images(const KeeperLinks& links, ImageSet& set);

}  // namespace cppc::run
