/// Messages that were received at a migration point, before the program has asked for them (drain.hpp). Whatever the
/// program receives comes from here first: what lies here was sent before anything that MPI has.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <list>
#include <vector>

#include "bytes.hpp"
#include "cppc/status.h"

namespace cppc::mpi {

struct EarlyMessage {
  MPI_Comm comm = MPI_COMM_NULL;  ///< as the program knows it
  int source = MPI_PROC_NULL;
  int tag = 0;
  std::vector<std::byte> bytes;  ///< as MPI packs them
  MPI_Request arriving = MPI_REQUEST_NULL;
};

/// Which messages a receive takes.
struct Envelope {
  int source = MPI_ANY_SOURCE;
  int tag = MPI_ANY_TAG;
  MPI_Comm comm = MPI_COMM_NULL;
};

/// Where a receive puts a message.
struct Place {
  void* buf;
  int count;
  MPI_Datatype datatype;
};

class Mailbox {
 public:
  [[nodiscard]] static bool empty() { return waiting_ == 0; }

  /// Of the first message that the receive takes; false when there is none.
  bool probe(const Envelope& wanted, MPI_Status* status) const;

  /// Likewise, and takes it: *error is what MPI said of putting it in its place.
  bool receive(const Envelope& wanted, const Place& place, MPI_Status* status, int* error);

  /// Likewise, for take_matched() alone; *message is this table's.
  bool match(const Envelope& wanted, MPI_Message* message, MPI_Status* status);

  /// Whether `message` is one that match() gave.
  [[nodiscard]] static bool is_own(MPI_Message message);
  int take_matched(MPI_Message* message, const Place& place, MPI_Status* status);

  /// The program has freed `comm`: nobody can receive what was sent on it, and its handle may become another's.
  void forget(MPI_Comm comm);

  /// Begins to take all messages that have come, of any communicator. They count as received once they are there in
  /// full.
  void collect();

  bool complete();
  void await_complete();

  /// CPPC_ERR_UNSUPPORTED, logged, when one is matched and not received.
  cppc_status write(ByteWriter& writer) const;
  void read(ByteReader& reader);

 private:
  using Messages = std::list<EarlyMessage>;
  [[nodiscard]] Messages::const_iterator find(const Envelope& wanted) const;
  void collect_from(MPI_Comm comm);
  void take(MPI_Comm comm, MPI_Message message, const MPI_Status& status);

  inline static constinit std::size_t waiting_ = 0;  // in messages_
  Messages messages_;
  std::vector<EarlyMessage> matched_;
};

Mailbox& mailbox();

}  // namespace cppc::mpi
