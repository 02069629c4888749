/// Windows of one-sided communication. They are bound to the processes of a world and to memory of their process, so
/// under an extension the program holds small numbers in their place, and they are made anew whenever a rank has moved.
/// What a window shows of the program is kept in the tracked heap, pointer included; its contents are the program's own
/// memory. So that these hold all that was put there, a rank with accesses that nothing has completed yet is not quiet.
/// Windows that are bound to their processes stay as they are when other ranks move; a rank that has one stays, too. So
/// do windows by which members use each other's memory, unless all of their members move to one node.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bytes.hpp"
#include "cppc/status.h"
#include "mpi/error_handlers.hpp"
#include "mpi/infos.hpp"
#include "mpi/mpi_objects.hpp"
#include "mpi/virtual_table.hpp"

namespace cppc::mpi {

/// How far the accesses to a target have to be completed before it is certain that they have happened.
enum class Access : std::uint8_t {
  none,
  reads,   ///< when their result is there, they have
  writes,  ///< when the target has said so
};

/// MPI_Win_get_attr leads into it.
struct KeptWindow {
  void* base;
  void* block;  ///< that it has got when it was made, and which has the base; or null
  MPI_Aint size;
  int unit;
  int flavor;  ///< that the program asked for
  int model;
};

/// By MPI_Win_attach.
struct AttachedMemory {
  void* base;
  MPI_Aint size;
};

struct Window {
  KeptWindow* kept = nullptr;  ///< a block of the tracked heap
  MPI_Win real = MPI_WIN_NULL;
  std::uint64_t order = 0;        ///< of making, the same in all of its members
  bool fenced = false;            ///< accesses may follow, by a fence
  bool locked_all = false;        ///< by MPI_Win_lock_all
  std::vector<int> shared;        ///< targets on which a shared lock is held
  std::vector<int> exclusive;     ///< likewise, for which the rank counts as active
  std::vector<Access> unsettled;  ///< by target; the rank counts as active for each
  bool started = false;           ///< from MPI_Win_start to MPI_Win_complete: active
  bool posted = false;            ///< from MPI_Win_post to MPI_Win_wait: active
  std::vector<AttachedMemory> attached;
  bool bound = false;          ///< other ranks use its memory, or know addresses that change: it cannot be made anew
  bool spans_members = false;  ///< by make_spanning_window(): it is made anew only where all members go together
  bool made_on_node = false;   ///< at first by make_node_window(): the same in all members

  /// Accesses of these kinds to `target`, or to all, are complete.
  void settle(int target, Access access);
  void settle(Access access);

  [[nodiscard]] bool holds_lock(int target) const;
};

/// What it takes to make a window again, apart from what is kept in the heap.
struct WindowDescription {
  std::size_t index = 0;    ///< in the table
  std::uint64_t block = 0;  ///< of read(): number, in the image
  std::string name;
  ErrorSetting error_handler{HandlerKind::window, ErrorHandler::predefined(MPI_ERRORS_ARE_FATAL)};
  Hints hints;
  std::vector<int> members;  ///< ranks in the world, in the order of the ranks in the window
  bool fenced = false;
  bool locked_all = false;
  std::vector<int> shared;
  std::vector<AttachedMemory> attached;
  bool made_on_node = false;
  bool spans_members = false;
  std::uint64_t spanned_bytes = 0;  ///< of all members

  /// Its block has this number. Only when the error handler is portable().
  void write(std::uint64_t number, ByteWriter& writer) const;

  /// Of `rank` in a world of `size`; fails the reader when it is none.
  static WindowDescription read(ByteReader& reader, int rank, int size);
};

/// In the order in which they were made: the same in all processes that share two of them, as each was made by a
/// collective call.
using WindowDescriptions = std::vector<WindowDescription>;

class Windows {
 public:
  using Table = VirtualTable<MPI_Win, Window>;

  /// What the program knows `real` as; itself when that is no other.
  [[nodiscard]] MPI_Win handle_for(MPI_Win real) const { return table_.handle_for(real); }

  /// The window that MPI knows. A freed handle gives nullptr, an invalid window to MPI.
  [[nodiscard]] MPI_Win real(MPI_Win win) {
    if (!Table::is_virtual(win)) return win;
    const Window* const found = table_.find(win);
    return found != nullptr ? found->real : nullptr;
  }

  /// In the table; of a window that is none of its, a number that is none's.
  static std::size_t index_of(MPI_Win win) { return Table::is_virtual(win) ? Table::index_of(win) : SIZE_MAX; }

  /// Null when `win` is none of these.
  [[nodiscard]] Window* find(MPI_Win win) { return Table::is_virtual(win) ? table_.find(win) : nullptr; }

  /// Makes a window of what `shown` says but for its model, and, if it is to be allocated, its memory; `*win` is the
  /// handle for the program. `info` and `comm` are such as MPI knows. An error of MPI's, which has been raised.
  int create(KeptWindow shown, MPI_Info info, MPI_Comm comm, MPI_Win* win);

  /// The real window of `win` is no more. Memory of MPI_Win_allocate goes with it.
  void remove(MPI_Win win);

  [[nodiscard]] bool any();

  /// Whether there are accesses or epochs for which the rank counts as active.
  [[nodiscard]] bool busy();

  /// The call that returned `status` accessed `target`.
  int accessed(int status, MPI_Win win, int target, Access access);

  /// Completes accesses under locks, as the program is free to do at any time. Waits for their targets, which let MPI
  /// work until they have come to the migration point and while they wait there; for one on which another rank holds an
  /// exclusive lock until that rank has gone on: it is not quiet either, so that nothing is lost.
  void complete_locked();

  /// All that are not bound, of a world with this group; those that span their members only if asked for.
  [[nodiscard]] WindowDescriptions describe(const Group& world, bool spanning);

  /// The ranks in this world's group with which windows are shared that span their members, this one among them.
  [[nodiscard]] std::vector<int> sharers(const Group& world);

  /// cppc_hooks.go_together, or null.
  void ask_about_members(int (*go_together)(const int* ranks, std::uint64_t count)) { go_together_ = go_together; }

  /// False, logged, when a window is bound, has accesses or epochs for which the rank counts as active, or spans
  /// members that do not go where this rank goes. `all` are the windows of describe().
  bool portable(const WindowDescriptions& all);

  static void write(const WindowDescriptions& all, ByteWriter& writer);
  static WindowDescriptions read(ByteReader& reader, int rank, int size);

  /// In a replacement: whether the node has memory for those that span their members. CPPC_ERR_MEMORY, logged.
  static cppc_status find_room(const WindowDescriptions& all);

  /// In a replacement, once the heap is restored: takes over the blocks. CPPC_ERR_IMAGE, logged.
  cppc_status adopt(const WindowDescriptions& all);

  /// Frees all real windows that are not bound and do not span their members, before their world is. Collective over
  /// the members of each.
  void free_real();

  /// Makes all real windows anew, with the epochs that the program is in. Likewise collective. CPPC_ERR_MPI, logged.
  cppc_status make_real(const WindowDescriptions& all, MPI_Comm world);

 private:
  /// Of those that are not bound, in the order of making; those that span their members only if asked for.
  std::vector<std::size_t> indices(bool spanning);

  [[nodiscard]] bool go_together(const std::vector<int>& members) const;

  Table table_;
  std::uint64_t made_ = 0;
  int (*go_together_)(const int* ranks, std::uint64_t count) = nullptr;
};

Windows& windows();

/// How messages name a window: by its name if it has one.
std::string window_name(std::size_t index, const std::string& name);

}  // namespace cppc::mpi
