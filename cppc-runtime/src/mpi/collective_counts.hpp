/// What a rank counts so that all can stop without splitting a collective operation: those that it has begun, for each
/// communicator, window and file. Nothing is counted in a plain program, nor until the extension has asked for it.
///
/// Each has a number that is the same in all its members, and no other's, agreed on without a message: of the number of
/// the communicator that it was made from, how many operations had been begun on that, and its first member.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "bytes.hpp"
#include "cppc/hooks.h"
#include "mpi/call_point.hpp"
#include "mpi/comm_table.hpp"
#include "never_destroyed.hpp"

namespace cppc::mpi {

/// What a rank asks of a communicator again and again.
struct Members {
  enum class Known : std::uint8_t { not_yet, of_one_group, of_two_groups };
  Known known = Known::not_yet;
  int size = 0;
  int rank = 0;
};

class CollectiveCounts {
 public:
  enum class Of : std::uint8_t { comm, window, file };
  static constexpr std::size_t world = 0;  ///< index of MPI_COMM_WORLD; the others are those of their tables

  /// The application's world has this many ranks. Before anything else. `calls` must stay.
  void count(const cppc_calls& calls, std::uint32_t ranks);

  /// Nothing is counted any more: `calls` are not there any longer.
  void end();

  /// A collective operation begins: stops first, if the rank is to stop before it. The call may be any that is
  /// collective by definition, too; of an object with one member it costs the same.
  void begin(Of of, std::size_t index) {
    call_point.pass_collective();
    const auto& counters = counters_[static_cast<std::size_t>(of)];
    if (index >= counters.size()) return;  // in a plain program, or none of the program's
    const std::atomic_ref<std::uint64_t> begun(counters[index].count->begun);  // the agent reads it
    begun.store(begun.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  /// Likewise, of what the program knows as this.
  void begin(MPI_Comm comm) { begin(Of::comm, index_of(comm)); }

  /// Likewise, a blocking operation that members can withdraw from if `what` is not 0 (withdrawable.hpp): until ended()
  /// gets what this returns.
  cppc_collective_count* begin(MPI_Comm comm, std::uint64_t what, std::uint64_t elements) {
    call_point.pass_collective();
    const auto& counters = counters_[static_cast<std::size_t>(Of::comm)];
    const std::size_t index = index_of(comm);
    if (index >= counters.size()) return &nowhere_;
    cppc_collective_count& count = *counters[index].count;
    if (what != 0) {
      store(current_->id, count.id);
      store(current_->what, what);
      store(current_->count, elements);
      std::atomic_ref(current_->number).store(count.begun + 1, std::memory_order_release);
    }
    std::atomic_ref(count.begun).store(count.begun + 1, std::memory_order_release);
    return &count;
  }

  /// Whether the operation has to be begun again, because all that were inside have withdrawn from it.
  bool ended(cppc_collective_count* count) {
    store(current_->number, 0);
    const bool announced = std::atomic_ref(count->announced).load(std::memory_order_relaxed) != count->acknowledged;
    return announced && calls_->withdrawn(count) != 0;
  }

  /// Of a communicator in which operations are counted, else nullptr.
  const Members* members(MPI_Comm comm) {
    auto& counters = counters_[static_cast<std::size_t>(Of::comm)];
    const std::size_t index = index_of(comm);
    if (index >= counters.size()) return nullptr;
    Members& members = counters[index].members;
    if (members.known == Members::Known::not_yet) [[unlikely]]
      ask(comm, members);
    return &members;
  }

  /// The index of the communicator that this is the count of.
  [[nodiscard]] std::size_t comm_of(const cppc_collective_count* count) const;

  /// The call that returned `status` has made *made of `parent`, as the program knows them, or nothing for this rank.
  int made_of(MPI_Comm parent, int status, const MPI_Comm* made) {
    if (calls_ != nullptr && status == MPI_SUCCESS && *made != MPI_COMM_NULL)
      this->made(index_of(parent), index_of(*made), comms.real(*made, __func__));
    return status;
  }

  /// A collective operation of communicator `parent` has made communicator `index`, which MPI knows as `made`, or a
  /// window or file. begin() has been called for the parent.
  void made(std::size_t parent, std::size_t index, MPI_Comm made);
  void made(std::size_t parent, std::size_t index, MPI_Win made);
  void made(std::size_t parent, std::size_t index, MPI_File made);

  /// MPI_Comm_create_group and MPI_Intercomm_create, which are collective over the members of `made` alone.
  void made_apart(std::size_t index, MPI_Comm made, int tag);

  /// After begin() for what frees it.
  void gone(Of of, std::size_t index);

  /// For another process: all counts, and likewise there, after count().
  void write(ByteWriter& writer) const;
  void read(ByteReader& reader);

  /// Of no communicator of the table a number that is none's.
  static std::size_t index_of(MPI_Comm comm) {
    if (comm == MPI_COMM_WORLD) return world;
    return comm == nullptr ? SIZE_MAX : CommTable::index_of(comm);
  }

 private:
  struct Object {
    std::uint64_t id = 0;
    std::uint32_t size = 0;
    cppc_collective_count own{};              ///< when the extension does not count it
    cppc_collective_count* listed = nullptr;  ///< else
    cppc_collective_count& count() { return listed != nullptr ? *listed : own; }
    [[nodiscard]] std::uint64_t begun() const { return listed != nullptr ? listed->begun : own.begun; }
  };

  struct Counter {
    cppc_collective_count* count;
    Members members;
  };

  static void ask(MPI_Comm comm, Members& members);
  static void store(std::uint64_t& word, std::uint64_t value) {
    std::atomic_ref(word).store(value, std::memory_order_relaxed);
  }

  void add_of(std::size_t parent, Of of, std::size_t index, const std::vector<int>& members);
  void add(Of of, std::size_t index, std::uint64_t id, std::uint32_t size, std::uint64_t begun);

  const cppc_calls* calls_ = nullptr;
  cppc_current_operation unseen_{};  ///< when nobody wants to know
  cppc_current_operation* current_ = &unseen_;
  cppc_collective_count nowhere_{};                       ///< of what has been freed
  std::array<std::map<std::size_t, Object>, 3> objects_;  ///< by kind, and index in its table
  std::array<std::vector<Counter>, 3> counters_;          ///< likewise
  std::map<std::uint64_t, std::uint64_t> apart_;          ///< how many were made so, by members and tag
};

// In each collective operation: so it is inline.
inline CollectiveCounts& collective_counts() {
  static NeverDestroyed<CollectiveCounts> instance;
  return *instance;
}

}  // namespace cppc::mpi
