/// Faults in the middle of a migration, of a checkpoint in memory or of a recovery, by the fault points of
/// cppc/fault.hpp, and what becomes of the job.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace cppc::test {

enum class Fate {
  rolled_back,  ///< the job went on as before
  committed,    ///< the job went on, moved or with a new checkpoint
  ended,        ///< the job ended with an error
  recovered,    ///< the job was started again from its last checkpoint, and went on
};

const char* text(Fate fate);

/// Of `migrate` when it has waited long enough.
inline constexpr int timeout_status = 124;

/// How places of cppc-run's begin, and those of an agent that stands in for one that has died.
inline constexpr std::string_view controller_places = "controller-", substitute_places = "substitute-";

/// What must become of a job.
struct Expectation {
  Fate fate = Fate::committed;
  int status = 0;         ///< of `migrate`
  std::string message{};  ///< what it or the job says: a regular expression; empty: nothing
  /// The node whose agent is lost, so that it takes no part in another migration.
  std::string lost{};
};

/// `place` and `action` are a fault point's, or one of
///   PMIx_FUNCTION:kill, :hang  in a replacement, inside MPI_Init, after this function
///   network-STEP:cut    nothing gets through between the two nodes from this step of the migration on (chunk: the
///   image's first), for
///                       a while
///   node-STEP:off       the target's node is powered off at this step
///   controller-STEP:stop  cppc-run is stopped at this step, and continued later
///   target-node:full    the shared memory of the target's node is full
/// A fault strikes once.
struct FaultCase {
  /// Rank 1 to node2, or all of node0 there. Of a job with a checkpoint in memory: another one; or nodes are lost, and
  /// it is started again.
  enum class Request { move, evacuate, checkpoint, recover };

  std::string place;
  std::string action;
  Expectation expected{};
  Request request = Request::move;
  bool shipped_deadlines = false;  ///< those that users have; else short ones
  bool recovers = false;           ///< the job has a checkpoint in memory, and may be started again from it
  /// Of images in memory, as --protect has it; rs:2+2: both nodes with ranks are lost, otherwise one.
  std::string protection = "partner";

  [[nodiscard]] std::string name() const;
  /// Whether it fails in a checkpoint, or when the job is started again.
  [[nodiscard]] bool is_about_checkpoints() const {
    return request == Request::checkpoint || request == Request::recover;
  }
};

/// For googletest, which puts it into the name of a test.
void PrintTo(const FaultCase& one, std::ostream* out);

struct FaultResult {
  bool struck = false;  ///< the fault
  Fate fate = Fate::ended;
  int status = 0;        ///< of `migrate`
  double seconds = 0;    ///< from the request to its answer, or to the job's end or next start
  bool right = true;     ///< the program's result is that of an undisturbed run; true when the job had ended
  bool whole = true;     ///< when a node was lost afterwards, the job went on from the checkpoint that it had to have
  bool retried = true;   ///< after a rollback, or a checkpoint, a second one ended as it has to; true without these
  std::string left;      ///< processes and shared memory that are there afterwards
  int images = 0;        ///< last images of ranks that were moving, which are named and good
  std::string messages;  ///< by `migrate` and the job

  /// Whether the job ended although it need not, or did not although it must, or was left without its checkpoint.
  [[nodiscard]] bool lost(const FaultCase& one) const;
  /// Whether fate, status or message are others than expected.
  [[nodiscard]] bool unexpected(const FaultCase& one) const;
  /// Whether a last image is missing: there was time for it. Otherwise mpirun leaves a second.
  [[nodiscard]] bool forgot(const FaultCase& one) const;
  /// All that is wrong, a line each; empty: nothing.
  [[nodiscard]] std::string wrong(const FaultCase& one) const;
};

/// Every place x action that makes sense, for a move and for an evacuation; some once more with the deadlines that
/// users have; those that end a job once more with one that recovers; and those of a checkpoint and of a recovery.
std::vector<FaultCase> all_fault_cases();

/// On a cluster of its own.
FaultResult run(const FaultCase& one);

}  // namespace cppc::test
