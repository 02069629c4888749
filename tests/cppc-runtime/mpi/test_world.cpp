#include "test_world.hpp"

#include <algorithm>
#include <numeric>

#include "address/carried_objects.hpp"
#include "address/preload.hpp"
#include "address/process/process_state.hpp"
#include "address/process/threads.hpp"
#include "address/program_stack.hpp"
#include "cppc/cppc.h"
#include "extension.hpp"
#include "log.hpp"

namespace cppc::test {

namespace {

constexpr int nobody = -1;

struct Seats {
  int process = 0;        // this one
  std::vector<int> rank;  // of each process, nobody outside

  [[nodiscard]] int process_at(int wanted) const {
    return static_cast<int>(std::ranges::find(rank, wanted) - rank.begin());
  }
};

Seats take_seats() {
  Seats seats;
  int processes = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &seats.process);
  PMPI_Comm_size(MPI_COMM_WORLD, &processes);
  seats.rank.resize(static_cast<std::size_t>(processes));
  std::iota(seats.rank.rbegin(), seats.rank.rend(), moved_rank < 0 ? 0 : nobody);
  return seats;
}

Seats& seats() {
  static Seats taken = take_seats();
  return taken;
}

int my_rank() { return seats().rank[static_cast<std::size_t>(seats().process)]; }

}  // namespace

MPI_Comm next_world() {
  MPI_Comm world = MPI_COMM_NULL;
  PMPI_Comm_split(MPI_COMM_WORLD, outside() ? MPI_UNDEFINED : 0, my_rank(), &world);
  return world;
}

bool outside() { return my_rank() == nobody; }

void swap() {
  std::ranges::swap(*std::ranges::find(seats().rank, moved_rank), *std::ranges::find(seats().rank, nobody));
}

std::vector<std::byte> hand_over(const std::vector<std::byte>& state) {
  const int from = seats().process_at(moved_rank);
  const int to = seats().process_at(nobody);
  if (seats().process == from) {
    PMPI_Send(state.data(), static_cast<int>(state.size()), MPI_BYTE, to, 0, MPI_COMM_WORLD);
  }
  if (seats().process != to) return {};
  MPI_Status status;
  int bytes = 0;
  PMPI_Probe(from, 0, MPI_COMM_WORLD, &status);
  PMPI_Get_count(&status, MPI_BYTE, &bytes);
  std::vector<std::byte> received(static_cast<std::size_t>(bytes));
  PMPI_Recv(received.data(), bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return received;
}

}  // namespace cppc::test

namespace cppc::extension {

std::optional<Place> start() {
  using namespace test;
  const MPI_Comm world = next_world();
  const int rank = outside() ? moved_rank : my_rank();
  set_log_rank(rank);
  const int size = static_cast<int>(std::ranges::count_if(seats().rank, [](int taken) { return taken != nobody; }));
  return Place{.world = world, .replacement = outside(), .rank = rank, .size = size};
}

bool all_finalize() { return true; }
void finish() {}

}  // namespace cppc::extension

// What the MPI part has of the rest of the runtime: nobody wants these ranks to stop.

static const volatile std::uint32_t never = 0;
cppc_control cppc_control_block{&never, 0};

int cppc_safe_point_rung(unsigned) { return 0; }

void cppc_stop_here() {}

namespace cppc::address {

bool on_main_thread() { return getpid() == gettid(); }
bool threads::in_parallel_region() { return false; }
void program_stack::clear_unused() {}

bool program_calls(std::string_view) { return true; }

namespace process {

void mpi_starts() {}
void mpi_started() {}

}  // namespace process
namespace preload {

bool is_asked_for() { return false; }
bool brings_program() { return false; }
void mpi_starts() {}

}  // namespace preload

}  // namespace cppc::address
