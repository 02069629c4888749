/// A rank's part in the agreement on a cut (cut.hpp): its table of what it has begun, in the page that it shares with
/// its agent, and what it does at a call while the bell rings for the cut.
#pragma once

#include <cstdint>
#include <functional>

#include "cppc/cut.hpp"
#include "cppc/page.hpp"

namespace cppc::negotiation {

/// One a process, beside its RankSide, which must outlive it. One thread at a time. Makes no MPI call by itself.
class CutRank {
 public:
  /// Most communicators, windows and files of more than one member that a rank can have at a time.
  static const std::uint32_t most;

  explicit CutRank(RankSide& side);

  /// The rank has, as one of `size` > 1 members, the communicator `id` from now on, in which it has begun `begun`
  /// operations. `id` is the same in all members and no other communicator's, and not 0. Returns where it counts
  /// further ones, the rank alone, before it enters MPI, and after reached() if the bell rings. nullptr when there are
  /// too many; then no cut can be agreed on (CPPC_ERR_UNSUPPORTED), until some are gone.
  std::uint64_t* open(std::uint64_t id, std::uint32_t size, std::uint64_t begun = 0);

  /// The rank has begun the last operation of the communicator, or never will. `counter`: what open() returned.
  void close(std::uint64_t* counter);

  /// What a rank does that counts. The agent reads at any time.
  static void begin(std::uint64_t* counter);

  /// Whether the bell rings for a cut.
  [[nodiscard]] bool wanted() const;

  /// At a call, the bell ringing for the cut: before the beginning of a collective operation, or elsewhere;
  /// `waits_for`: a rank, when the call waits for its message, or has just looked for it in vain, cut::anybody when
  /// that is not known. Waits while the rank is held or has stopped; meanwhile calls `progress` every millisecond, so
  /// that MPI can serve others. `stop`: this is the cut. `refused`: the agent has died, go on; others know.
  Decision reached(cut::Place place, int waits_for, const std::function<void()>& progress);

  /// The rank enters a call that it cannot leave, and that is no collective operation, which waits for this rank.
  /// Whether or not the bell rings. `what`: what it is inside of, for the reason if that takes too long; 1 to
  /// Reason::most_inside.
  void enter(int waits_for, std::uint8_t what);

  /// It has left that, or what it had told reached() of.
  void moved_on();

 private:
  [[nodiscard]] bool behind() const;
  bool await_change(std::uint32_t changes, const std::function<void()>& progress);

  RankSide* side_;
  detail::CutTable* table_;
  std::uint32_t first_free_ = 0;  ///< no free row is below
  std::uint32_t unlisted_ = 0;    ///< communicators without a row
};

}  // namespace cppc::negotiation
