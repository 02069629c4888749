#include "mpi/withdrawable.hpp"

#include <mpi.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "address/process/threads.hpp"
#include "handles.hpp"
#include "mpi/collective_counts.hpp"
#include "mpi/collective_points.hpp"
#include "mpi/comm_table.hpp"
#include "mpi/datatypes.hpp"
#include "mpi/mpi_objects.hpp"
#include "mpi/operations.hpp"
#include "mpi/predefined.hpp"
#include "mpi/turns.hpp"

namespace cppc::mpi {
namespace {

enum class Kind : std::uint8_t {
  none,
  barrier,
  bcast,
  scatter,
  allgather,
  alltoall,
  allreduce,
  reduce_scatter_block,
};

/// An operation, as one member tells others of it: cppc_current_operation.
struct Operation {
  Kind kind = Kind::none;
  std::uint16_t type = 0;  ///< position in the list of MPI's own
  std::uint16_t op = 0;    ///< likewise
  std::uint32_t root = 0;
  std::uint64_t elements = 0;  ///< of each block
  std::size_t bytes = 0;       ///< likewise; others need not know

  [[nodiscard]] std::uint64_t what() const {
    return static_cast<std::uint64_t>(kind) | std::uint64_t{type} << 8 | std::uint64_t{op} << 20 |
           std::uint64_t{root} << 32;
  }
  static Operation of(std::uint64_t what, std::uint64_t elements) {
    constexpr std::uint64_t position = 0xfff;
    return {.kind = static_cast<Kind>(what & 0xff),
            .type = static_cast<std::uint16_t>(what >> 8 & position),
            .op = static_cast<std::uint16_t>(what >> 20 & position),
            .root = static_cast<std::uint32_t>(what >> 32),
            .elements = elements};
  }
};

/// One of MPI's own datatypes, or nothing.
struct Type {
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  std::optional<std::size_t> position;
  std::size_t extent = 0;

  explicit Type(MPI_Datatype type) : handle(type), position(position_of(type)) {
    MPI_Aint lower = 0;
    MPI_Aint bytes = 0;
    if (type != MPI_DATATYPE_NULL && position && PMPI_Type_get_extent(handle, &lower, &bytes) == MPI_SUCCESS)
      extent = static_cast<std::size_t>(bytes);
  }
};

/// The list is searched from its beginning: so the last types are kept.
const Type& type_of(MPI_Datatype type) {
  constexpr std::size_t kept = 7;  // MPI's objects lie at multiples of powers of two: these fall on different places
  static std::array<std::optional<Type>, kept> last;
  auto& place = last[reinterpret_cast<std::uintptr_t>(type) / sizeof(void*) % kept];
  if (!place || place->handle != type) place.emplace(type);
  return *place;
}

/// Nothing for an intercommunicator.
const Members* members_of(MPI_Comm comm) {
  const Members* const members = collective_counts().members(comm);
  return members != nullptr && members->known == Members::Known::of_one_group ? members : nullptr;
}

/// A block of `count` elements of `type` for each of `blocks` members.
Operation describe(Kind kind, int count, MPI_Datatype type, int blocks) {
  const Type& known = type_of(type);
  const std::size_t bytes = count > 0 ? static_cast<std::size_t>(count) * known.extent : 0;
  if (!known.position || bytes == 0 || bytes * static_cast<std::size_t>(blocks) > most_bytes) return {};
  return {.kind = kind,
          .type = static_cast<std::uint16_t>(*known.position),
          .elements = static_cast<std::uint64_t>(count),
          .bytes = bytes};
}

Operation from_root(Kind kind, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  const Members* const members = members_of(comm);
  if (members == nullptr || root < 0 || members->rank == root) return {};
  Operation one = describe(kind, count, type, members->size);
  one.root = static_cast<std::uint32_t>(root);
  return one;
}

Operation among_all(Kind kind, int count, MPI_Datatype type, MPI_Comm comm) {
  const Members* const members = members_of(comm);
  return members != nullptr ? describe(kind, count, type, members->size) : Operation{};
}

Operation reducing(Kind kind, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  const auto position = position_of(op);
  if (!position || op == MPI_OP_NULL) return {};
  Operation one = among_all(kind, count, type, comm);
  one.op = static_cast<std::uint16_t>(*position);
  return one;
}

/// What a call with MPI_IN_PLACE reads and overwrites.
class Overwritten {
 public:
  /// False when it is too much.
  bool keep(void* buffer, std::size_t bytes) {
    if (bytes > most_kept) return false;
    std::memcpy(kept_.data(), buffer, bytes);
    buffer_ = buffer;
    bytes_ = bytes;
    return true;
  }
  void put_back() const {
    if (buffer_ != nullptr) std::memcpy(buffer_, kept_.data(), bytes_);
  }

 private:
  void* buffer_ = nullptr;
  std::size_t bytes_ = 0;
  std::array<std::byte, most_kept> kept_;
};

/// Carries out `call`; `describe(overwritten)` is the operation that it is.
template <class Describe, class Call>
int perform(MPI_Comm comm, Describe describe, Call call) {
  collective_points.passed(comm);
  if (!call_point.watching()) {
    collective_counts().begin(comm);
    return call();
  }
  Overwritten overwritten;
  const Operation operation = describe(overwritten);
  // Of several that threads are inside of at the same time, others could only be told of one.
  const bool alone =
      !turns.taken() || (address::on_main_thread() && !address::threads::in_parallel_region() && !turns.others_enter());
  const std::uint64_t what = operation.kind == Kind::none || !alone ? 0 : operation.what();
  for (;;) {
    cppc_collective_count* const count = collective_counts().begin(comm, what, operation.elements);
    const int status = call();
    if (!collective_counts().ended(count)) return status;
    overwritten.put_back();
  }
}

/// `operation`, unless the call overwrites more of what it reads than can be kept.
Operation unless_lost(const Operation& operation, Overwritten& overwritten, const void* sent, void* buffer,
                      std::size_t blocks) {
  if (operation.kind == Kind::none || sent != MPI_IN_PLACE) return operation;
  return overwritten.keep(buffer, operation.bytes * blocks) ? operation : Operation{};
}

std::size_t size_of(MPI_Comm comm) {
  const Members* const members = members_of(comm);
  return members != nullptr ? static_cast<std::size_t>(members->size) : 0;
}

}  // namespace

}  // namespace cppc::mpi

using namespace cppc::mpi;

void cppc::mpi_state::take_part(const cppc_collective_count* count, std::uint64_t what, std::uint64_t elements) {
  const Entry entry;
  const std::size_t index = collective_counts().comm_of(count);
  const MPI_Comm comm = index == CollectiveCounts::world ? comms.world() : comms.at(index);
  const Operation operation = Operation::of(what, elements);
  const auto type = datatype_at(operation.type).value_or(MPI_BYTE);
  const auto op = op_at(operation.op).value_or(MPI_OP_NULL);
  const auto root = static_cast<int>(operation.root);
  const auto of_each = static_cast<int>(elements);
  int size = 0;
  must(PMPI_Comm_size(comm, &size), "MPI_Comm_size");
  const std::size_t bytes = elements * type_of(type).extent * static_cast<std::size_t>(size);
  std::vector<std::byte> sent(bytes);
  std::vector<std::byte> received(bytes);
  const ErrorsReturned errors_returned(comm);
  switch (operation.kind) {
    case Kind::barrier:
      return must(PMPI_Barrier(comm), "MPI_Barrier");
    case Kind::bcast:
      return must(PMPI_Bcast(sent.data(), of_each, type, root, comm), "MPI_Bcast");
    case Kind::scatter:
      return must(PMPI_Scatter(sent.data(), of_each, type, received.data(), of_each, type, root, comm), "MPI_Scatter");
    case Kind::allgather:
      return must(PMPI_Allgather(sent.data(), of_each, type, received.data(), of_each, type, comm), "MPI_Allgather");
    case Kind::alltoall:
      return must(PMPI_Alltoall(sent.data(), of_each, type, received.data(), of_each, type, comm), "MPI_Alltoall");
    case Kind::allreduce:
      return must(PMPI_Allreduce(sent.data(), received.data(), of_each, type, op, comm), "MPI_Allreduce");
    case Kind::reduce_scatter_block:
      return must(PMPI_Reduce_scatter_block(sent.data(), received.data(), of_each, type, op, comm),
                  "MPI_Reduce_scatter_block");
    case Kind::none:
      break;
  }
}

extern "C" {

int MPI_Barrier(MPI_Comm comm) {
  const Entry entry;
  return perform(
      comm, [&](Overwritten&) { return members_of(comm) != nullptr ? Operation{.kind = Kind::barrier} : Operation{}; },
      [&] { return waiting<PMPI_Barrier>(comms.real(comm, "MPI_Barrier")); });
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  const Entry entry;
  return perform(
      comm, [&](Overwritten&) { return from_root(Kind::bcast, count, datatype, root, comm); },
      [&] { return waiting<PMPI_Bcast>(buffer, count, real(datatype), root, comms.real(comm, "MPI_Bcast")); });
}

int MPI_Scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                MPI_Datatype recvtype, int root, MPI_Comm comm) {
  const Entry entry;
  return perform(
      comm, [&](Overwritten&) { return from_root(Kind::scatter, recvcount, recvtype, root, comm); },
      [&] {
        return waiting<PMPI_Scatter>(sendbuf, sendcount, real(sendtype), recvbuf, recvcount, real(recvtype), root,
                                     comms.real(comm, "MPI_Scatter"));
      });
}

// In place, each member's own block is read where the result has it, too.
int MPI_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                  MPI_Datatype recvtype, MPI_Comm comm) {
  const Entry entry;
  return perform(
      comm, [&](Overwritten&) { return among_all(Kind::allgather, recvcount, recvtype, comm); },
      [&] {
        return waiting<PMPI_Allgather>(sendbuf, sendcount, real(sendtype), recvbuf, recvcount, real(recvtype),
                                       comms.real(comm, "MPI_Allgather"));
      });
}

int MPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                 MPI_Datatype recvtype, MPI_Comm comm) {
  const Entry entry;
  return perform(
      comm,
      [&](Overwritten& overwritten) {
        return unless_lost(among_all(Kind::alltoall, recvcount, recvtype, comm), overwritten, sendbuf, recvbuf,
                           size_of(comm));
      },
      [&] {
        return waiting<PMPI_Alltoall>(sendbuf, sendcount, real(sendtype), recvbuf, recvcount, real(recvtype),
                                      comms.real(comm, "MPI_Alltoall"));
      });
}

int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  const Entry entry;
  return perform(
      comm,
      [&](Overwritten& overwritten) {
        return unless_lost(reducing(Kind::allreduce, count, datatype, op, comm), overwritten, sendbuf, recvbuf, 1);
      },
      [&] {
        return waiting<PMPI_Allreduce>(sendbuf, recvbuf, count, real(datatype), real(op),
                                       comms.real(comm, "MPI_Allreduce"));
      });
}

int MPI_Reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
                             MPI_Comm comm) {
  const Entry entry;
  return perform(
      comm,
      [&](Overwritten& overwritten) {
        return unless_lost(reducing(Kind::reduce_scatter_block, recvcount, datatype, op, comm), overwritten, sendbuf,
                           recvbuf, size_of(comm));
      },
      [&] {
        return waiting<PMPI_Reduce_scatter_block>(sendbuf, recvbuf, recvcount, real(datatype), real(op),
                                                  comms.real(comm, "MPI_Reduce_scatter_block"));
      });
}

}  // extern "C"
