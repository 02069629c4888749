#include "mpi/persistent.hpp"

#include <array>

#include "cppc/cppc.h"
#include "log.hpp"
#include "mpi/comm_table.hpp"
#include "mpi/datatypes.hpp"
#include "mpi/kept.hpp"
#include "mpi/mpi_objects.hpp"
#include "mpi/traffic.hpp"
#include "never_destroyed.hpp"

namespace cppc::mpi {

struct PersistentCall {
  void* buf;
  MPI_Datatype datatype;
  MPI_Comm comm;
  PersistentKind kind;
  int count;
  int peer;
  int tag;
};

namespace {

constexpr std::array call_fields{
    cppc_field{"buf", offsetof(PersistentCall, buf), &cppc_type_pointer, 1},
    cppc_field{"datatype", offsetof(PersistentCall, datatype), &cppc_type_mpi_datatype, 1},
    cppc_field{"comm", offsetof(PersistentCall, comm), &cppc_type_mpi_comm, 1},
    cppc_field{"kind", offsetof(PersistentCall, kind), &cppc_type_unsigned_char, 1},
    cppc_field{"count", offsetof(PersistentCall, count), &cppc_type_int, 1},
    cppc_field{"peer", offsetof(PersistentCall, peer), &cppc_type_int, 1},
    cppc_field{"tag", offsetof(PersistentCall, tag), &cppc_type_int, 1},
};
constexpr cppc_type call_type = {CPPC_STRUCT, sizeof(PersistentCall), "persistent request", call_fields.data(),
                                 call_fields.size()};

struct Init {
  const char* name;
  int (*make)(const PersistentCall& call, MPI_Comm comm, MPI_Request* made);
};

template <auto function>
int init(const PersistentCall& call, MPI_Comm comm, MPI_Request* made) {
  return function(call.buf, call.count, call.datatype, call.peer, call.tag, comm, made);
}

// By PersistentKind.
constexpr std::array inits{Init{"MPI_Send_init", init<PMPI_Send_init>}, Init{"MPI_Bsend_init", init<PMPI_Bsend_init>},
                           Init{"MPI_Ssend_init", init<PMPI_Ssend_init>}, Init{"MPI_Rsend_init", init<PMPI_Rsend_init>},
                           Init{"MPI_Recv_init", init<PMPI_Recv_init>}};

const Init& init_of(const PersistentCall& call) { return inits[static_cast<std::size_t>(call.kind)]; }

int make(const PersistentCall& call, MPI_Request* made) {
  const Init& init = init_of(call);
  return init.make(call, comms.real(call.comm, init.name), made);
}

}  // namespace

int PersistentRequests::create(PersistentKind kind, const void* buffer, int count, MPI_Datatype datatype, int peer,
                               int tag, MPI_Comm comm, MPI_Request* out) {
  const PersistentCall call{.buf = const_cast<void*>(buffer),
                            .datatype = datatype,
                            .comm = comm,
                            .kind = kind,
                            .count = count,
                            .peer = peer,
                            .tag = tag};
  MPI_Request made = MPI_REQUEST_NULL;
  if (const int status = make(call, &made); status != MPI_SUCCESS) return status;
  datatypes().retain(datatype);
  *out = table_.add({.call = keep(call_type, call), .real = made});
  return MPI_SUCCESS;
}

void PersistentRequests::remove(MPI_Request request) {
  const PersistentRequest& removed = *table_.find(request);
  if (removed.orphan) traffic.completed(1);
  datatypes().release(removed.call->datatype);
  heap().release(removed.call);
  table_.remove(request);
}

void PersistentRequests::started(PersistentRequest& request) {
  request.active = true;
  const PersistentCall& call = *request.call;
  if (call.kind == PersistentKind::recv) {
    traffic.received(MPI_SUCCESS, call.peer);
  } else {
    traffic.sent(MPI_SUCCESS, call.peer);
  }
  traffic.activated(1);
}

void PersistentRequests::orphan(MPI_Comm comm) {
  table_.each([&](std::size_t, PersistentRequest& request) {
    if (request.orphan || request.call->comm != comm) return;
    request.orphan = true;
    traffic.activated(1);
    log().warn(
        "MPI_Comm_free: a persistent request of {} uses the communicator on; no rank is migrated before it is "
        "freed, by MPI_Request_free",
        init_of(*request.call).name);
  });
}

PersistentBlocks PersistentRequests::blocks() {
  PersistentBlocks blocks;
  table_.each([&](std::size_t index, const PersistentRequest&) { blocks.emplace_back(index, 0); });
  if (blocks.empty()) return blocks;
  const BlockNumbers numbers;
  for (auto& [index, number] : blocks) number = numbers.of(table_.find(Table::handle_of(index))->call);
  return blocks;
}

void PersistentRequests::write(const PersistentBlocks& blocks, ByteWriter& writer) {
  writer.u64(blocks.size());
  for (const auto& [index, number] : blocks) {
    writer.u32(static_cast<std::uint32_t>(index));
    writer.u64(number);
  }
}

PersistentBlocks PersistentRequests::read(ByteReader& reader) {
  PersistentBlocks blocks;
  const std::uint64_t count = reader.count(sizeof(std::uint32_t) + sizeof(std::uint64_t));
  std::uint32_t before = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint32_t index = reader.u32();
    blocks.emplace_back(index, reader.u64());
    if (index <= before || index >= Table::limit) reader.fail();
    before = index;
  }
  return blocks;
}

cppc_status PersistentRequests::adopt(const PersistentBlocks& blocks) {
  if (blocks.empty()) return CPPC_OK;
  const BlockNumbers numbers;
  for (const auto& [index, number] : blocks) {
    auto* const call = numbers.at<PersistentCall>(number, call_type);
    if (call == nullptr) return CPPC_ERR_IMAGE;
    if (static_cast<std::size_t>(call->kind) >= inits.size()) {
      log().error("heap/{}.kind in the image is no kind of persistent request", number);
      return CPPC_ERR_IMAGE;
    }
    table_.put(index, {.call = call});
  }
  return CPPC_OK;
}

void PersistentRequests::free_real() {
  table_.each([](std::size_t, PersistentRequest& request) {
    if (request.real != MPI_REQUEST_NULL) must(PMPI_Request_free(&request.real), "MPI_Request_free");
  });
}

cppc_status PersistentRequests::make_real() {
  cppc_status result = CPPC_OK;
  table_.each([&](std::size_t, PersistentRequest& request) {
    const int status = make(*request.call, &request.real);
    if (status == MPI_SUCCESS) return;
    log().error("cannot make a persistent request again: {}: {}", init_of(*request.call).name, error_text(status));
    result = CPPC_ERR_MPI;
  });
  return result;
}

PersistentRequests& persistent_requests() {
  static NeverDestroyed<PersistentRequests> instance;
  return *instance;
}

}  // namespace cppc::mpi

using namespace cppc::mpi;

#define INIT(name, kind, buffer_type)                                                                          \
  int name(buffer_type buf, int count, MPI_Datatype datatype, int peer, int tag, MPI_Comm comm,                \
           MPI_Request* request) {                                                                             \
    if (!comms.managed()) return P##name(buf, count, datatype, peer, tag, comm, request);                      \
    return persistent_requests().create(PersistentKind::kind, buf, count, datatype, peer, tag, comm, request); \
  }

extern "C" {

INIT(MPI_Send_init, send, const void*)
INIT(MPI_Bsend_init, bsend, const void*)
INIT(MPI_Ssend_init, ssend, const void*)
INIT(MPI_Rsend_init, rsend, const void*)
INIT(MPI_Recv_init, recv, void*)

}  // extern "C"
