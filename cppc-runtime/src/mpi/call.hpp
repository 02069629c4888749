/// What a request of point-to-point communication was made with, enough to make it again.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "cppc/cppc.h"
#include "cppc/status.h"

namespace cppc::mpi {

enum class CallKind : std::uint8_t { send, bsend, ssend, rsend, recv };

struct Call {
  void* buf;
  MPI_Datatype datatype;  ///< as the program knows it
  MPI_Comm comm;          ///< likewise
  CallKind kind;
  int count;
  int peer;
  int tag;
};

/// Of a Call in the tracked heap, where the runtime carries it over as it does the program's own objects.
extern const cppc_type call_type;

/// The function of MPI that makes a persistent request of this kind.
const char* init_name(const Call& call);

/// Makes a persistent request; what MPI returned.
int init(const Call& call, MPI_Request* made);

/// Null, logged, when block `number` of the tracked heap is no sound call.
Call* call_at(const class BlockNumbers& blocks, std::uint64_t number);

}  // namespace cppc::mpi
