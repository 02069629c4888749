/// One migration, or checkpoint, from the request to its end.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allocation.hpp"
#include "cppc/plan.hpp"
#include "cppc/wire.hpp"
#include "resource_manager/release.hpp"
#include "store.hpp"
#include "timeline.hpp"

namespace cppc::run {

struct NamedMove {
  int rank = 0;
  std::string from, to;  ///< nodes
};

/// The whole job goes on under another mpirun, with more nodes, and, if they are named, with ranks in other places.
struct RelocationRequest {
  std::vector<AllocatedNode> add;
  plan::Request moves = {};  ///< `ranks` and `to` alone
};

/// Who has asked for a migration, and why, for people.
struct Origin {
  std::string by;         ///< a user's name; empty: not known
  std::string why;        ///< in the words of whoever asked; may be empty
  bool foreign = false;   ///< somebody else than the job's owner
  bool periodic = false;  ///< cppc-run itself, for a checkpoint that is due
};

struct Migration {
  enum class State { queued, prepare, negotiate, freeze, ship, commit, write, done, failed, refused, damaged };
  using Clock = std::chrono::steady_clock;

  std::uint64_t id = 0;
  plan::Request request;
  Origin origin;
  double timeout_s = 60;
  bool keep_node = false;  ///< one that is evacuated is to stay in the resource manager's job
  State state = State::queued;
  std::vector<NamedMove> moves;  ///< as planned last
  std::uint64_t bytes_done = 0, bytes_total = 0;
  wire::Outcome outcome;                   ///< with a reason unless it is done
  std::map<int, std::string> waits_for;    ///< ranks that are late for the negotiation, for people, by agent
  std::vector<std::string> messages;       ///< for people, such as "node1: nothing of this job is left"
  std::optional<checkpoint::Draft> draft;  ///< of a checkpoint, which moves no rank, or of a relocation
  std::optional<RelocationRequest> relocation;
  std::vector<wire::SavedImage> saved;  ///< what its agents have told, by rank, until its end; no bytes: nothing yet
  std::vector<int> saved_by;            ///< which agents, by rank
  std::optional<Release> release;       ///< of the evacuated node, in the job of a resource manager
  Clock::time_point requested = Clock::now();
  std::chrono::system_clock::time_point requested_at = std::chrono::system_clock::now();  ///< for people
  /// The agents have begun; they have reported the end; all is over, the node that is given up included.
  std::optional<Clock::time_point> started, carried_out, ended;
  Timeline timeline;
  bool detailed = true;  ///< the timeline, and the downtime of each rank, are known still

  // For Job::await_watchers().
  int unseen_for = 0;  ///< calls of Job::tick() since somebody asked for it
  bool end_seen = false;

  bool over() const { return state >= State::done; }
  double seconds() const;  ///< since it started, until its end
  void note(const wire::Late& late);
  void end(State how, cppc_status status, std::string reason);
  void drop_details();
};

std::string_view text(Migration::State state);
/// Of the phases in wire::Progress.
std::optional<Migration::State> phase_named(std::string_view name);

}  // namespace cppc::run
