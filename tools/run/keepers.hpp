/// The keepers of a job (tools/keeper), one per node: sets of images in the memory of its nodes, each image on the node
/// of its rank, and protected from the loss of nodes (protection.hpp). The store of checkpoints for --protect partner
/// and rs:K+M, as store.hpp is that on disk, and of relocations. They are no part of mpirun, and outlive it.
///
/// Functions may wait for the network. Any thread.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "allocation.hpp"
#include "image_set.hpp"
#include "keeper_links.hpp"
#include "protection.hpp"
#include "store.hpp"

namespace cppc::run {

class ImageServer;

class Keepers {
 public:
  struct Settings {
    KeeperLinks::Settings links;
    bool protects = false;            ///< a lost node costs no image; otherwise they are for relocations alone
    std::optional<ErasureCode> code;  ///< by parities; none: by partners
  };

  /// That protect, on all nodes. An error: by its name, when one does not come up, or when there are too few nodes.
  static Result<std::unique_ptr<Keepers>> start(Settings settings, const std::vector<AllocatedNode>& nodes);
  /// Of a job whose cppc-run has ended without a word: those that are left on these nodes, with the sets that they
  /// have. An error when there are none.
  static Result<std::unique_ptr<Keepers>> resume(Settings settings, const std::vector<AllocatedNode>& nodes);
  /// Without protection: begin() starts them.
  Keepers(Settings settings, std::vector<AllocatedNode> nodes);
  ~Keepers();  ///< they end, and all images with them
  Keepers(const Keepers&) = delete;
  Keepers& operator=(const Keepers&) = delete;

  /// They stay, with all images, for another cppc-run to take up the job.
  void leave();

  /// Nodes without one.
  std::vector<AllocatedNode> missing() const;

  bool protects() const { return protects_images_; }

  /// What a set is for. The job goes on from one for a relocation at once: it is protected there, if it cannot be
  /// before.
  enum class Use { checkpoint, relocation };

  /// The number of a new set. Keepers that have ended are started again first.
  Result<std::uint64_t> begin(Use use = Use::checkpoint);

  /// All ranks have written what the manifest lists; `nodes` says where, by rank. Protects the images, and makes the
  /// set complete.
  Result<void> complete(std::uint64_t set, const checkpoint::Manifest& manifest, const std::vector<std::string>& nodes);
  void discard(std::uint64_t set);

  /// All ranks have written what the manifest lists, where `nodes` says: makes files of this machine of it
  /// (gathering.hpp). The set stays as it is.
  Result<void> gather(std::uint64_t set, const checkpoint::Manifest& manifest, const std::vector<std::string>& nodes,
                      const std::filesystem::path& directory);
  /// Whether other nodes of the job do not see this machine's file. One is asked; false, too, when none answers.
  bool is_unseen(const std::filesystem::path& file) const;
  /// The number of a set of the checkpoint's images, which keepers get from this machine when ranks ask for them; 0:
  /// all nodes see the checkpoint themselves. One that has been offered before is discarded. An error: by its name,
  /// when a keeper does not come up.
  Result<std::uint64_t> offer(const checkpoint::Checkpoint& checkpoint);

  /// These nodes are lost, and their keepers. Does not wait.
  void lose(const std::set<std::string>& nodes);

  /// The node is about to leave the job: what its keeper has goes elsewhere, then it ends.
  void vacate(const std::string& node);

  /// The newest complete set of which every image is there, or can be rebuilt; 0: there is none.
  std::uint64_t newest();

  /// The job is about to be started on these nodes, without a set.
  void use(const std::vector<AllocatedNode>& nodes);
  /// The job is about to be started on these nodes, from this set, or from its beginning (0): each has a keeper, which
  /// learns where to get what it does not have. The set is protected again beside the job. `places`: the nodes of its
  /// ranks, if these are known. One thread at a time.
  void prepare_start(std::uint64_t set, const std::vector<AllocatedNode>& nodes,
                     const std::vector<std::string>& places = {});

 private:
  Result<void> take_over(const std::string& node, KeeperLink& link);
  bool revive();
  Result<void> take_up_again(const AllocatedNode& node);
  void replace(const AllocatedNode& node, const std::string& why);
  Result<void> protect(ImageSet& set);
  void protect_again(ImageSet& set, const std::vector<std::string>& places = {});
  void discard_locked(std::uint64_t set);

  const bool protects_images_;
  std::unique_ptr<ImageServer> server_;  // of what is offered; keepers end before it
  KeeperLinks links_;
  mutable std::mutex mutex_;  // one operation at a time
  std::vector<AllocatedNode> nodes_;
  std::unique_ptr<Protection> protection_;  // of what is above
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, Use> begun_;      // sets that are not complete
  std::map<std::uint64_t, ImageSet> sets_;  // complete ones
  std::jthread protects_;
};

}  // namespace cppc::run
