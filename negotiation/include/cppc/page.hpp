/// The page that an agent shares with the ranks of its node: a memory file without a name, so that nothing is left
/// behind whoever dies. The agent creates it; ranks open it through the agent's descriptor table.
///
/// Any number of processes may use a page at once. Within a process, a Page or RankSide is used by one thread at a
/// time. Nothing throws; errors are a cppc_status, logged where first met.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "cppc/migration_point.hpp"
#include "cppc/status.h"
#include "cppc/time_budget.hpp"
#include "cppc/unique_fd.hpp"

namespace cppc::negotiation {

/// Why the doorbell rings; bits of its word.
enum class Doorbell : std::uint32_t {
  survey = 1,     ///< ranks announce the bytes of their state, and go on
  negotiate = 2,  ///< ranks take part in a negotiation
  cut = 4,        ///< ranks take part in the agreement on a cut (cut_rank.hpp)
};

/// What a page says about one rank, read at one moment, field by field.
struct RankRecord {
  pid_t pid = 0;                  ///< as the rank sees itself; 0: not on this node
  std::uint64_t bytes = 0;        ///< of its state, as last announced
  std::uint64_t announced = 0;    ///< number of the survey that it announced them for; 0: never
  std::uint64_t joined = 0;       ///< epoch in which it last joined a negotiation
  std::uint64_t stopped = 0;      ///< epoch in which it last stopped at the migration point
  std::uint64_t passed = 0;       ///< safe point at which it last joined or stopped
  unsigned site = 0;              ///< where in the program that was
  std::uint64_t refused = 0;      ///< epoch of the last negotiation that it could not take part in
  cppc_status refusal = CPPC_OK;  ///< and why
  bool finishing = false;         ///< has entered MPI_Finalize
  bool finished = false;          ///< has left it
};

namespace detail {

struct PageLayout;
struct CutTable;
struct Unmap {
  std::size_t bytes = 0;
  void operator()(PageLayout* layout) const noexcept;
};
}  // namespace detail

/// Memory is taken only for the slots of ranks that attach, so `app_ranks` may be 100,000.
class Page {
 public:
  /// Agent: a page with a slot for each of the application's ranks, in a file from reserve(). CPPC_ERR_ARGUMENT,
  /// CPPC_ERR_SYSTEM.
  static tl::expected<Page, cppc_status> create(int app_ranks, UniqueFd file = reserve());
  /// An empty file for a page, without a name; the error is create()'s.
  static UniqueFd reserve();
  /// Agent: the page of one that has died, in this file; whatever was under way is cancelled. CPPC_ERR_SYSTEM,
  /// CPPC_ERR_MISMATCH.
  static tl::expected<Page, cppc_status> take_over(UniqueFd file);
  /// Rank: the page that process `agent` holds as descriptor `fd`. CPPC_ERR_SYSTEM when it cannot be opened,
  /// CPPC_ERR_MISMATCH when it is no page of this version.
  static tl::expected<Page, cppc_status> open(pid_t agent, int fd);

  Page(Page&&) noexcept = default;
  Page& operator=(Page&&) noexcept = default;

  /// What the agent tells its ranks; -1 in a rank.
  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] pid_t agent() const;
  [[nodiscard]] int app_ranks() const;
  /// For the runtime's fast path; valid as long as the page.
  [[nodiscard]] const volatile std::uint32_t* doorbell() const;
  /// The negotiation word.
  [[nodiscard]] Word word() const;

  /// Ranks that are attached, in rising order.
  [[nodiscard]] std::vector<int> ranks() const;
  /// `rank` in [0, app_ranks).
  [[nodiscard]] RankRecord record(int rank) const;

  /// Agent: asks every attached rank to announce the bytes of its state; returns the survey's number
  /// (RankRecord::announced reaches it). The doorbell rings until end_survey().
  std::uint64_t begin_survey();
  void end_survey();

 private:
  friend class RankSide;
  friend class AgentSide;
  friend class CutRank;
  friend class CutAgent;
  using Layout = std::unique_ptr<detail::PageLayout, detail::Unmap>;
  Page(Layout layout, UniqueFd fd) : layout_(std::move(layout)), fd_(std::move(fd)) {}
  Layout layout_;
  UniqueFd fd_;
};

enum class Decision {
  go_on,
  stop,     ///< this safe point is the migration point
  refused,  ///< go on; this negotiation cannot succeed because of this rank. Said once a negotiation; logged, and in
            ///< record()
  lost      ///< the rank cannot go on. Of cuts only (cut_rank.hpp); logged
};

/// One rank's part. Makes no MPI call.
class RankSide {
 public:
  /// Takes the slot of `rank`, which becomes one of page.ranks(). CPPC_ERR_ARGUMENT when there is no such slot,
  /// CPPC_ERR_SYSTEM when the agent's process cannot be watched.
  static tl::expected<RankSide, cppc_status> attach(Page page, int rank);
  RankSide(RankSide&&) noexcept = default;
  RankSide& operator=(RankSide&&) = delete;
  ~RankSide();

  [[nodiscard]] const Page& page() const { return page_; }

  /// Whether the agent's process has ended, and no other one has taken the page over.
  [[nodiscard]] bool agent_gone() const;

  /// Whether a survey waits for this rank's announce().
  [[nodiscard]] bool survey_wanted() const;
  void announce(std::uint64_t bytes);

  /// At safe point number `passed` (rising by one from call to call while the doorbell rings), at `site`, the doorbell
  /// ringing. A few loads once joined. Waits only at its node's bound, for the outcome; when the agent has died, or has
  /// not told it for longer than the negotiation may take: refused (CPPC_ERR_PEER, CPPC_ERR_TIMEOUT).
  /// After `stop` the next call is the one at the next safe point; the agent concludes the negotiation before that.
  Decision reached(std::uint64_t passed, unsigned site);

  /// On entering MPI_Finalize: a negotiation that is not decided yet is cancelled. Never waits.
  void finishing();
  /// On having left it.
  void finished();

  /// The process stops being this rank (it has moved away). Done by the destructor, too, unless the rank is finishing.
  void detach();

 private:
  friend class CutRank;
  RankSide(Page page, int rank) : page_(std::move(page)), rank_(rank) {}
  [[nodiscard]] bool watch_agent() const;
  std::optional<cppc_status> await_answer(Word seen, TimeBudget& budget);
  Decision refuse(std::uint64_t epoch, cppc_status why);
  Page page_;
  int rank_ = -1;
  mutable pid_t watched_ = -1;
  mutable UniqueFd agent_;  ///< pidfd of that
};

}  // namespace cppc::negotiation
