#include "mpi/fortran_handles.hpp"

#include <cstdint>
#include <limits>
#include <optional>

#include "log.hpp"
#include "mpi/comm_table.hpp"
#include "mpi/datatypes.hpp"
#include "mpi/error_handlers.hpp"
#include "mpi/files.hpp"
#include "mpi/groups.hpp"
#include "mpi/infos.hpp"
#include "mpi/mailbox.hpp"
#include "mpi/mpi_objects.hpp"
#include "mpi/operations.hpp"
#include "mpi/refuse.hpp"
#include "mpi/requests.hpp"
#include "mpi/turns.hpp"
#include "mpi/windows.hpp"

namespace cppc::mpi {

namespace {

using Number = std::optional<std::uint64_t>;

/// Open MPI's numbers are below: it gives them out one by one, the lowest that is free.
constexpr MPI_Fint first_number = 1 << 24;
constexpr std::uint64_t most_numbers = std::numeric_limits<MPI_Fint>::max() - first_number;

MPI_Fint as_fortran(std::uint64_t number) {
  if (number > most_numbers) abort_job("the program has made more objects of MPI than an INTEGER of Fortran can count");
  return first_number + static_cast<MPI_Fint>(number);
}

// The number of an own object in its table, nothing for one of MPI's own.

template <class Table, class Handle>
Number number_in_table(Handle handle) {
  return Table::is_virtual(handle) ? Number(Table::index_of(handle)) : std::nullopt;
}

Number number_of(MPI_Comm comm) { return number_in_table<CommTable>(comm); }
Number number_of(MPI_File file) { return number_in_table<Files::Table>(file); }
Number number_of(MPI_Group group) { return number_in_table<Groups::Table>(group); }
Number number_of(MPI_Win win) { return number_in_table<Windows::Table>(win); }
Number number_of(MPI_Request request) { return number_in_table<Requests>(request); }
Number number_of(MPI_Op op) { return number_in_table<Operations::Table>(op); }
Number number_of(MPI_Info info) { return number_in_table<Infos::Table>(info); }
Number number_of(MPI_Errhandler handler) { return number_in_table<ErrorHandlers::Table>(handler); }
Number number_of(MPI_Message message) { return number_in_table<Mailbox::MatchedTable>(message); }

Number number_of(MPI_Datatype type) {
  const Number number = number_in_table<Datatypes::Table>(type);
  if (!number && type != MPI_DATATYPE_NULL && is_derived(type))
    refuse("a number of Fortran for a datatype that only MPI knows");
  return number;
}

template <class Table>
auto handle_in_table(std::uint64_t number) {
  return Table::handle_of(number < Table::limit ? number : 0);
}

template <class Handle>
Handle handle_of(std::uint64_t number);

template <>
MPI_Comm handle_of(std::uint64_t number) {
  return handle_in_table<CommTable>(number);
}
template <>
MPI_File handle_of(std::uint64_t number) {
  return handle_in_table<Files::Table>(number);
}
template <>
MPI_Group handle_of(std::uint64_t number) {
  return handle_in_table<Groups::Table>(number);
}
template <>
MPI_Win handle_of(std::uint64_t number) {
  return handle_in_table<Windows::Table>(number);
}
template <>
MPI_Op handle_of(std::uint64_t number) {
  return handle_in_table<Operations::Table>(number);
}
template <>
MPI_Info handle_of(std::uint64_t number) {
  return handle_in_table<Infos::Table>(number);
}
template <>
MPI_Errhandler handle_of(std::uint64_t number) {
  return handle_in_table<ErrorHandlers::Table>(number);
}
template <>
MPI_Datatype handle_of(std::uint64_t number) {
  return handle_in_table<Datatypes::Table>(number);
}
template <>
MPI_Message handle_of(std::uint64_t number) {
  return handle_in_table<Mailbox::MatchedTable>(number);
}
template <>
MPI_Request handle_of(std::uint64_t number) {
  return Requests::handle_of(number);
}

template <class Handle>
MPI_Fint convert(Handle handle, MPI_Fint (*by_mpi)(Handle)) {
  if (handle == Handle{}) return -1;
  if (comms.managed()) {
    if (const Number number = number_of(handle)) return as_fortran(*number);
  }
  return by_mpi(handle);
}

template <class Handle>
Handle convert(MPI_Fint number, Handle (*by_mpi)(MPI_Fint)) {
  if (!comms.managed() || number < first_number) return by_mpi(number);
  return handle_of<Handle>(static_cast<std::uint64_t>(number) - first_number);
}

}  // namespace

#define CPPC_CONVERT(type, name)                                              \
  MPI_Fint to_fortran(type handle) { return convert(handle, P##name##_c2f); } \
  template <>                                                                 \
  type from_fortran<type>(MPI_Fint number) {                                  \
    return convert<type>(number, P##name##_f2c);                              \
  }
CPPC_FORTRAN_HANDLES(CPPC_CONVERT)

}  // namespace cppc::mpi

extern "C" {

#define CPPC_INTERPOSE(type, name)                \
  MPI_Fint name##_c2f(type handle) {              \
    const cppc::mpi::Entry entry;                 \
    return cppc::mpi::to_fortran(handle);         \
  }                                               \
  type name##_f2c(MPI_Fint number) {              \
    const cppc::mpi::Entry entry;                 \
    return cppc::mpi::from_fortran<type>(number); \
  }
CPPC_FORTRAN_HANDLES(CPPC_INTERPOSE)

}  // extern "C"
