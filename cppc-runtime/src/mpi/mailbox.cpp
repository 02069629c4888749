#include "mpi/mailbox.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "handles.hpp"
#include "log.hpp"
#include "mpi/comm_table.hpp"
#include "mpi/datatypes.hpp"
#include "mpi/mpi_objects.hpp"
#include "mpi/requests.hpp"
#include "mpi/traffic.hpp"
#include "never_destroyed.hpp"

namespace cppc::mpi {

namespace {

constexpr std::size_t least_message_bytes = 24;
constexpr std::size_t least_matched_bytes = 8 + least_message_bytes;

/// Any number of bytes, as one element when an int does not count them.
class Bytes {
 public:
  explicit Bytes(std::size_t bytes) {
    constexpr std::size_t block = std::size_t{1} << 30;
    if (bytes <= std::numeric_limits<int>::max()) {
      count_ = static_cast<int>(bytes);
      return;
    }
    MPI_Datatype blocks = MPI_DATATYPE_NULL;
    const int lengths[] = {static_cast<int>(bytes / block), static_cast<int>(bytes % block)};
    const MPI_Aint places[] = {0, static_cast<MPI_Aint>(bytes - bytes % block)};
    must(PMPI_Type_contiguous(static_cast<int>(block), MPI_BYTE, &blocks), "MPI_Type_contiguous");
    const MPI_Datatype types[] = {blocks, MPI_BYTE};
    must(PMPI_Type_create_struct(2, lengths, places, types, &type_), "MPI_Type_create_struct");
    must(PMPI_Type_commit(&type_), "MPI_Type_commit");
    PMPI_Type_free(&blocks);
    count_ = 1;
  }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  ~Bytes() {
    if (type_ != MPI_BYTE) PMPI_Type_free(&type_);
  }

  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] MPI_Datatype type() const { return type_; }

 private:
  int count_ = 0;
  MPI_Datatype type_ = MPI_BYTE;
};

/// A communicator of this process alone, that the program does not know.
MPI_Comm own_comm() {
  static MPI_Comm comm = [] {
    MPI_Comm made = MPI_COMM_NULL;
    must(PMPI_Comm_dup(MPI_COMM_SELF, &made), "MPI_Comm_dup");
    must(PMPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    return made;
  }();
  return comm;
}

void describe(const EarlyMessage& message, MPI_Status* status) {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = message.source;
  status->MPI_TAG = message.tag;
  must(PMPI_Status_set_elements_x(status, MPI_BYTE, static_cast<MPI_Count>(message.bytes.size())),
       "MPI_Status_set_elements_x");
  must(PMPI_Status_set_cancelled(status, 0), "MPI_Status_set_cancelled");
}

/// As a message to oneself, so that whatever the type, and however long the place, MPI does what it always does.
int deliver(const EarlyMessage& message, const Place& place, MPI_Status* status) {
  const Bytes bytes(message.bytes.size());
  MPI_Request sent = MPI_REQUEST_NULL;
  MPI_Status received;
  must(PMPI_Isend(message.bytes.data(), bytes.count(), bytes.type(), 0, 0, own_comm(), &sent), "MPI_Isend");
  const MPI_Datatype datatype = real(place.datatype);
  int error = PMPI_Recv(place.buf, place.count, datatype, 0, 0, own_comm(), &received);
  must(PMPI_Wait(&sent, MPI_STATUS_IGNORE), "MPI_Wait");
  // Open MPI does not mind when a message to oneself is cut.
  MPI_Count size = 0;
  must(PMPI_Type_size_x(datatype, &size), "MPI_Type_size_x");
  if (error == MPI_SUCCESS && size * place.count < static_cast<MPI_Count>(message.bytes.size()))
    error = MPI_ERR_TRUNCATE;
  if (status == MPI_STATUS_IGNORE) return error;
  received.MPI_SOURCE = message.source;
  received.MPI_TAG = message.tag;
  received.MPI_ERROR = status->MPI_ERROR;
  *status = received;
  return error;
}

/// Begins to receive `real`, a message of `size` bytes, which must stay where they are until it has arrived.
void begin_to_receive(MPI_Message real, MPI_Count size, EarlyMessage& message) {
  message.bytes.resize(static_cast<std::size_t>(size));
  const Bytes bytes(message.bytes.size());
  must(PMPI_Imrecv(message.bytes.data(), bytes.count(), bytes.type(), &real, &message.arriving), "MPI_Imrecv");
}

void write_message(const EarlyMessage& message, ByteWriter& writer) {
  const auto comm = handles::encode(CPPC_MPI_COMM, static_cast<const void*>(&message.comm));
  writer.u64(comm.value());  // the program's own, or one that MPI defines
  writer.i32(message.source);
  writer.i32(message.tag);
  writer.block(message.bytes);
}

EarlyMessage read_message(ByteReader& reader) {
  EarlyMessage message;
  if (!handles::decode(CPPC_MPI_COMM, reader.u64(), static_cast<void*>(&message.comm))) reader.fail();
  message.source = reader.i32();
  message.tag = reader.i32();
  const auto bytes = reader.block();
  message.bytes.assign(bytes.begin(), bytes.end());
  return message;
}

MPI_Count bytes_in(const MPI_Status& status) {
  MPI_Count size = 0;
  must(PMPI_Get_elements_x(&status, MPI_BYTE, &size), "MPI_Get_elements_x");
  return size;
}

}  // namespace

Mailbox::Messages::const_iterator Mailbox::find(const Envelope& wanted) const {
  return std::ranges::find_if(messages_, [&](const EarlyMessage& message) {
    return message.comm == wanted.comm && (wanted.source == MPI_ANY_SOURCE || wanted.source == message.source) &&
           (wanted.tag == MPI_ANY_TAG || wanted.tag == message.tag);
  });
}

bool Mailbox::probe(const Envelope& wanted, MPI_Status* status) const {
  const auto found = find(wanted);
  if (found == messages_.end()) return false;
  describe(*found, status);
  return true;
}

bool Mailbox::receive(const Envelope& wanted, const Place& place, MPI_Status* status, int* error) {
  const auto found = find(wanted);
  if (found == messages_.end()) return false;
  *error = deliver(*found, place, status);
  messages_.erase(found);
  --waiting_;
  return true;
}

bool Mailbox::match(const Envelope& wanted, MPI_Message* message, MPI_Status* status) {
  const auto found = find(wanted);
  if (found == messages_.end()) return false;
  describe(*found, status);
  *message = matched_.add({.early = *found});
  messages_.erase(found);
  --waiting_;
  return true;
}

void Mailbox::keep_matched(MPI_Comm comm, MPI_Message* message, const MPI_Status& status) {
  if (*message == MPI_MESSAGE_NULL || *message == MPI_MESSAGE_NO_PROC) return;
  *message = matched_.add({.real = *message,
                           .size = bytes_in(status),
                           .early = {.comm = comm, .source = status.MPI_SOURCE, .tag = status.MPI_TAG}});
}

MatchedMessage* Mailbox::find_matched(MPI_Message message) {
  return MatchedTable::is_virtual(message) ? matched_.find(message) : nullptr;
}

void Mailbox::forget_matched(MPI_Message* message) {
  matched_.remove(*message);
  *message = MPI_MESSAGE_NULL;
}

int Mailbox::deliver_matched(const MatchedMessage& message, const Place& place, MPI_Status* status) {
  return deliver(message.early, place, status);
}

void Mailbox::forget(MPI_Comm comm) {
  matched_.each([comm](std::size_t, MatchedMessage& message) {
    if (message.early.comm == comm) message.early.comm = MPI_COMM_WORLD;  // whose errors are those of no communicator
  });
  waiting_ -= std::erase_if(messages_, [comm](const EarlyMessage& message) { return message.comm == comm; });
}

void Mailbox::collect() {
  collect_from(MPI_COMM_WORLD);
  collect_from(MPI_COMM_SELF);
  for (const std::size_t index : comms.indices()) collect_from(CommTable::handle_of(index));
  collect_matched();
}

void Mailbox::collect_from(MPI_Comm comm) {
  if (requests().makes(comm)) return;  // it is not there yet
  const MPI_Comm real = comms.real(comm, __func__);
  for (;;) {
    int there = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    must(PMPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, real, &there, &message, &status), "MPI_Improbe");
    if (!there) return;
    EarlyMessage& early = messages_.emplace_back();
    early = {.comm = comm, .source = status.MPI_SOURCE, .tag = status.MPI_TAG, .bytes = {}};
    begin_to_receive(message, bytes_in(status), early);
    ++waiting_;
  }
}

void Mailbox::collect_matched() {
  matched_.each([](std::size_t, MatchedMessage& message) {
    if (message.real == MPI_MESSAGE_NULL) return;
    begin_to_receive(std::exchange(message.real, MPI_MESSAGE_NULL), message.size, message.early);
  });
}

template <class Visit>
void Mailbox::each_arriving(Visit visit) {
  const auto visit_arriving = [&visit](EarlyMessage& message) {
    if (message.arriving != MPI_REQUEST_NULL) visit(message);
  };
  std::ranges::for_each(messages_, visit_arriving);
  matched_.each([&](std::size_t, MatchedMessage& message) { visit_arriving(message.early); });
}

bool Mailbox::complete() {
  bool all = true;
  each_arriving([&all](EarlyMessage& message) {
    int there = 0;
    must(PMPI_Test(&message.arriving, &there, MPI_STATUS_IGNORE), "MPI_Test");
    if (there) traffic.received(MPI_SUCCESS, message.source);
    all = all && there != 0;
  });
  return all;
}

void Mailbox::await_complete() {
  each_arriving([](EarlyMessage& message) {
    must(PMPI_Wait(&message.arriving, MPI_STATUS_IGNORE), "MPI_Wait");
    traffic.received(MPI_SUCCESS, message.source);
  });
}

bool Mailbox::holds_any() {
  bool any = !messages_.empty();
  matched_.each([&](std::size_t, const MatchedMessage&) { any = true; });
  return any;
}

cppc_status Mailbox::write(ByteWriter& writer) {
  writer.u64(messages_.size());
  for (const EarlyMessage& message : messages_) write_message(message, writer);
  std::uint64_t matched = 0;
  bool all_here = true;
  matched_.each([&](std::size_t, const MatchedMessage& message) {
    ++matched;
    all_here = all_here && message.real == MPI_MESSAGE_NULL;
  });
  if (!all_here) {
    log().error("a message that MPI_Mprobe has matched is still MPI's: the rank has not been drained");
    return CPPC_ERR_NOT_QUIET;
  }
  writer.u64(matched);
  matched_.each([&writer](std::size_t index, const MatchedMessage& message) {
    writer.u64(index);
    write_message(message.early, writer);
  });
  return CPPC_OK;
}

void Mailbox::read(ByteReader& reader) {
  messages_.clear();
  matched_ = {};
  const std::uint64_t count = reader.count(least_message_bytes);
  for (std::uint64_t i = 0; i < count && reader.ok(); ++i) messages_.push_back(read_message(reader));
  waiting_ = messages_.size();
  const std::uint64_t matched = reader.count(least_matched_bytes);
  for (std::uint64_t i = 0; i < matched && reader.ok(); ++i) {
    const std::uint64_t index = reader.u64();
    const bool sound =
        index > 0 && index < MatchedTable::limit && matched_.find(MatchedTable::handle_of(index)) == nullptr;
    if (!sound) return reader.fail();
    matched_.put(index, {.early = read_message(reader)});
  }
}

Mailbox& mailbox() {
  static NeverDestroyed<Mailbox> instance;
  return *instance;
}

}  // namespace cppc::mpi
