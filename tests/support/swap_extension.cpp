/// An extension (CPPC_EXTENSION) that moves ranks of a program while it works, without a cluster and without agents: of
/// the processes that mpirun starts, the last ones wait, one for each move, and take over a rank. CPPC_SWAP says which
/// ranks move at which safe points, in rising order; "3:0,5:1" needs two processes more than the program has ranks:
///
///   CPPC_SWAP=3:0,5:1 CPPC_EXTENSION=$PWD/swap_extension.so mpirun -n 6 ./program_on_four_ranks
///
/// Everything goes by MPI's own world, in ways that no program looks at. What is in flight is drained before. On
/// standard error it says of each move "swap extension: rank 0 moves at safe point 3". A state that cannot be carried
/// over, and a program that ends before the last move, end the job with a message and status 125.
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "cppc/hooks.h"
#include "state_bytes.hpp"

namespace cppc::test {
namespace {

constexpr int kFailed = 125;
constexpr int kStateTag = 32000;

struct Swap {
  std::uint64_t point;
  int rank;
};

const volatile std::uint32_t ring = 1;
const cppc_runtime* runtime = nullptr;
std::vector<Swap> swaps;
std::size_t next_swap = 0;
std::vector<int> process_of;    ///< by rank, in MPI_COMM_WORLD
MPI_Comm crew = MPI_COMM_NULL;  ///< of the processes that have ranks: the extension's own

[[noreturn]] void fail(const std::string& message) {
  std::fprintf(stderr, "swap extension: %s\n", message.c_str());
  PMPI_Abort(MPI_COMM_WORLD, kFailed);
  std::_Exit(kFailed);
}

int number_in(const char* variable) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::atoi(text) : 0;
}

int ranks() { return number_in("OMPI_COMM_WORLD_SIZE") - static_cast<int>(swaps.size()); }

/// Of this process in MPI_COMM_WORLD.
int process() { return number_in("OMPI_COMM_WORLD_RANK"); }

/// Which swap brings this process in, counted from 0; negative when it has a rank from the start.
int spare() { return process() - ranks(); }

/// Waits without keeping a processor from those who work.
void await(MPI_Request& request) {
  for (int done = 0; !done;) {
    PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (!done) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

/// Of the program, everywhere: also in those that have left.
void await_end() {
  MPI_Request end = MPI_REQUEST_NULL;
  PMPI_Ibarrier(MPI_COMM_WORLD, &end);
  await(end);
}

/// A world of those that have ranks now, by rank; and the crew, which is another one of the same.
MPI_Comm make_world() {
  MPI_Group everybody = MPI_GROUP_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm world = MPI_COMM_NULL;
  PMPI_Comm_group(MPI_COMM_WORLD, &everybody);
  PMPI_Group_incl(everybody, static_cast<int>(process_of.size()), process_of.data(), &group);
  if (crew != MPI_COMM_NULL) PMPI_Comm_free(&crew);
  PMPI_Comm_create_group(MPI_COMM_WORLD, group, 0, &crew);
  PMPI_Comm_dup(crew, &world);
  PMPI_Group_free(&group);
  PMPI_Group_free(&everybody);
  return world;
}

cppc_status start(MPI_Comm* world, int* rank, int* size) {
  process_of.resize(static_cast<std::size_t>(ranks()));
  std::iota(process_of.begin(), process_of.end(), 0);
  *size = ranks();
  *rank = spare() < 0 ? process() : swaps[static_cast<std::size_t>(spare())].rank;
  *world = spare() < 0 ? make_world() : MPI_COMM_NULL;
  runtime->watch(&ring);
  return CPPC_OK;
}

int reached(std::uint64_t passed, unsigned) {
  return next_swap < swaps.size() && passed >= swaps[next_swap].point ? 1 : 0;
}

/// Until nothing is in flight between any two ranks. Those that have not come may wait for one that has.
void drain() {
  for (std::array<std::int64_t, 2> all{1, 0}; all[0] != 0 || all[1] != 0;) {
    cppc_traffic now{};
    runtime->traffic(&now);
    const std::array<std::int64_t, 2> mine{now.sent - now.received, now.active};
    MPI_Request sum = MPI_REQUEST_NULL;
    PMPI_Iallreduce(mine.data(), all.data(), 2, MPI_INT64_T, MPI_SUM, crew, &sum);
    for (int done = 0; !done;) {
      runtime->drain();
      PMPI_Test(&sum, &done, MPI_STATUS_IGNORE);
    }
  }
}

/// In the process whose rank moves.
[[noreturn]] void leave(int to) {
  StateBytes state;
  if (const cppc_status status = capture(*runtime, state); status != CPPC_OK)
    fail(std::string("the state cannot be saved: ") + cppc_status_text(status));
  const auto bytes = state.writer.bytes();
  PMPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to, kStateTag, MPI_COMM_WORLD);
  runtime->abandon();
  PMPI_Comm_free(&crew);
  std::fflush(nullptr);
  await_end();
  PMPI_Finalize();
  std::_Exit(EXIT_SUCCESS);
}

/// The seats after the next swap.
void swap_seats() {
  const auto replacement = ranks() + static_cast<int>(next_swap);
  process_of[static_cast<std::size_t>(swaps[next_swap].rank)] = replacement;
  ++next_swap;
}

void stopped(std::uint64_t passed, unsigned) {
  drain();
  const int source = process_of[static_cast<std::size_t>(swaps[next_swap].rank)];
  const int rank = swaps[next_swap].rank;
  swap_seats();
  if (process() == source) {
    std::fprintf(stderr, "swap extension: rank %d moves at safe point %ju\n", rank, std::uintmax_t{passed});
    leave(process_of[static_cast<std::size_t>(rank)]);
  }
  if (const cppc_status status = runtime->rebuild(make_world()); status != CPPC_OK)
    fail(std::string("the world cannot be rebuilt: ") + cppc_status_text(status));
}

std::vector<std::byte> receive_state() {
  MPI_Status status;
  for (int come = 0; !come;) {
    PMPI_Iprobe(MPI_ANY_SOURCE, kStateTag, MPI_COMM_WORLD, &come, &status);
    if (!come) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  int bytes = 0;
  PMPI_Get_count(&status, MPI_BYTE, &bytes);
  std::vector<std::byte> state(static_cast<std::size_t>(bytes));
  PMPI_Recv(state.data(), bytes, MPI_BYTE, status.MPI_SOURCE, kStateTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return state;
}

cppc_status fetch() { return restore(*runtime, receive_state()); }

cppc_status join() {
  while (next_swap <= static_cast<std::size_t>(spare())) swap_seats();
  return runtime->rebuild(make_world());
}

void cannot_restore(cppc_status status) {
  fail(std::string("the state cannot be restored: ") + cppc_status_text(status));
}

void finish() {
  if (next_swap < swaps.size()) fail("the program ends before the last move");
  PMPI_Comm_free(&crew);
  await_end();
}

bool read_swaps() {
  const char* text = std::getenv("CPPC_SWAP");
  std::istringstream list(text != nullptr ? text : "");
  for (std::string entry; std::getline(list, entry, ',');) {
    Swap swap{};
    char colon = 0;
    if (!(std::istringstream(entry) >> swap.point >> colon >> swap.rank) || colon != ':') return false;
    swaps.push_back(swap);
  }
  return !swaps.empty();
}

}  // namespace
}  // namespace cppc::test

extern "C" __attribute__((visibility("default"))) cppc_status cppc_extension(const cppc_runtime* offered,
                                                                             cppc_hooks* hooks) {
  using namespace cppc::test;
  if (offered->version != CPPC_HOOKS_VERSION) return CPPC_ERR_MISMATCH;
  runtime = offered;
  if (!read_swaps() || ranks() < 1) {
    std::fprintf(stderr, "swap extension: set CPPC_SWAP to moves, as 3:0,5:1, and start one process more for each\n");
    return CPPC_ERR_ARGUMENT;
  }
  *hooks = {.version = CPPC_HOOKS_VERSION,
            .replacement = spare() >= 0 ? 1 : 0,
            .start = start,
            .reached = reached,
            .stopped = stopped,
            .fetch = fetch,
            .join = join,
            .fail = cannot_restore,
            .finish = finish};
  return CPPC_OK;
}
