/// A job that is ended after a checkpoint, and goes on from it in another one, with its ranks on other nodes. As in
/// restless.hpp it does not depend on timing: the program holds until the checkpoint is under way, and before its end.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "restless.hpp"

namespace cppc::test {

class RestartedJob {
 public:
  /// `command`, a run of the program that is long enough for as many migrations, on a cluster of kNodes nodes; `folder`
  /// is for its files, `options` are cppc-run's own.
  RestartedJob(const Cluster& cluster, const Folder& folder, const Program& program, std::vector<std::string> command,
               int migrations, unsigned seed, std::vector<std::string> options = {});

  /// What the second job has printed, up to its end.
  Finished run();

  /// What was wrong before.
  [[nodiscard]] const std::string& problems() const { return problems_; }

 private:
  [[nodiscard]] std::vector<std::string> placement(const std::vector<std::string>& own, const std::string& hosts) const;
  bool save(Job& job);
  Finished let_finish(Job& job) const;

  const Cluster* cluster_;
  const std::string go_on_file_, checkpoints_;
  const std::vector<std::string> options_;
  std::vector<std::string> command_;
  std::string problems_;
};

}  // namespace cppc::test
