/// Functions of mpif.h that say more than the types of their parameters in C: lists of handles, numbers of MPI
/// 1 that are too small for addresses, attributes, which are integers.
#include <mpi.h>

#include <string>
#include <vector>

#include "mpi/comm_table.hpp"
#include "mpi/error_handlers.hpp"
#include "mpi/fortran_arguments.hpp"
#include "mpi/fortran_spellings.hpp"
#include "mpi/operations.hpp"
#include "mpi/own_attributes.hpp"
#include "mpi/turns.hpp"
#include "mpi/type_lists.hpp"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // MPI_Attr_get

namespace {

using namespace cppc::mpi;
using fortran::buffer;
using fortran::handle_at;
using fortran::Handles;

/// MPI_UNDEFINED when it is too large for an INTEGER.
MPI_Fint as_integer(MPI_Aint value) {
  return value == static_cast<MPI_Fint>(value) ? static_cast<MPI_Fint>(value) : MPI_UNDEFINED;
}

std::vector<MPI_Aint> as_addresses(const MPI_Fint* values, int count) {
  return {values, values + (count > 0 ? count : 0)};
}

int make_struct(int count, const int* lengths, const MPI_Aint* displacements, void* types, void* made) {
  Handles<MPI_Datatype> parts(types, count), type(made, 1);
  const int status = MPI_Type_create_struct(count, lengths, displacements, parts.get(), type.get());
  type.finish();
  return status;
}

int extent_of(const void* type, MPI_Aint* lowest, MPI_Aint* extent) {
  return MPI_Type_get_extent(handle_at<MPI_Datatype>(type), lowest, extent);
}

// ---- Lists with a datatype for each rank

Types types_at(void* place, int count) { return Handles<MPI_Datatype>(place, count).values(); }

// ---- Attributes: in C pointers, to integers when they are MPI's own

/// Of a communicator, for which the program's own ones are pointers.
bool comm_attribute(const void* comm, const MPI_Fint* key, MPI_Aint* value, MPI_Fint* found, MPI_Fint* error) {
  void* attribute = nullptr;
  *error = MPI_Comm_get_attr(handle_at<MPI_Comm>(comm), *key, static_cast<void*>(&attribute), found);
  if (*error != MPI_SUCCESS || *found == 0) return false;
  *value = is_own_key(*key) ? reinterpret_cast<MPI_Aint>(attribute) : *static_cast<const int*>(attribute);
  return true;
}

MPI_Aint window_attribute(int key, void* attribute) {
  if (key == MPI_WIN_BASE) return reinterpret_cast<MPI_Aint>(attribute);
  if (key == MPI_WIN_SIZE) return *static_cast<const MPI_Aint*>(attribute);
  return *static_cast<const int*>(attribute);
}

/// Open MPI's function for a plain program, which may have attributes of Fortran; null for others.
template <class Function>
Function* of_open_mpi(const char* name, Function* /*own*/) {
  return comms.managed() ? nullptr : reinterpret_cast<Function*>(fortran::next_function(name));
}

// ---- Error handlers, which MPI is to call as Fortran's procedures

using ErrorProcedure = void (*)(MPI_Fint* object, MPI_Fint* code);

void create_errhandler(HandlerKind kind, ErrorProcedure procedure, void* handler, MPI_Fint* error) {
  Handles<MPI_Errhandler> made(handler, 1);
  *error =
      error_handlers().create(kind, HandlerLanguage::fortran, reinterpret_cast<AnyFunction>(procedure), made.get());
  made.finish();
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

// ---- Environment

void mpi_init_(MPI_Fint* error) {
  const Entry entry;
  *error = MPI_Init(nullptr, nullptr);
}

void mpi_init_thread_(const MPI_Fint* required, MPI_Fint* provided, MPI_Fint* error) {
  const Entry entry;
  *error = MPI_Init_thread(nullptr, nullptr, *required, provided);
}

double mpi_wtime_() {
  const Entry entry;
  return MPI_Wtime();
}
double mpi_wtick_() {
  const Entry entry;
  return MPI_Wtick();
}

void mpi_pcontrol_(const MPI_Fint* level) {
  const Entry entry;
  MPI_Pcontrol(*level);
}

void mpi_f_sync_reg_(void* /*buffer*/) {}

// ---- Collective operations

void mpi_alltoallw_(void* sendbuf, const int* sendcounts, const int* sdispls, void* sendtypes, void* recvbuf,
                    const int* recvcounts, const int* rdispls, void* recvtypes, const void* comm, MPI_Fint* error) {
  const Entry entry;
  const MPI_Comm in = handle_at<MPI_Comm>(comm);
  const bool in_place = buffer(sendbuf) == MPI_IN_PLACE;  // then there need be no types
  const int count = partners(in);
  const Types sent = types_at(sendtypes, in_place ? 0 : count), received = types_at(recvtypes, count);
  *error = MPI_Alltoallw(buffer(sendbuf), sendcounts, sdispls, sent.data(), buffer(recvbuf), recvcounts, rdispls,
                         received.data(), in);
}

void mpi_ialltoallw_(void* sendbuf, const int* sendcounts, const int* sdispls, void* sendtypes, void* recvbuf,
                     const int* recvcounts, const int* rdispls, void* recvtypes, const void* comm, void* request,
                     MPI_Fint* error) {
  const Entry entry;
  const MPI_Comm in = handle_at<MPI_Comm>(comm);
  const bool in_place = buffer(sendbuf) == MPI_IN_PLACE;
  const int count = partners(in);
  Handles<MPI_Request> started(request, 1);
  *error = MPI_Ialltoallw(buffer(sendbuf), sendcounts, sdispls, kept(types_at(sendtypes, in_place ? 0 : count)),
                          buffer(recvbuf), recvcounts, rdispls, kept(types_at(recvtypes, count)), in, started.get());
  started.finish();
}

void mpi_neighbor_alltoallw_(void* sendbuf, const int* sendcounts, const MPI_Aint* sdispls, void* sendtypes,
                             void* recvbuf, const int* recvcounts, const MPI_Aint* rdispls, void* recvtypes,
                             const void* comm, MPI_Fint* error) {
  const Entry entry;
  const MPI_Comm in = handle_at<MPI_Comm>(comm);
  const Neighbours count = neighbours(in);
  const Types sent = types_at(sendtypes, count.destinations), received = types_at(recvtypes, count.sources);
  *error = MPI_Neighbor_alltoallw(buffer(sendbuf), sendcounts, sdispls, sent.data(), buffer(recvbuf), recvcounts,
                                  rdispls, received.data(), in);
}

void mpi_ineighbor_alltoallw_(void* sendbuf, const int* sendcounts, const MPI_Aint* sdispls, void* sendtypes,
                              void* recvbuf, const int* recvcounts, const MPI_Aint* rdispls, void* recvtypes,
                              const void* comm, void* request, MPI_Fint* error) {
  const Entry entry;
  const MPI_Comm in = handle_at<MPI_Comm>(comm);
  const Neighbours count = neighbours(in);
  Handles<MPI_Request> started(request, 1);
  *error = MPI_Ineighbor_alltoallw(buffer(sendbuf), sendcounts, sdispls, kept(types_at(sendtypes, count.destinations)),
                                   buffer(recvbuf), recvcounts, rdispls, kept(types_at(recvtypes, count.sources)), in,
                                   started.get());
  started.finish();
}

// ---- Datatypes

void mpi_type_create_struct_(const MPI_Fint* count, const int* lengths, const MPI_Aint* displacements, void* types,
                             void* made, MPI_Fint* error) {
  const Entry entry;
  *error = make_struct(*count, lengths, displacements, types, made);
}

void mpi_type_struct_(const MPI_Fint* count, const int* lengths, const MPI_Fint* displacements, void* types, void* made,
                      MPI_Fint* error) {
  const Entry entry;
  *error = make_struct(*count, lengths, as_addresses(displacements, *count).data(), types, made);
}

void mpi_type_hindexed_(const MPI_Fint* count, const int* lengths, const MPI_Fint* displacements, const void* type,
                        void* made, MPI_Fint* error) {
  const Entry entry;
  Handles<MPI_Datatype> result(made, 1);
  *error = MPI_Type_create_hindexed(*count, lengths, as_addresses(displacements, *count).data(),
                                    handle_at<MPI_Datatype>(type), result.get());
  result.finish();
}

void mpi_type_hvector_(const MPI_Fint* count, const MPI_Fint* length, const MPI_Fint* stride, const void* type,
                       void* made, MPI_Fint* error) {
  const Entry entry;
  Handles<MPI_Datatype> result(made, 1);
  *error = MPI_Type_create_hvector(*count, *length, *stride, handle_at<MPI_Datatype>(type), result.get());
  result.finish();
}

void mpi_type_extent_(const void* type, MPI_Fint* extent, MPI_Fint* error) {
  const Entry entry;
  MPI_Aint lowest = 0, size = 0;
  *error = extent_of(type, &lowest, &size);
  if (*error == MPI_SUCCESS) *extent = as_integer(size);
}

void mpi_type_lb_(const void* type, MPI_Fint* bound, MPI_Fint* error) {
  const Entry entry;
  MPI_Aint lowest = 0, size = 0;
  *error = extent_of(type, &lowest, &size);
  if (*error == MPI_SUCCESS) *bound = as_integer(lowest);
}

void mpi_type_ub_(const void* type, MPI_Fint* bound, MPI_Fint* error) {
  const Entry entry;
  MPI_Aint lowest = 0, size = 0;
  *error = extent_of(type, &lowest, &size);
  if (*error == MPI_SUCCESS) *bound = as_integer(lowest + size);
}

/// As Open MPI's, the lower half: differences of addresses are what they are made for.
void mpi_address_(void* location, MPI_Fint* address, MPI_Fint* error) {
  const Entry entry;
  MPI_Aint whole = 0;
  *error = MPI_Get_address(buffer(location), &whole);
  if (*error == MPI_SUCCESS) *address = static_cast<MPI_Fint>(whole);
}

MPI_Aint mpi_aint_add_(const MPI_Aint* base, const MPI_Aint* displacement) {
  const Entry entry;
  return MPI_Aint_add(*base, *displacement);
}

MPI_Aint mpi_aint_diff_(const MPI_Aint* address, const MPI_Aint* other) {
  const Entry entry;
  return MPI_Aint_diff(*address, *other);
}

void mpi_type_get_contents_(const void* type, const MPI_Fint* max_integers, const MPI_Fint* max_addresses,
                            const MPI_Fint* max_types, int* integers, MPI_Aint* addresses, void* types,
                            MPI_Fint* error) {
  const Entry entry;
  Handles<MPI_Datatype> parts(types, *max_types);
  *error = MPI_Type_get_contents(handle_at<MPI_Datatype>(type), *max_integers, *max_addresses, *max_types, integers,
                                 addresses, parts.get());
  parts.finish();
}

// ---- Attributes

void mpi_comm_get_attr_(const void* comm, const MPI_Fint* key, MPI_Aint* value, MPI_Fint* found, MPI_Fint* error) {
  const Entry entry;
  if (const auto next = of_open_mpi("mpi_comm_get_attr_", mpi_comm_get_attr_))
    return next(comm, key, value, found, error);
  MPI_Aint got = 0;
  if (comm_attribute(comm, key, &got, found, error)) *value = got;
}

void mpi_attr_get_(const void* comm, const MPI_Fint* key, MPI_Fint* value, MPI_Fint* found, MPI_Fint* error) {
  const Entry entry;
  if (const auto next = of_open_mpi("mpi_attr_get_", mpi_attr_get_)) return next(comm, key, value, found, error);
  MPI_Aint got = 0;
  if (comm_attribute(comm, key, &got, found, error)) *value = as_integer(got);
}

void mpi_win_get_attr_(const void* win, const MPI_Fint* key, MPI_Aint* value, MPI_Fint* found, MPI_Fint* error) {
  const Entry entry;
  if (const auto next = of_open_mpi("mpi_win_get_attr_", mpi_win_get_attr_)) return next(win, key, value, found, error);
  void* attribute = nullptr;
  *error = MPI_Win_get_attr(handle_at<MPI_Win>(win), *key, static_cast<void*>(&attribute), found);
  if (*error == MPI_SUCCESS && *found != 0) *value = window_attribute(*key, attribute);
}

// ---- Error handlers

void mpi_comm_create_errhandler_(ErrorProcedure procedure, void* handler, MPI_Fint* error) {
  const Entry entry;
  if (const auto next = of_open_mpi("mpi_comm_create_errhandler_", mpi_comm_create_errhandler_))
    return next(procedure, handler, error);
  create_errhandler(HandlerKind::comm, procedure, handler, error);
}

void mpi_win_create_errhandler_(ErrorProcedure procedure, void* handler, MPI_Fint* error) {
  const Entry entry;
  if (const auto next = of_open_mpi("mpi_win_create_errhandler_", mpi_win_create_errhandler_))
    return next(procedure, handler, error);
  create_errhandler(HandlerKind::window, procedure, handler, error);
}

void mpi_file_create_errhandler_(ErrorProcedure procedure, void* handler, MPI_Fint* error) {
  const Entry entry;
  if (const auto next = of_open_mpi("mpi_file_create_errhandler_", mpi_file_create_errhandler_))
    return next(procedure, handler, error);
  create_errhandler(HandlerKind::file, procedure, handler, error);
}

void mpi_errhandler_create_(ErrorProcedure procedure, void* handler, MPI_Fint* error) {
  const Entry entry;
  mpi_comm_create_errhandler_(procedure, handler, error);
}

// ---- Others

void mpi_op_create_(MPI_User_function* function, const MPI_Fint* commutes, void* op, MPI_Fint* error) {
  const Entry entry;
  Handles<MPI_Op> made(op, 1);
  *error = operations().create(function, {.commutes = *commutes != 0, .fortran = true}, made.get());
  made.finish();
}

/// Fortran has no use for the address.
void mpi_buffer_detach_(void* /*buffer*/, MPI_Fint* size, MPI_Fint* error) {
  const Entry entry;
  void* detached = nullptr;
  *error = MPI_Buffer_detach(static_cast<void*>(&detached), size);
}

/// Of the module mpi_f08, which calls PMPI_Buffer_detach in all others' place. The error is optional.
void mpi_buffer_detach_f08_(void* buffer, MPI_Fint* size, MPI_Fint* error) {
  const Entry entry;
  void* detached = nullptr;
  const int status = MPI_Buffer_detach(static_cast<void*>(&detached), size);
  if (status == MPI_SUCCESS) fortran::store(buffer, detached);
  if (error != nullptr) *error = status;
}

void mpi_info_get_(const void* info, const void* key, const MPI_Fint* value_length, void* value, MPI_Fint* found,
                   MPI_Fint* error, int key_size, int value_size) {
  const Entry entry;
  std::string got(static_cast<std::size_t>(*value_length > 0 ? *value_length : 0) + 1, '\0');
  *error =
      MPI_Info_get(handle_at<MPI_Info>(info), fortran::text(key, key_size).c_str(), *value_length, got.data(), found);
  if (*error == MPI_SUCCESS && *found != 0) fortran::set_text(value, value_size, got.c_str());
}

#define FORTRAN(c, lower, upper, ...)
#define FORTRAN_TEXT FORTRAN
#define FORTRAN_REFUSED FORTRAN
#define FORTRAN_REQUESTS FORTRAN
#define FORTRAN_OWN(c, lower, upper) CPPC_FORTRAN_SPELLINGS(lower, upper)
#include "cppc/mpi/fortran.def"

}  // extern "C"
#pragma GCC visibility pop
