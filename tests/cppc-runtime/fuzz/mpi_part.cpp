/// The share of MPI and the C library in an image: communicators, groups, windows, files, requests, messages,
/// datatypes, operations, info objects, error handlers, attributes, streams, random numbers. All is read, and nothing
/// made.
#include <mpi.h>

#include <array>

#include "fuzz.hpp"
#include "handles.hpp"
#include "log.hpp"
#include "test_world.hpp"

const int cppc::test::moved_rank = -1;

/// Open MPI leaves memory behind.
extern "C" int __lsan_is_turned_off() { return 1; }

namespace {

using cppc::fuzz::Bytes;
using cppc::fuzz::require;

Bytes state() {
  cppc::ByteWriter writer;
  require(cppc::mpi_state::serialize(writer) == CPPC_OK);
  return std::move(writer).take();
}

void make_datatypes() {
  MPI_Datatype row, rows, both, part;
  MPI_Type_vector(2, 1, 4, MPI_INT, &row);
  MPI_Type_create_resized(row, 0, sizeof(int), &rows);
  const std::array lengths{1, 3}, sizes{4, 5}, subsizes{2, 2}, starts{1, 1};
  const std::array<MPI_Aint, 2> places{0, 64};
  const std::array types{rows, MPI_DOUBLE};
  MPI_Type_create_struct(2, lengths.data(), places.data(), types.data(), &both);
  MPI_Type_set_name(both, "both");
  MPI_Type_create_subarray(2, sizes.data(), subsizes.data(), starts.data(), MPI_ORDER_C, MPI_CHAR, &part);
  MPI_Type_free(&row);
}

void make_communicators() {
  MPI_Comm copy, grid, graph;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_set_name(copy, "copy");
  MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
  const std::array dims{1, 1}, periods{1, 0};
  const std::array index{1}, edges{0};
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims.data(), periods.data(), 0, &grid);
  MPI_Graph_create(MPI_COMM_WORLD, 1, index.data(), edges.data(), 0, &graph);
  MPI_Group all;
  MPI_Comm_group(copy, &all);
}

int window_memory[16];
int request_memory[4];

void make_others() {
  MPI_Request request;
  MPI_Recv_init(request_memory, 4, MPI_INT, 0, 7, MPI_COMM_WORLD, &request);
  MPI_Win window;
  MPI_Win_create(window_memory, sizeof window_memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  int key = 0;
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, request_memory);
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "colour", "red");
  MPI_Info_set(info, "shade", "dark");
}

/// MPI alone, without its daemon.
void start() {
  static const bool started = [] {
    setenv("OMPI_MCA_ess_singleton_isolated", "1", 1);
    setenv("OMPI_MCA_osc", "pt2pt", 1);  // the one that makes windows for a process alone
    MPI_Init(nullptr, nullptr);
    cppc::log().silence(true);
    return true;
  }();
  require(started);
}

}  // namespace

namespace cppc::fuzz {

std::vector<Bytes> seeds() {
  start();
  std::vector<Bytes> all{state()};
  make_datatypes();
  all.push_back(state());
  make_communicators();
  all.push_back(state());
  make_others();
  all.push_back(state());
  return all;
}

}  // namespace cppc::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  start();
  cppc::ByteReader reader(std::as_bytes(std::span(data, size)));
  const cppc_status status = cppc::mpi_state::check(reader);
  require(status == CPPC_OK || status == CPPC_ERR_IMAGE);
  return 0;
}
