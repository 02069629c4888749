/// The program's communicators. Under an extension their real communicators change while the program runs, so the
/// program holds small numbers in their place; MPI_COMM_WORLD stands for the world that the extension gives. Without an
/// extension ("plain") nothing is translated. Threads take turns (turns.hpp).
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cppc::mpi {

class CommTable {
 public:
  /// Handles below this are the table's: no object lies there (vm.mmap_min_addr), nor has Open MPI more communicators.
  static constexpr std::size_t limit = 65536;

  static bool is_virtual(MPI_Comm comm) { return reinterpret_cast<std::uintptr_t>(comm) < limit; }
  static std::size_t index_of(MPI_Comm comm) { return reinterpret_cast<std::uintptr_t>(comm); }
  static MPI_Comm handle_of(std::size_t index) { return reinterpret_cast<MPI_Comm>(index); }

  /// True under an extension.
  [[nodiscard]] bool managed() const { return managed_; }

  /// True in a replacement that has not been given a world yet.
  [[nodiscard]] bool awaits_world() const { return world_ == nullptr; }

  /// The communicator that MPI knows, for `function`, which is about to use it. A freed handle gives nullptr, an
  /// invalid communicator to MPI. Ends the process when there is no world yet.
  [[nodiscard]] MPI_Comm real(MPI_Comm comm, const char* function) const {
    if (comm == MPI_COMM_WORLD) {
      if (awaits_world()) [[unlikely]]
        no_world(function);
      return world_;
    }
    return is_virtual(comm) ? slots_[index_of(comm)] : comm;
  }

  /// What the program knows `real` as; itself when that is no other.
  [[nodiscard]] MPI_Comm handle_for(MPI_Comm real) const;

  /// `make(MPI_Comm*)` makes a communicator as `function`; the program gets a handle of the table for it in *out.
  template <class Make>
  int create(const char* function, MPI_Comm* out, Make make) {
    if (awaits_world()) no_world(function);
    MPI_Comm made = MPI_COMM_NULL;
    const int status = make(&made);
    if (status == MPI_SUCCESS) *out = made == MPI_COMM_NULL ? MPI_COMM_NULL : add(made);
    return status;
  }

  /// Likewise, where MPI may set what `make` is given later on.
  template <class Make>
  int create_later(MPI_Comm* out, Make make) {
    const MPI_Comm handle = add(MPI_COMM_NULL);
    const int status = make(&slots_[index_of(handle)]);
    if (status == MPI_SUCCESS) {
      *out = handle;
    } else {
      remove(handle);
    }
    return status;
  }

  /// The handle's communicator has been freed.
  void remove(MPI_Comm handle);

  /// From now on under an extension, as `rank` of `size` in `world`, or awaiting it when it is nullptr.
  void manage(MPI_Comm world, int rank, int size);

  [[nodiscard]] int world_rank() const { return rank_; }
  [[nodiscard]] int world_size() const { return size_; }
  [[nodiscard]] MPI_Comm world() const { return world_; }
  void set_world(MPI_Comm world) { world_ = world; }

  /// Indices in use, in the order in which their communicators were made: the same order in all their members.
  [[nodiscard]] std::vector<std::size_t> indices() const;

  [[nodiscard]] MPI_Comm at(std::size_t index) const { return slots_[index]; }

  /// `made` is the communicator of `index` (0 < index < limit), and the last one made.
  void put(std::size_t index, MPI_Comm made);

  /// Frees all communicators of the program, its world too: there is none until set_world().
  void free_all();

 private:
  [[noreturn]] static void no_world(const char* function);
  MPI_Comm add(MPI_Comm made);

  bool managed_ = false;
  MPI_Comm world_ = MPI_COMM_WORLD;
  int rank_ = 0;
  int size_ = 0;
  std::size_t first_free_ = 1;  // no free index is below
  std::size_t end_ = 1;         // no index in use is at or above
  std::uint64_t made_ = 0;
  std::array<MPI_Comm, limit> slots_{};
  std::array<std::uint64_t, limit> order_{};
};

inline CommTable comms;

}  // namespace cppc::mpi
