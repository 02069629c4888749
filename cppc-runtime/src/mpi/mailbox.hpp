/// Messages that were received at a migration point, before the program has asked for them (drain.hpp). Whatever the
/// program receives comes from here first: what lies here was sent before anything that MPI has. Those that MPI_Mprobe
/// has matched are kept by their handles, which are numbers under an extension, wherever they lie.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <list>
#include <vector>

#include "bytes.hpp"
#include "cppc/status.h"
#include "mpi/virtual_table.hpp"

namespace cppc::mpi {

struct EarlyMessage {
  MPI_Comm comm = MPI_COMM_NULL;  ///< as the program knows it
  int source = MPI_PROC_NULL;
  int tag = 0;
  std::vector<std::byte> bytes;  ///< as MPI packs them
  MPI_Request arriving = MPI_REQUEST_NULL;
};

/// A message that the program has matched and not yet received.
struct MatchedMessage {
  MPI_Message real = MPI_MESSAGE_NULL;  ///< as long as MPI has it
  MPI_Count size = 0;                   ///< in bytes
  EarlyMessage early;                   ///< afterwards
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
  MPI_Datatype datatype;  ///< as the program knows it
};

class Mailbox {
 public:
  using MatchedTable = VirtualTable<MPI_Message, MatchedMessage>;

  [[nodiscard]] static bool empty() { return waiting_ == 0; }

  /// Whether any message lies here, those that are matched included.
  [[nodiscard]] bool holds_any();

  /// Of the first message that the receive takes; false when there is none.
  bool probe(const Envelope& wanted, MPI_Status* status) const;

  /// Likewise, and takes it: *error is what MPI said of putting it in its place.
  bool receive(const Envelope& wanted, const Place& place, MPI_Status* status, int* error);

  /// Likewise, and keeps it as matched: *message is the table's.
  bool match(const Envelope& wanted, MPI_Message* message, MPI_Status* status);

  /// MPI has matched *message, sent on `comm`: it becomes the table's, unless there is none.
  void keep_matched(MPI_Comm comm, MPI_Message* message, const MPI_Status& status);

  /// Null when `message` is none of the table's, or no more.
  [[nodiscard]] MatchedMessage* find_matched(MPI_Message message);

  /// The program has received *message, or MPI does so.
  void forget_matched(MPI_Message* message);

  /// Receives a matched message that lies here. What MPI said of putting it in its place.
  static int deliver_matched(const MatchedMessage& message, const Place& place, MPI_Status* status);

  /// The program has freed `comm`: nobody can receive what was sent on it but by matched messages, and its handle may
  /// become another's.
  void forget(MPI_Comm comm);

  /// Begins to take all messages that have come, of any communicator, and those that are matched. They count as
  /// received once they are there in full.
  void collect();

  bool complete();
  void await_complete();

  /// CPPC_ERR_NOT_QUIET, logged, when MPI has one that is matched.
  cppc_status write(ByteWriter& writer);
  void read(ByteReader& reader);

 private:
  using Messages = std::list<EarlyMessage>;
  [[nodiscard]] Messages::const_iterator find(const Envelope& wanted) const;
  void collect_from(MPI_Comm comm);
  void collect_matched();
  template <class Visit>
  void each_arriving(Visit visit);

  inline static constinit std::size_t waiting_ = 0;  // in messages_
  Messages messages_;
  MatchedTable matched_;
};

Mailbox& mailbox();

}  // namespace cppc::mpi
