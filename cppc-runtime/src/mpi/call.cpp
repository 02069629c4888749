#include "mpi/call.hpp"

#include <array>
#include <cstddef>

#include "log.hpp"
#include "mpi/comm_table.hpp"
#include "mpi/datatypes.hpp"
#include "mpi/kept.hpp"

namespace cppc::mpi {

namespace {

constexpr std::array fields{
    cppc_field{"buf", offsetof(Call, buf), &cppc_type_pointer, 1},
    cppc_field{"datatype", offsetof(Call, datatype), &cppc_type_mpi_datatype, 1},
    cppc_field{"comm", offsetof(Call, comm), &cppc_type_mpi_comm, 1},
    cppc_field{"kind", offsetof(Call, kind), &cppc_type_unsigned_char, 1},
    cppc_field{"count", offsetof(Call, count), &cppc_type_int, 1},
    cppc_field{"peer", offsetof(Call, peer), &cppc_type_int, 1},
    cppc_field{"tag", offsetof(Call, tag), &cppc_type_int, 1},
};

struct Init {
  const char* name;
  int (*make)(const Call& call, MPI_Comm comm, MPI_Request* made);
};

template <auto function>
int call_init(const Call& call, MPI_Comm comm, MPI_Request* made) {
  return function(call.buf, call.count, real(call.datatype), call.peer, call.tag, comm, made);
}

// By CallKind.
constexpr std::array inits{
    Init{"MPI_Send_init", call_init<PMPI_Send_init>}, Init{"MPI_Bsend_init", call_init<PMPI_Bsend_init>},
    Init{"MPI_Ssend_init", call_init<PMPI_Ssend_init>}, Init{"MPI_Rsend_init", call_init<PMPI_Rsend_init>},
    Init{"MPI_Recv_init", call_init<PMPI_Recv_init>}};

const Init& init_of(const Call& call) { return inits[static_cast<std::size_t>(call.kind)]; }

}  // namespace

constexpr cppc_type call_type = {CPPC_STRUCT, sizeof(Call), "request", fields.data(), fields.size()};

const char* init_name(const Call& call) { return init_of(call).name; }

int init(const Call& call, MPI_Request* made) {
  return init_of(call).make(call, comms.real(call.comm, init_name(call)), made);
}

Call* call_at(const BlockNumbers& blocks, std::uint64_t number) {
  auto* const call = blocks.at<Call>(number, call_type);
  if (call == nullptr || static_cast<std::size_t>(call->kind) < inits.size()) return call;
  log().error("heap/{}.kind in the image is no kind of request", number);
  return nullptr;
}

}  // namespace cppc::mpi
