/// The control block: shared memory of one node through which its agent and its ranks settle a migration once the
/// negotiation has brought them to the migration point. Ranks wait here without using a processor and without being
/// inside MPI, so that every wait has a deadline and a rank that fails takes nobody with it.
///
/// The agent creates it, without a name in any file system and sealed, so that nobody can cut off what others have
/// mapped; ranks open it through the agent's process, if it is of this version. One writer a field: a rank writes its
/// own slot's report, the agent everything else. What is written before a stage or a command is set is visible to
/// whoever sees it; a SharedList is read and written at any time.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "cppc/status.h"
#include "cppc/unique_fd.hpp"
#include "shared_list.hpp"

namespace cppc::migration {

/// A field of shared memory.
template <class T>
using Shared = std::atomic<T>;
static_assert(Shared<std::uint64_t>::is_always_lock_free && Shared<std::uint32_t>::is_always_lock_free &&
                  Shared<cppc_status>::is_always_lock_free,
              "the control block is shared between processes");

using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point;

/// By Clock, for shared memory.
inline std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(std::chrono::nanoseconds(Clock::now().time_since_epoch()).count());
}

/// A word that changes hands between processes; a waiter sleeps in the kernel.
class SharedWord {
 public:
  [[nodiscard]] std::uint32_t get() const { return word_.load(std::memory_order_acquire); }
  void set(std::uint32_t value);  ///< and wakes whoever waits
  /// Waits while the word is `value`; false when the deadline came first.
  [[nodiscard]] bool wait_while(std::uint32_t value, Deadline deadline) const;

 private:
  mutable Shared<std::uint32_t> word_;
};

/// Where a rank stands. The owner of the next step is in brackets.
enum class Stage : std::uint32_t {
  working,   // [rank] runs, or goes on running
  arrived,   // [agent] stopped at the migration point
  shipped,   // [agent] source: the image has arrived and is intact
  ready,     // [agent] replacement: started; `destination` says where to send the image
  expected,  // [rank] replacement: the image comes now, or never (dismissed)
  restored,  // [agent] replacement: stands at the migration point with the source's state
  failed,    // [agent] source, replacement or rank that saves: see status
  copied,    // [agent] rank that saves: there is a snapshot of its memory, for a file
};

enum class Action : std::uint32_t {
  none,
  next_point,  // messages in flight: stop again at the next safe point
  drain,       // take out of MPI what is in flight
  ship,        // sources build and send their images
  copy,        // a checkpoint: ranks take snapshots of their memory, for their files
  save,        // a checkpoint after which ranks stand: they write their files
  release,     // not all have come to the safe point: ranks work on, to stop elsewhere
  join,        // commit: rebuild the world
  go_on,       // no migration: work on; replacements vanish
  leave,       // the job goes on elsewhere from the files: finalize and exit
};

/// What becomes of the file of a rank that saves.
enum class Saving : std::uint32_t {
  none,
  writing,  // [rank] has the snapshot, and works on beside it; or stands and writes
  written,  // [agent]
  failed,   // [agent] see reason
};

/// Zero-filled memory is that of a rank that works.
struct alignas(64) Slot {
  SharedWord stage;
  SharedWord dismissed;           // the agent's: nobody waits for this replacement's, or source's, image any more
  Shared<std::uint32_t> in_mpi;   // a replacement's: MPI_Init has returned
  SharedWord spawning;            // the agent's, for a replacement: it is inside MPI_Comm_spawn_multiple
  Shared<std::uint32_t> needed;   // the agent's, for a replacement: committed, the job cannot go on without it
  Shared<std::uint32_t> decided;  // the agent's, for a source: nobody goes back
  Shared<cppc_status> status;     // of stage failed
  std::array<char, 400> reason;   // of stage failed: the rank's own words, ended by 0; empty: it has none
  // The rank's report on arrival.
  Shared<std::uint64_t> passed;
  Shared<std::uint32_t> site;
  // Of the migration under way, in nanoseconds. stood: for how long the rank has stood still at stops that are over;
  // the agent sets it to 0. stopped: when, by Clock, it came to the last one; the agent's, for a replacement: the
  // commit.
  Shared<std::uint64_t> stood_ns, stopped_ns;
  // Messages sent and received, requests active: kept up to date while the rank drains. Whoever reads `active` first
  // sees a `received` that is no older.
  Shared<std::int64_t> sent;
  Shared<std::int64_t> received, active;
  // The image.
  Shared<std::uint64_t> image_bytes;
  Shared<std::uint64_t> bytes_done;
  Shared<std::uint64_t> chunks_again;  // that did not arrive as they were sent
  Shared<std::int32_t> stops;          // the rank's: where it can be stopped, as the runtime's watch_calls() says
  Shared<std::uint32_t> leaving;       // the agent's: this rank moves away, to the node of agent `leaving` - 1
  Shared<std::int32_t> group;          // the agent's, for a replacement: index of its agent in ControlBlock::joins()
  // A checkpoint. saves: the agent's, its number; 0: there is none.
  Shared<std::uint64_t> saves, file_hash;
  SharedWord saving;  // the rank's, a Saving; the agent sets it to none
  // Where the image goes. Of a migration: the fabric offer, which a replacement writes and the agents pass on to the
  // source; empty: there is none yet. Of a checkpoint: the directory of the file.
  SharedList<std::byte, 1024> destination;
  // What the runtime told of the rank's largest blocks, when it last announced them; a replacement gets what was told
  // of the rank it takes over.
  SharedList<std::uint64_t, 64> blocks;
  // The rank's: with whom it shares memory, itself among them, as last announced.
  SharedList<std::int32_t, 256> sharers;
  // What the runtime told of the objects that it carries, once, before agents look at ranks; a replacement gets what
  // was told of the rank it takes over. The bytes are written before their number.
  Shared<std::uint32_t> object_bytes;
  std::array<std::byte, 8192> objects;
  // The agent's: how many replacements there have been for this rank; a guardian's: which of them has come last, has
  // died before it was needed, and has gone without having been needed.
  Shared<std::uint32_t> replacements, last_come, last_lost, last_gone;

  /// Agent: another replacement begins.
  void expect_replacement() { replacements.fetch_add(1); }
  /// Its guardian: which one that is.
  [[nodiscard]] std::uint32_t replacement() const { return replacements.load(); }
  void come(std::uint32_t which) { last_come.store(which); }
  /// Nothing of it is there any more that looks at this slot.
  void go(std::uint32_t which) { last_gone.store(which); }
  /// Its guardian, perhaps when the agent expects another already.
  void lose(std::uint32_t which) { last_lost.store(which); }
  /// Agent: whether the replacement that it no longer needs is still there, started far enough or not.
  [[nodiscard]] bool is_left() const {
    return last_come.load() == replacements.load() && last_gone.load() != replacements.load();
  }
  /// Agent: whether the replacement that it expects is lost.
  [[nodiscard]] bool lost() const { return last_lost.load() == replacements.load(); }
};

class ControlBlock {
 public:
  /// In the agent: for a job of `ranks` ranks and `agents` agents, in a file from reserve(), which it takes.
  static tl::expected<ControlBlock, cppc_status> create(int ranks, int agents, UniqueFd file = reserve());
  /// An empty file for a control block, without a name; the error is create()'s.
  static UniqueFd reserve();
  /// In an agent: that of one that has died, in this file, which it takes. All ranks are to go on.
  static tl::expected<ControlBlock, cppc_status> take_over(UniqueFd file);
  /// In a rank: that of the agent with process id `agent`, whose descriptor is `descriptor`.
  static tl::expected<ControlBlock, cppc_status> open(pid_t agent, int descriptor);

  [[nodiscard]] int descriptor() const { return file_.get(); }
  [[nodiscard]] int ranks() const;
  [[nodiscard]] Slot& slot(int rank) const;

  /// Agent: gives all ranks on the node an order. For Action::join: `gone` are the ranks, in the communicator of
  /// everybody, of agents that have been lost; `joins` those, in what is left of it, of the agents that bring
  /// replacements, in the order in which they join. Together no more than there are agents.
  void command(Action action, std::span<const int> joins = {}, std::span<const int> gone = {});

  /// Rank: the number of commands given so far.
  [[nodiscard]] std::uint32_t commands() const;
  /// Rank: the last command.
  [[nodiscard]] Action action() const;
  /// Rank: waits for the command after number `seen`, returns it and sets `seen` to its number. A rank that is late
  /// gets all of them, one after the other: an agent goes on without it. CPPC_ERR_TIMEOUT.
  tl::expected<Action, cppc_status> await_command(std::uint32_t& seen, Deadline deadline) const;
  [[nodiscard]] std::span<const int> joins() const;
  [[nodiscard]] std::span<const int> gone() const;

 private:
  struct Header;
  struct Unmap {
    std::size_t bytes = 0;
    void operator()(void* memory) const noexcept;
  };
  using Memory = std::unique_ptr<void, Unmap>;
  static Memory map(const UniqueFd& file, std::size_t bytes);
  static tl::expected<ControlBlock, cppc_status> map_existing(UniqueFd file, const std::string& what);
  ControlBlock(UniqueFd file, Memory memory) : file_(std::move(file)), memory_(std::move(memory)) {}
  [[nodiscard]] Header& header() const;
  [[nodiscard]] int* agent_lists() const;
  UniqueFd file_;  // the agent's only
  Memory memory_;
};

}  // namespace cppc::migration
