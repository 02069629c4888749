#include "mpi/call_point.hpp"

#include <unistd.h>

#include <optional>
#include <utility>

#include "address/process/threads.hpp"
#include "address/program_time.hpp"
#include "mpi/comm_table.hpp"
#include "mpi/files.hpp"
#include "mpi/mpi_objects.hpp"
#include "mpi/turns.hpp"
#include "mpi/windows.hpp"

namespace cppc::mpi {

namespace {

/// The rank in the application's world of `peer` in `comm`, the remote group's if there is one.
int world_rank(int peer, MPI_Comm comm) {
  if (peer == MPI_PROC_NULL) return CPPC_NOBODY;
  if (peer < 0) return CPPC_ANYBODY;
  const MPI_Comm real = comms.real(comm, __func__);
  int inter = 0;
  must(PMPI_Comm_test_inter(real, &inter), "MPI_Comm_test_inter");
  const Group world = Group::of(comms.world());
  const Group group = inter != 0 ? Group::remote(real) : Group::of(real);
  int found = MPI_UNDEFINED;
  must(PMPI_Group_translate_ranks(group.get(), 1, &peer, world.get(), &found), "MPI_Group_translate_ranks");
  return found == MPI_UNDEFINED ? CPPC_ANYBODY : found;
}

/// What keeps the program from being stopped here: a function that MPI or exit() has called, whose state cannot be
/// carried over, accesses or epochs that only the program can end, another stack than the program's, or others of a
/// parallel region, or threads that may call MPI at any time.
std::optional<cppc_inside> inside() {
  if (address::InsideProgram::any()) return CPPC_INSIDE_CALLBACK;
  if (windows().busy()) return CPPC_INSIDE_EPOCH;
  if (files().busy()) return CPPC_INSIDE_FILE;
  if (address::threads::in_parallel_region()) return CPPC_INSIDE_REGION;
  if (turns.others_enter()) return CPPC_BESIDE_THREADS;
  if (gettid() != getpid()) return CPPC_INSIDE_THREAD;
  return std::nullopt;
}

}  // namespace

void CallPoint::watch(const volatile std::uint32_t* word, const cppc_calls* calls, void (*stop)()) {
  word_ = word != nullptr ? word : &never_;
  calls_ = calls;
  stop_ = stop;
}

void CallPoint::wait_for(int peer, MPI_Comm comm) { look(0, world_rank(peer, comm)); }

void CallPoint::pass_between() {
  if (!watching() || !rings()) return;
  const Entry entry;
  if (!inside()) look(0, CPPC_NOBODY);
}

void CallPoint::look(int collective, int waits_for) {
  if (const auto what = inside()) {
    uninterruptible_ = true;
    return calls_->enter(CPPC_ANYBODY, *what);
  }
  if (std::exchange(uninterruptible_, false)) calls_->moved_on();
  if (calls_->reached(collective, waits_for) != 0) stop_();
}

void CallPoint::moved_on() {
  if (calls_ != nullptr) calls_->moved_on();
}

}  // namespace cppc::mpi
