/// The keepers of a job (tools/keeper), one per node: sets of images in the memory of its nodes, each image on the node
/// of its rank and, with partners, on another one. The store of checkpoints for --protect partner, as store.hpp is that
/// on disk, and of hops. They are no part of mpirun, and outlive it.
///
/// Functions may wait for the network. Any thread.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "allocation.hpp"
#include "keeper_link.hpp"
#include "manifest.hpp"

namespace cppc::run {

class Keepers {
 public:
  struct Settings {
    std::string job, key;
    std::string program;  ///< path of cppc-keeper
    /// The command that runs another on a node, without that: "ssh node1"; none where that is this machine.
    std::function<std::vector<std::string>(const AllocatedNode&)> way_to;
    std::chrono::seconds silence;                    ///< after which a node is lost
    std::map<std::string, std::string> environment;  ///< for keepers
    bool partners = false;  ///< images are on two nodes, whichever is lost; otherwise for hops alone
  };

  /// With partners, on all nodes; an error, by the node's name, when one does not come up. At least two nodes.
  static Result<std::unique_ptr<Keepers>> start(Settings settings, const std::vector<AllocatedNode>& nodes);
  /// Of a job whose cppc-run has ended without a word: those that are left on these nodes, with the sets that they
  /// have. An error when there are none.
  static Result<std::unique_ptr<Keepers>> resume(Settings settings, const std::vector<AllocatedNode>& nodes);
  /// Without partners: begin() starts them.
  Keepers(Settings settings, std::vector<AllocatedNode> nodes);
  ~Keepers();  ///< they end, and all images with them
  Keepers(const Keepers&) = delete;
  Keepers& operator=(const Keepers&) = delete;

  /// They stay, with all images, for another cppc-run to take up the job.
  void leave();

  /// Nodes without one.
  std::vector<AllocatedNode> missing() const;

  /// Whether a lost node costs no image.
  bool protects() const { return settings_.partners; }

  /// The number of a new set. Keepers that have ended are started again first.
  Result<std::uint64_t> begin();

  /// All ranks have written what the manifest lists; `nodes` says where, by rank. Brings the images to their partners,
  /// if they have some, and makes the set complete.
  Result<void> complete(std::uint64_t set, const checkpoint::Manifest& manifest, const std::vector<std::string>& nodes);
  void discard(std::uint64_t set);

  /// These nodes are lost, and their keepers. Does not wait.
  void lose(const std::set<std::string>& nodes);

  /// The node is about to leave the job: what its keeper has goes elsewhere, then it ends.
  void vacate(const std::string& node);

  /// The newest complete set of which every image is there; 0: there is none.
  std::uint64_t newest();

  /// The job is about to be started on these nodes, from this set, or from its beginning (0): each has a keeper, which
  /// learns where to get what it does not have. Images of which only one copy is left are copied again, beside the job.
  /// One thread at a time.
  void prepare_start(std::uint64_t set, const std::vector<AllocatedNode>& nodes);

 private:
  struct Set {
    std::vector<checkpoint::RankImage> images;
    std::vector<std::set<std::string>> at;  // nodes, by rank
  };
  using Link = std::shared_ptr<KeeperLink>;

  Result<Link> start_on(const AllocatedNode& node, const std::vector<std::string>& arguments = {}) const;
  Result<void> take_over(const std::string& node, KeeperLink& link);
  bool revive();
  void protect_newest();
  Link link(const std::string& node) const;
  std::map<std::string, Link> all() const;
  std::string partner_of(const std::string& node, const std::set<std::string>& others_than) const;
  Result<void> copy(std::uint64_t set, const nlohmann::json& images, const std::string& from, const std::string& to,
                    const std::function<bool()>& wanted) const;
  Result<void> copy(std::uint64_t set, const std::map<int, std::pair<std::string, std::string>>& from_to, bool written,
                    Set& contents) const;
  bool tell_all(const nlohmann::json& request) const;
  nlohmann::json locations(std::uint64_t set) const;
  void copy_again(std::uint64_t set);
  void begin_beats();
  void beat(const std::stop_token& stop) const;

  const Settings settings_;
  mutable std::mutex links_mutex_;  // never held while waiting
  std::map<std::string, Link> links_;
  std::set<std::string> left_;  // nodes that are not the job's any more since it was started last
  mutable std::mutex mutex_;    // one operation at a time
  std::vector<AllocatedNode> nodes_;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, Set> sets_;  // complete ones
  std::jthread beats_, protects_;
};

}  // namespace cppc::run
