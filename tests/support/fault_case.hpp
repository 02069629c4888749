/// Faults in the middle of a migration, by the fault points of cppc/fault.hpp, and what becomes of the job.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace cppc::test {

enum class Fate {
  rolled_back,  ///< the job went on as before
  committed,    ///< the job went on, moved
  ended,        ///< the job ended with an error
  recovered,    ///< the job was started again from its last checkpoint, and went on
};

const char* text(Fate fate);

/// Of `migrate` when it has waited long enough.
inline constexpr int timeout_status = 124;

/// How places of cppc-run's begin.
inline constexpr std::string_view controller_places = "controller-";

/// What must become of a job.
struct Expectation {
  Fate fate = Fate::committed;
  int status = 0;         ///< of `migrate`; not looked at when the job recovers
  std::string message{};  ///< what it or the job says: a regular expression; empty: nothing
  /// The node whose agent is lost, so that it takes no part in another migration.
  std::string lost{};
  /// Or the job goes on, moved: what was damaged is noticed by nobody before it is needed no more.
  bool may_commit = false;
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
  /// Rank 1 to node2, or all of node0 there.
  enum class Request { move, evacuate };

  std::string place;
  std::string action;
  Expectation expected{};
  Request request = Request::move;
  bool shipped_deadlines = false;  ///< those that users have; else short ones
  bool recovers = false;           ///< the job has a checkpoint in memory, and may be started again from it

  [[nodiscard]] std::string name() const;
};

/// For googletest, which puts it into the name of a test.
void PrintTo(const FaultCase& one, std::ostream* out);

struct FaultResult {
  bool struck = false;  ///< the fault
  Fate fate = Fate::ended;
  int status = -1;      ///< of `migrate`
  double seconds = 0;   ///< from the request to its answer, or to the job's end
  bool right = true;    ///< the program's result is that of an undisturbed run; true when the job had ended
  bool retried = true;  ///< after a rollback, a second migration ended as it has to; true without a rollback
  std::string left;     ///< processes and shared memory that are there afterwards
  int images = 0;       ///< last images of ranks that were moving, which are named and good
  std::string said;     ///< by `migrate` and the job

  /// Whether the job ended although it need not, or did not although it must.
  [[nodiscard]] bool lost(const FaultCase& one) const;
  /// Whether fate, status or message are others than expected.
  [[nodiscard]] bool unexpected(const FaultCase& one) const;
  /// Whether a last image is missing: there was time for it. Otherwise mpirun leaves a second.
  [[nodiscard]] bool forgot(const FaultCase& one) const;
  /// All that is wrong, a line each; empty: nothing.
  [[nodiscard]] std::string wrong(const FaultCase& one) const;
};

/// Every place x action that makes sense, for a move and for an evacuation; some once more with the deadlines that
/// users have; and those that end a job since a rank or an agent is lost once more with one that recovers.
std::vector<FaultCase> all_fault_cases();

/// On a cluster of its own.
FaultResult run(const FaultCase& one);

}  // namespace cppc::test
