/// Slurm on an emulated cluster of its own (tests/cluster/slurm).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "job.hpp"

namespace cppc::test {

class Slurm {
 public:
  /// Ends the test program with a message when Slurm does not start where it could.
  explicit Slurm(int nodes);

  /// Why Slurm cannot be tried here (no root, a package that is missing); empty: it runs.
  [[nodiscard]] const std::string& absence() const { return absence_; }
  [[nodiscard]] const Cluster& cluster() const { return cluster_; }

  /// Starts Slurm's daemons on a node that has been powered on again.
  void start_daemons(const std::string& node) const;

  /// A command of user1 or user2 on a node or the head, with Slurm's settings.
  [[nodiscard]] Process start(const std::string& user, const std::string& node,
                              const std::vector<std::string>& command) const;
  [[nodiscard]] Finished run(const std::string& user, const std::string& node,
                             const std::vector<std::string>& command) const;

 private:
  Cluster cluster_;
  std::string absence_;
};

/// Lets this user of the cluster, and root, write to the folder, and everybody read it.
void give_to(const Folder& folder, const std::string& user);

}  // namespace cppc::test
