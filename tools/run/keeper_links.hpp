/// The connections to the keepers of a job, by node: which are there, and requests to many of them. Any thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "allocation.hpp"
#include "keeper_link.hpp"
#include "seen_files.hpp"

namespace cppc::run {

class KeeperLinks {
 public:
  struct Settings {
    std::string job, key;
    std::string program;  ///< path of cppc-keeper
    WayTo way_to;
    std::chrono::seconds silence;                    ///< after which a node is lost
    std::map<std::string, std::string> environment;  ///< for keepers
    bool outlive = false;                            ///< they wait for another cppc-run when this one has gone
  };
  using Link = std::shared_ptr<KeeperLink>;

  explicit KeeperLinks(Settings settings) : settings_(std::move(settings)) {}
  ~KeeperLinks();  ///< the keepers end
  KeeperLinks(const KeeperLinks&) = delete;
  KeeperLinks& operator=(const KeeperLinks&) = delete;

  const Settings& settings() const { return settings_; }

  /// Starts keepers on these nodes at the same time, with these arguments; what became of each. They are not used
  /// before add().
  using Started = std::vector<std::pair<std::string, Result<Link>>>;
  Started start_on(const std::vector<AllocatedNode>& nodes, const std::vector<std::string>& arguments = {}) const;
  void add(const std::string& node, Link link);

  /// Those of the nodes that have no keeper, and are not to be left out. Connections to keepers that they had end.
  std::vector<AllocatedNode> without_keeper(const std::vector<AllocatedNode>& nodes);

  /// From now on they are all told now and then that cppc-run is still there.
  void begin_beats();
  /// No more requests; the keepers stay.
  void let_go();

  /// None: it is not there.
  Link link(const std::string& node) const;
  std::map<std::string, Link> all() const;

  /// At the same time; who does not answer is lost. Whether all have.
  bool ask_all(const nlohmann::json& request) const;

  struct Task {
    std::string node;
    nlohmann::json request;
    std::string with = {};  ///< another node, for the message when it fails
  };
  /// At the same time, for as long as an image may travel; given up when one fails.
  Result<void> run(const std::vector<Task>& tasks) const;

  /// These nodes are lost, and their keepers.
  void lose(const std::set<std::string>& nodes);
  /// The node is not the job's any more: no keeper is started there, until all are used again.
  void leave_out(const std::string& node);
  bool is_left_out(const std::string& node) const;
  void use_all_again();

 private:
  Result<Link> start_one(const AllocatedNode& node, const std::vector<std::string>& arguments) const;
  void beat(const std::stop_token& stop) const;

  const Settings settings_;
  mutable std::mutex mutex_;  // never held while waiting
  std::map<std::string, Link> links_;
  std::set<std::string> left_out_;
  std::jthread beats_;
};

}  // namespace cppc::run
