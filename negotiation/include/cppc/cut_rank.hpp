/// A rank's part in the agreement on a cut (cut.hpp): its table of what it has begun, in the page that it shares with
/// its agent, and what it does at a call while the doorbell rings for the cut.
#pragma once

#include <cstdint>
#include <functional>

#include "cppc/cut.hpp"
#include "cppc/page.hpp"

namespace cppc::negotiation {

/// What a rank counts of a communicator, a window or a file, in the page. Written by the rank, but for `announced`.
struct CollectiveCount {
  std::uint64_t id = 0;
  std::uint64_t begun = 0;         ///< collective operations
  std::uint64_t announced = 0;     ///< number of the latest withdrawal of one of these
  std::uint64_t acknowledged = 0;  ///< number of the last one that the rank has come to know of
};

/// The blocking collective operation that a rank is inside of.
struct CurrentOperation {
  std::uint64_t number = 0;  ///< what `begun` has become; 0: none, or one that cannot be withdrawn. Written last
  std::uint64_t id = 0;      ///< of the communicator
  std::uint64_t what = 0;    ///< cut::Operation
  std::uint64_t count = 0;
};

/// One a process, beside its RankSide, which must outlive it. One thread at a time. Makes no MPI call by itself.
class CutRank {
 public:
  /// Most communicators, windows and files of more than one member that a rank can have at a time.
  static const std::uint32_t most;

  using TakePart = std::function<void(CollectiveCount*, const cut::Operation&)>;

  explicit CutRank(RankSide& side);

  /// The rank has, as one of `size` > 1 members, the communicator `id` from now on, in which it has begun `begun`
  /// operations. `id` is the same in all members and no other communicator's, and not 0. Returns where it counts
  /// further ones, the rank alone, before it enters MPI, and after reached() if the doorbell rings. nullptr when there
  /// are too many; then no cut can be agreed on (CPPC_ERR_UNSUPPORTED), until some are gone.
  CollectiveCount* open(std::uint64_t id, std::uint32_t size, std::uint64_t begun = 0);

  /// The rank has begun the last operation of the communicator, or never will. `count`: what open() returned.
  void close(CollectiveCount* count);

  /// What a rank does that counts. The agent reads at any time.
  static void begin(CollectiveCount* count);

  /// Where the rank says which operation it is inside of. It does so before it counts it, and writes the number last;
  /// and takes the number away when it comes out. An operation may say so that nobody leaves before all members have
  /// begun it.
  [[nodiscard]] CurrentOperation* current();

  /// On coming out of an operation that current() was told of: whether it has been withdrawn, and so has not taken
  /// place; then the rank has not begun it any more. Whether or not the doorbell rings.
  static bool withdrawn(CollectiveCount* count);

  /// Whether the doorbell rings for a cut.
  [[nodiscard]] bool wanted() const;

  /// At a call, the doorbell ringing for the cut: before the beginning of a collective operation, or elsewhere;
  /// `waits_for`: a rank, when the call waits for its message, or has just looked for it in vain, cut::anybody when
  /// that is not known. Waits while the rank is held or has stopped; meanwhile calls `progress` every millisecond, so
  /// that MPI can serve others, and `take_part` for each operation that others withdraw from: the rank has to take part
  /// in it with dummy data. `stop`: this is the cut. `refused`: the agent has died, go on; others know. `lost`: the
  /// agent has died or lost the others while an operation was being withdrawn: the rank cannot go on, since it cannot
  /// know whether it has to begin the operation.
  Decision reached(cut::Place place, int waits_for, const std::function<void()>& progress, const TakePart& take_part);

  /// The rank enters a call that it cannot leave, and that is no collective operation, which waits for this rank.
  /// Whether or not the doorbell rings. `what`: what it is inside of, for the reason if that takes too long; 1 to
  /// Reason::most_inside.
  void enter(int waits_for, std::uint8_t what);

  /// It has left that, or what it had told reached() of.
  void moved_on();

 private:
  [[nodiscard]] bool behind() const;
  bool await_change(std::uint32_t changes, const std::function<void()>& progress);
  [[nodiscard]] bool announced() const;
  void take_part(const TakePart& how);
  [[nodiscard]] Decision lost() const;

  RankSide* side_;
  detail::CutTable* table_;
  std::uint32_t first_free_ = 0;  ///< no free row is below
  std::uint32_t unlisted_ = 0;    ///< communicators without a row
};

}  // namespace cppc::negotiation
