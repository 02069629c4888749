/// One migration, or checkpoint, of one job, from the request to its end.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "exit.hpp"
#include "job_client.hpp"

namespace cppc::migrate {

struct Request {
  std::vector<int> ranks;                 ///< or:
  std::string evacuate;                   ///< or:
  std::optional<std::string> checkpoint;  ///< an absolute path; empty: as cppc-run was told
  std::vector<std::string> add;           ///< nodes that come to the job; with ranks, those go to them; or:
  std::string restore;                    ///< a node that gets back what has left it
  std::string images;                     ///< for these: a directory, absolute; empty: that of checkpoints
  std::vector<std::string> to;
  std::vector<std::string> avoid;
  std::string why;         ///< for the owners of the jobs
  bool keep_node = false;  ///< in the job of a resource manager
  bool dry_run = false;
  bool json = false;
  std::optional<double> timeout_s;
};

/// How a request ended.
struct Ending {
  Exit how = Exit::done;
  std::string reason;     ///< for people; empty when done
  nlohmann::json answer;  ///< the migration as the job described it last, a dry run's moves, or {"error"}
};

class MigrationRequest {
 public:
  /// `job` has to outlive it; its client has the deadline.
  MigrationRequest(const RunningJob& job, Request request) : job_(job), request_(std::move(request)) {}

  /// Asks the job: for the migration, then how it comes along, at intervals of the caller's. Cancels it when time is
  /// up.
  void poll();

  const RunningJob& job() const { return job_; }
  const Request& request() const { return request_; }
  bool accepted() const { return id_ != 0; }
  const nlohmann::json& migration() const { return migration_; }  ///< once it is accepted, as described last
  const std::optional<Ending>& ending() const { return ending_; }

  /// What moves where, once it is accepted, and again when it has been planned anew, as its turn has come; empty: as
  /// before. "migration 1 of job heat-1f3a5b7d: rank 5: node1 -> node2"
  std::string announcement();

 private:
  void ask();
  void follow();
  void end(Exit how, const std::string& reason);
  void conclude();

  const RunningJob& job_;
  Request request_;
  bool cancelled_ = false;
  std::uint64_t id_ = 0;
  nlohmann::json migration_;
  std::optional<std::string> announced_;  ///< moves
  std::optional<Ending> ending_;
};

/// Moves ranks of one job, or has it make a checkpoint. Says on stdout what happens, and on stderr what went wrong.
Exit carry_out(const RunningJob& job, const Request& request);

/// Prints what there is to announce.
void announce(MigrationRequest& one);
void complain(const std::string& what);
void print_json(const nlohmann::json& body);
/// "done in 0.52 s: 64 MB moved, ranks stood still for 12 ms"
std::string result(const nlohmann::json& migration);

}  // namespace cppc::migrate
