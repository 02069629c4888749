/// Persistent requests. They are bound to a communicator and to memory of their process, so under an extension the
/// program holds small numbers in their place, and they are made anew whenever a rank has moved. What one was made with
/// is kept in the tracked heap: the runtime carries it over as it does the program's own objects, pointer included.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "bytes.hpp"
#include "cppc/status.h"
#include "mpi/virtual_table.hpp"

namespace cppc::mpi {

struct PersistentCall;

struct PersistentRequest {
  PersistentCall* call = nullptr;  ///< a block of the tracked heap
  MPI_Request real = MPI_REQUEST_NULL;
  bool active = false;
  bool orphan = false;  ///< its communicator has been freed: it works, and cannot be made again
};

enum class PersistentKind : std::uint8_t { send, bsend, ssend, rsend, recv };

/// By index in the table, the number of the block in the tracked heap.
using PersistentBlocks = std::vector<std::pair<std::size_t, std::uint64_t>>;

class PersistentRequests {
 public:
  using Table = VirtualTable<MPI_Request, PersistentRequest>;

  /// Null when `request` is none of these.
  [[nodiscard]] PersistentRequest* find(MPI_Request request) {
    return Table::is_virtual(request) ? table_.find(request) : nullptr;
  }

  /// Makes one; *out is a handle of the table. `comm` and `datatype` as the program knows them.
  int create(PersistentKind kind, const void* buffer, int count, MPI_Datatype datatype, int peer, int tag,
             MPI_Comm comm, MPI_Request* out);

  /// The real request of `request` is no longer the table's.
  void remove(MPI_Request request);

  /// `request` has been started: counts its message.
  static void started(PersistentRequest& request);

  /// The program has freed `comm`. A request that is bound to it counts as active until it is freed: a rank that has
  /// one is not migrated, nor is any other.
  void orphan(MPI_Comm comm);

  /// The blocks that hold them.
  [[nodiscard]] PersistentBlocks blocks();

  static void write(const PersistentBlocks& blocks, ByteWriter& writer);
  static PersistentBlocks read(ByteReader& reader);

  /// In a replacement, once the heap is restored: takes over the blocks. CPPC_ERR_IMAGE, logged.
  cppc_status adopt(const PersistentBlocks& blocks);

  /// Frees all real requests, before their communicators are.
  void free_real();

  /// Makes all real requests anew. CPPC_ERR_MPI, logged.
  cppc_status make_real();

 private:
  Table table_;
};

PersistentRequests& persistent_requests();

}  // namespace cppc::mpi
