/// Functions on communicators that take more than translation.
#include <mpi.h>

#include "mpi/attributes.hpp"
#include "mpi/collective_counts.hpp"
#include "mpi/comm_table.hpp"
#include "mpi/error_handlers.hpp"
#include "mpi/groups.hpp"
#include "mpi/infos.hpp"
#include "mpi/mailbox.hpp"
#include "mpi/own_attributes.hpp"
#include "mpi/requests.hpp"
#include "mpi/turns.hpp"

using namespace cppc::mpi;

namespace {

/// What the program's own functions on attributes returned, as an error of the communicator.
int raise(MPI_Comm comm, int status) {
  if (status != MPI_SUCCESS) PMPI_Comm_call_errhandler(comms.real(comm, __func__), status);
  return status;
}

/// After its last operation has begun: frees the communicator and what the program has cached on it.
int release(const char* function, MPI_Comm* comm) {
  if (const int status = own_attributes<MPI_Comm>().erase_all(*comm); status != MPI_SUCCESS)
    return raise(*comm, status);
  MPI_Comm real = comms.real(*comm, function);
  const int status = PMPI_Comm_free(&real);
  if (status != MPI_SUCCESS) return status;
  collective_counts().gone(CollectiveCounts::Of::comm, CollectiveCounts::index_of(*comm));
  requests().orphan(*comm);
  mailbox().forget(*comm);
  comms.remove(*comm);
  forget_launch_attributes(*comm);
  *comm = MPI_COMM_NULL;
  return status;
}

/// `make(real, made)` duplicates a communicator; the program's attributes are copied.
template <class Make>
int duplicate(const char* function, MPI_Comm comm, MPI_Comm* newcomm, Make make) {
  collective_counts().begin(comm);
  const int made =
      comms.create(function, newcomm, [&](MPI_Comm* out) { return make(comms.real(comm, function), out); });
  collective_counts().made_of(comm, made, newcomm);
  if (made != MPI_SUCCESS) return made;
  copy_launch_attributes(comm, *newcomm);
  const int copied = own_attributes<MPI_Comm>().copy_all(comm, *newcomm);
  if (copied == MPI_SUCCESS) return MPI_SUCCESS;
  collective_counts().begin(*newcomm);
  release(function, newcomm);
  return raise(comm, copied);
}

/// Collective over the members of the new communicator alone.
template <class Make>
int create_apart(const char* function, int tag, MPI_Comm* newcomm, Make make) {
  call_point.pass();
  const UninterruptibleCall uninterruptible;
  const int status = comms.create(function, newcomm, make);
  if (status == MPI_SUCCESS && *newcomm != MPI_COMM_NULL)
    collective_counts().made_apart(CollectiveCounts::index_of(*newcomm), comms.real(*newcomm, function), tag);
  return status;
}

}  // namespace

extern "C" {

int MPI_Comm_rank(MPI_Comm comm, int* rank) {
  const Entry entry;
  if (comm != MPI_COMM_WORLD || !comms.awaits_world()) return PMPI_Comm_rank(comms.real(comm, __func__), rank);
  *rank = comms.world_rank();
  return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int* size) {
  const Entry entry;
  if (comm != MPI_COMM_WORLD || !comms.awaits_world()) return PMPI_Comm_size(comms.real(comm, __func__), size);
  *size = comms.world_size();
  return MPI_SUCCESS;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* newcomm) {
  const Entry entry;
  if (!comms.managed()) return PMPI_Comm_dup(comm, newcomm);
  return duplicate(__func__, comm, newcomm,
                   [](MPI_Comm real, MPI_Comm* made) { return waiting<PMPI_Comm_dup>(real, made); });
}

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm) {
  const Entry entry;
  if (!comms.managed()) return PMPI_Comm_dup_with_info(comm, info, newcomm);
  return duplicate(__func__, comm, newcomm, [&](MPI_Comm real, MPI_Comm* made) {
    return waiting<PMPI_Comm_dup_with_info>(real, cppc::mpi::real(info), made);
  });
}

int MPI_Comm_idup(MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request) {
  const Entry entry;
  if (!comms.managed()) return PMPI_Comm_idup(comm, newcomm, request);
  collective_counts().begin(comm);
  const MPI_Comm real = comms.real(comm, __func__);
  const int status = comms.create_later(newcomm, [&](MPI_Comm* made) { return PMPI_Comm_idup(real, made, request); });
  if (requests().started(status, request) != MPI_SUCCESS) return status;
  // It has the members of `comm`, but may not be there yet.
  collective_counts().made(CollectiveCounts::index_of(comm), CollectiveCounts::index_of(*newcomm), real);
  requests().find(*request)->makes = *newcomm;
  copy_launch_attributes(comm, *newcomm);
  return raise(comm, own_attributes<MPI_Comm>().copy_all(comm, *newcomm));
}

int MPI_Comm_free(MPI_Comm* comm) {
  const Entry entry;
  if (comm == nullptr || !CommTable::is_virtual(*comm)) return PMPI_Comm_free(comm);
  collective_counts().begin(*comm);
  return release(__func__, comm);
}

int MPI_Comm_disconnect(MPI_Comm* comm) {
  const Entry entry;
  if (comm == nullptr || !CommTable::is_virtual(*comm)) return PMPI_Comm_disconnect(comm);
  collective_counts().begin(*comm);
  // MPI's own would wait for the nodes that the job has left, too.
  const int status = waiting<PMPI_Barrier>(comms.real(*comm, __func__));
  return status == MPI_SUCCESS ? release(__func__, comm) : status;
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm) {
  const Entry entry;
  if (!comms.managed()) return PMPI_Comm_create(comm, group, newcomm);
  collective_counts().begin(comm);
  const int status = comms.create(__func__, newcomm, [&, function = __func__](MPI_Comm* made) {
    return waiting<PMPI_Comm_create>(comms.real(comm, function), groups().real(group), made);
  });
  return collective_counts().made_of(comm, status, newcomm);
}

int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm) {
  const Entry entry;
  if (!comms.managed()) return PMPI_Comm_create_group(comm, group, tag, newcomm);
  return create_apart(__func__, tag, newcomm, [&, function = __func__](MPI_Comm* made) {
    return waiting<PMPI_Comm_create_group>(comms.real(comm, function), groups().real(group), tag, made);
  });
}

int MPI_Intercomm_create(MPI_Comm local, int leader, MPI_Comm bridge, int remote_leader, int tag, MPI_Comm* newcomm) {
  const Entry entry;
  if (!comms.managed()) return PMPI_Intercomm_create(local, leader, bridge, remote_leader, tag, newcomm);
  return create_apart(__func__, tag, newcomm, [&, function = __func__](MPI_Comm* made) {
    return waiting<PMPI_Intercomm_create>(comms.real(local, function), leader, comms.real(bridge, function),
                                          remote_leader, tag, made);
  });
}

int MPI_Comm_get_attr(MPI_Comm comm, int keyval, void* value, int* flag) {
  const Entry entry;
  const bool translated = comms.managed() && (comm == MPI_COMM_WORLD || CommTable::is_virtual(comm));
  if (translated && launch_attribute(comm, keyval, value, flag)) return MPI_SUCCESS;
  if (comms.managed() && is_own_key(keyval))
    return raise(comm, own_attributes<MPI_Comm>().get(comm, keyval, value, flag));
  return PMPI_Comm_get_attr(comms.real(comm, __func__), keyval, value, flag);
}

int MPI_Attr_get(MPI_Comm comm, int keyval, void* value, int* flag) {
  const Entry entry;
  return MPI_Comm_get_attr(comm, keyval, value, flag);
}

int MPI_Comm_set_attr(MPI_Comm comm, int keyval, void* value) {
  const Entry entry;
  if (!comms.managed()) return PMPI_Comm_set_attr(comm, keyval, value);
  return raise(comm, own_attributes<MPI_Comm>().set(comm, keyval, value));
}

int MPI_Attr_put(MPI_Comm comm, int keyval, void* value) {
  const Entry entry;
  return MPI_Comm_set_attr(comm, keyval, value);
}

int MPI_Comm_delete_attr(MPI_Comm comm, int keyval) {
  const Entry entry;
  if (!comms.managed()) return PMPI_Comm_delete_attr(comm, keyval);
  return raise(comm, own_attributes<MPI_Comm>().erase(comm, keyval));
}

int MPI_Attr_delete(MPI_Comm comm, int keyval) {
  const Entry entry;
  return MPI_Comm_delete_attr(comm, keyval);
}

int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* erase, int* keyval,
                           void* extra) {
  const Entry entry;
  if (!comms.managed()) return PMPI_Comm_create_keyval(copy, erase, keyval, extra);
  return own_attributes<MPI_Comm>().create_key(copy, erase, keyval, extra);
}

int MPI_Keyval_create(MPI_Copy_function* copy, MPI_Delete_function* erase, int* keyval, void* extra) {
  const Entry entry;
  return MPI_Comm_create_keyval(copy, erase, keyval, extra);
}

int MPI_Comm_free_keyval(int* keyval) {
  const Entry entry;
  if (!comms.managed() || !is_own_key(*keyval)) return PMPI_Comm_free_keyval(keyval);
  return raise_of_world(own_attributes<MPI_Comm>().free_key(keyval));
}

int MPI_Keyval_free(int* keyval) {
  const Entry entry;
  return MPI_Comm_free_keyval(keyval);
}

int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler) {
  const Entry entry;
  if (comms.managed() && comm == MPI_COMM_WORLD) {
    // Errors that belong to no communicator go to the handler of MPI's own world.
    const int status = PMPI_Comm_set_errhandler(MPI_COMM_WORLD, real(errhandler));
    if (status != MPI_SUCCESS || comms.awaits_world()) return status;
  }
  return PMPI_Comm_set_errhandler(comms.real(comm, __func__), real(errhandler));
}

int MPI_Comm_get_parent(MPI_Comm* parent) {
  const Entry entry;
  if (!comms.managed()) return PMPI_Comm_get_parent(parent);
  *parent = MPI_COMM_NULL;  // that a replacement was spawned is no business of the program's
  return MPI_SUCCESS;
}

}  // extern "C"
