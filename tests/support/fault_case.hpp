/// Faults in the middle of a migration, by the fault points of cppc/fault.hpp, and what becomes of the job.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace cppc::test {

/// `place` and `action` are a fault point's, or one of
///   PMIx_FUNCTION:kill, :hang  in a replacement, inside MPI_Init, after this function
///   network-STEP:cut    nothing gets through between the two nodes from this step of the migration on, for a while
///   node-STEP:off       the target's node is powered off at this step
///   controller-STEP:stop  cppc-run is stopped at this step, and continued later
///   target-node:full    the shared memory of the target's node is full
struct FaultCase {
  enum class Request { move, evacuate };
  /// What must become of the job. Where a process is lost that the job depends on, it has to end, by itself.
  enum class Bound { goes_on, may_end, ends };

  std::string place;
  std::string action;
  Request request = Request::move;
  Bound bound = Bound::goes_on;

  [[nodiscard]] std::string name() const;
};

/// For googletest, which puts it into the name of a test.
void PrintTo(const FaultCase& one, std::ostream* out);

enum class Fate {
  rolled_back,  ///< the job went on as before
  committed,    ///< the job went on, moved
  ended,        ///< the job ended with an error
};

struct FaultResult {
  Fate fate = Fate::ended;
  double seconds = 0;  ///< from the request to its answer
  bool right = false;  ///< the program's result is that of an undisturbed run; true when the job had to end
  std::string left;    ///< processes and shared memory that are there afterwards
  int images = 0;      ///< last images of ranks that were moving, which are named and good
  std::string said;    ///< by `migrate` and the job

  /// Whether the job ended although it need not, or did not although it must.
  [[nodiscard]] bool lost(const FaultCase& one) const;
  /// Whether a last image is missing: there was time for it. Otherwise mpirun leaves a second.
  [[nodiscard]] bool forgot(const FaultCase& one) const;
};

/// Every place x action that makes sense, for a move and for an evacuation.
std::vector<FaultCase> all_fault_cases();

/// On a cluster of its own.
FaultResult run(const FaultCase& one);

}  // namespace cppc::test
