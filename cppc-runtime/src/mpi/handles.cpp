/// Handles in the program's objects as numbers that mean the same in every process. 0 is no handle at all: memory that
/// the program has not set yet. A handle of MPI that dangles, since the program has never set it, becomes one that MPI
/// takes for invalid.
#include "handles.hpp"

#include <mpi.h>

#include <cstring>

#include "c_library/streams.hpp"
#include "mpi/comm_table.hpp"
#include "mpi/datatypes.hpp"
#include "mpi/error_handlers.hpp"
#include "mpi/files.hpp"
#include "mpi/groups.hpp"
#include "mpi/infos.hpp"
#include "mpi/mailbox.hpp"
#include "mpi/operations.hpp"
#include "mpi/predefined.hpp"
#include "mpi/requests.hpp"
#include "mpi/windows.hpp"

namespace cppc::handles {

using mpi::CommTable;

namespace {

using Stored = tl::expected<std::uint64_t, std::string>;
using Decoded = tl::expected<void, std::string>;

// A handle of a table is its own number.
enum : std::uint64_t { world = CommTable::limit, self, no_communicator };
enum : std::uint64_t { no_group = mpi::Groups::Table::limit, empty_group };
enum : std::uint64_t { no_file = mpi::Files::Table::limit };
enum : std::uint64_t { no_request = std::uint64_t{1} << 32 };
enum : std::uint64_t { no_window = mpi::Windows::Table::limit };
enum : std::uint64_t { no_message = mpi::Mailbox::MatchedTable::limit, message_of_nobody };

tl::unexpected<std::string> error(const char* why) { return tl::unexpected(std::string(why)); }

tl::unexpected<std::string> unknown_number() {
  return error("the image has a number for it that stands for no handle");
}

template <class Handle>
Handle load(const void* field) {
  Handle handle;
  std::memcpy(static_cast<void*>(&handle), field, sizeof handle);
  return handle;
}

template <class Handle>
Decoded store(void* field, Handle handle) {
  std::memcpy(field, static_cast<const void*>(&handle), sizeof handle);
  return {};
}

Stored encode(MPI_Comm comm) {
  if (CommTable::is_virtual(comm)) return CommTable::index_of(comm);
  if (comm == MPI_COMM_WORLD) return world;
  if (comm == MPI_COMM_SELF) return self;
  if (comm == MPI_COMM_NULL) return no_communicator;
  return error("it holds no communicator that the program has made or MPI defines");
}

Decoded decode_comm(std::uint64_t stored, void* field) {
  if (stored < CommTable::limit) return store(field, CommTable::handle_of(stored));
  if (stored == world) return store(field, MPI_COMM_WORLD);
  if (stored == self) return store(field, MPI_COMM_SELF);
  if (stored == no_communicator) return store(field, MPI_COMM_NULL);
  return unknown_number();
}

/// Of the kinds that OwnTable is for: MPI's own are behind those of the table. One that dangles becomes the first of
/// them, the null handle.
template <class Table, class Handle>
Stored encode_own(Handle handle) {
  if (Table::is_virtual(handle)) return Table::index_of(handle);
  return Table::limit + mpi::position_of(handle).value_or(0);
}

template <class Table, class Handle>
Decoded decode_own(std::uint64_t stored, std::optional<Handle> (*at)(std::size_t), void* field) {
  if (stored < Table::limit) return store(field, Table::handle_of(stored));
  if (const auto handle = at(stored - Table::limit)) return store(field, *handle);
  return unknown_number();
}

Stored encode(MPI_Group group) {
  if (mpi::Groups::Table::is_virtual(group)) return mpi::Groups::Table::index_of(group);
  return group == MPI_GROUP_EMPTY ? empty_group : no_group;
}

Decoded decode_group(std::uint64_t stored, void* field) {
  if (stored < mpi::Groups::Table::limit) return store(field, mpi::Groups::Table::handle_of(stored));
  if (stored == no_group) return store(field, MPI_GROUP_NULL);
  if (stored == empty_group) return store(field, MPI_GROUP_EMPTY);
  return unknown_number();
}

Stored encode(MPI_File file) {
  return mpi::Files::Table::is_virtual(file) ? mpi::Files::Table::index_of(file) : no_file;
}

Decoded decode_file(std::uint64_t stored, void* field) {
  if (stored < mpi::Files::Table::limit) return store(field, mpi::Files::Table::handle_of(stored));
  if (stored == no_file) return store(field, MPI_FILE_NULL);
  return unknown_number();
}

Stored encode(MPI_Request request) {
  if (request == MPI_Request{}) return 0;
  return mpi::requests().find(request) != nullptr ? mpi::Requests::index_of(request) : no_request;
}

Decoded decode_request(std::uint64_t stored, void* field) {
  if (stored == 0) return store(field, MPI_Request{});
  if (stored < no_request) return store(field, mpi::Requests::handle_of(stored));
  if (stored == no_request) return store(field, MPI_REQUEST_NULL);
  return unknown_number();
}

Stored encode(MPI_Win win) {
  return mpi::Windows::Table::is_virtual(win) ? mpi::Windows::Table::index_of(win) : no_window;
}

Decoded decode_window(std::uint64_t stored, void* field) {
  if (stored < mpi::Windows::Table::limit) return store(field, mpi::Windows::Table::handle_of(stored));
  if (stored == no_window) return store(field, MPI_WIN_NULL);
  return unknown_number();
}

Stored encode(MPI_Message message) {
  if (mpi::Mailbox::MatchedTable::is_virtual(message)) return mpi::Mailbox::MatchedTable::index_of(message);
  return message == MPI_MESSAGE_NO_PROC ? message_of_nobody : no_message;
}

Decoded decode_message(std::uint64_t stored, void* field) {
  if (stored < no_message) return store(field, mpi::Mailbox::MatchedTable::handle_of(stored));
  if (stored == no_message) return store(field, MPI_MESSAGE_NULL);
  if (stored == message_of_nobody) return store(field, MPI_MESSAGE_NO_PROC);
  return unknown_number();
}

Decoded decode_stream(std::uint64_t stored, void* field) {
  const auto stream = c_library::decode(stored);
  if (!stream) return tl::unexpected(stream.error());
  return store(field, *stream);
}

}  // namespace

Stored encode(cppc_kind kind, const void* field) {
  switch (kind) {
    case CPPC_MPI_COMM:
      return encode(load<MPI_Comm>(field));
    case CPPC_MPI_DATATYPE:
      return encode_own<mpi::Datatypes::Table>(load<MPI_Datatype>(field));
    case CPPC_MPI_OP:
      return encode_own<mpi::Operations::Table>(load<MPI_Op>(field));
    case CPPC_MPI_GROUP:
      return encode(load<MPI_Group>(field));
    case CPPC_MPI_REQUEST:
      return encode(load<MPI_Request>(field));
    case CPPC_MPI_INFO:
      return encode_own<mpi::Infos::Table>(load<MPI_Info>(field));
    case CPPC_MPI_ERRHANDLER:
      return encode_own<mpi::ErrorHandlers::Table>(load<MPI_Errhandler>(field));
    case CPPC_FILE:
      return c_library::encode(load<FILE*>(field));
    case CPPC_MPI_FILE:
      return encode(load<MPI_File>(field));
    case CPPC_MPI_WIN:
      return encode(load<MPI_Win>(field));
    case CPPC_MPI_MESSAGE:
      return encode(load<MPI_Message>(field));
    default:
      return error("it is no handle");
  }
}

Decoded decode(cppc_kind kind, std::uint64_t stored, void* field) {
  switch (kind) {
    case CPPC_MPI_COMM:
      return decode_comm(stored, field);
    case CPPC_MPI_DATATYPE:
      return decode_own<mpi::Datatypes::Table>(stored, mpi::datatype_at, field);
    case CPPC_MPI_OP:
      return decode_own<mpi::Operations::Table>(stored, mpi::op_at, field);
    case CPPC_MPI_GROUP:
      return decode_group(stored, field);
    case CPPC_MPI_REQUEST:
      return decode_request(stored, field);
    case CPPC_MPI_INFO:
      return decode_own<mpi::Infos::Table>(stored, mpi::info_at, field);
    case CPPC_MPI_ERRHANDLER:
      return decode_own<mpi::ErrorHandlers::Table>(stored, mpi::errhandler_at, field);
    case CPPC_FILE:
      return decode_stream(stored, field);
    case CPPC_MPI_FILE:
      return decode_file(stored, field);
    case CPPC_MPI_WIN:
      return decode_window(stored, field);
    case CPPC_MPI_MESSAGE:
      return decode_message(stored, field);
    default:
      return error("it is no handle");
  }
}

}  // namespace cppc::handles
