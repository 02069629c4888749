/// `migrate --evacuate`: a node is emptied of all jobs that the caller may move, or of one of them.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <set>
#include <string>

#include "migration_request.hpp"
#include "progress.hpp"

namespace cppc::migrate {

class Evacuation {
 public:
  struct Scope {
    std::function<Result<RunningJobs>()> look;  ///< the jobs that run now, as far as they can be seen
    std::string job;                            ///< only this one is to leave; empty: all
    bool sees_all = true;                       ///< of the caller's jobs that were started on this machine
  };

  Evacuation(Scope scope, Request request) : scope_(std::move(scope)), request_(std::move(request)) {}

  /// Says on stdout what happens and whether the node may be powered off, and on stderr what went wrong.
  Exit run();

 private:
  /// What is left on the node.
  struct Verdict {
    Exit how = Exit::done;
    std::string text;
    std::vector<std::string> left, silent, controllers;
    std::set<std::string> kept;  ///< why it is in jobs of resource managers
  };

  void learn_names(const std::vector<RunningJob>& jobs);
  bool is_meant(const nlohmann::json& node) const;
  const nlohmann::json* node_of(const RunningJob& job) const;
  bool stays(const RunningJob& job) const;
  bool may_be_released(const RunningJob& job) const;
  Exit give_up(const std::string& reason, Exit how) const;
  void choose(const std::vector<RunningJob>& jobs);
  void follow();
  void show(MigrationRequest& one);
  Verdict judge() const;
  Exit still_allocated(const std::vector<RunningJob>& jobs, std::set<std::string>& why) const;
  static void conclude(Verdict& verdict, Exit allocated);
  Exit worst(const std::vector<std::string>& left) const;
  std::string label(const MigrationRequest& one) const;
  nlohmann::json answers() const;
  void report(const MigrationRequest& one, const Verdict& verdict) const;
  void print(const Verdict& verdict) const;
  Exit report_plan() const;

  Scope scope_;
  Request request_;
  std::set<std::string> names_;  // of the node, without domains: as jobs and as it calls itself
  std::list<MigrationRequest> requests_;
  std::map<std::string, Progress> progress_;  // by job
};

}  // namespace cppc::migrate
