/// Functions on communicators that take more than translation.
#include <mpi.h>

#include "mpi/attributes.hpp"
#include "mpi/comm_table.hpp"
#include "mpi/groups.hpp"
#include "mpi/persistent.hpp"

using namespace cppc::mpi;

extern "C" {

int MPI_Comm_rank(MPI_Comm comm, int* rank) {
  if (comm != MPI_COMM_WORLD || !comms.awaits_world()) return PMPI_Comm_rank(comms.real(comm, __func__), rank);
  *rank = comms.world_rank();
  return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int* size) {
  if (comm != MPI_COMM_WORLD || !comms.awaits_world()) return PMPI_Comm_size(comms.real(comm, __func__), size);
  *size = comms.world_size();
  return MPI_SUCCESS;
}

int MPI_Comm_free(MPI_Comm* comm) {
  if (comm == nullptr || !CommTable::is_virtual(*comm)) return PMPI_Comm_free(comm);
  MPI_Comm real = comms.real(*comm, __func__);
  const int status = PMPI_Comm_free(&real);
  if (status != MPI_SUCCESS) return status;
  persistent_requests().orphan(*comm);
  comms.remove(*comm);
  *comm = MPI_COMM_NULL;
  return status;
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm) {
  if (!comms.managed()) return PMPI_Comm_create(comm, group, newcomm);
  return comms.create(__func__, newcomm, [&, function = __func__](MPI_Comm* made) {
    return PMPI_Comm_create(comms.real(comm, function), groups().real(group), made);
  });
}

int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm) {
  if (!comms.managed()) return PMPI_Comm_create_group(comm, group, tag, newcomm);
  return comms.create(__func__, newcomm, [&, function = __func__](MPI_Comm* made) {
    return PMPI_Comm_create_group(comms.real(comm, function), groups().real(group), tag, made);
  });
}

int MPI_Comm_get_attr(MPI_Comm comm, int keyval, void* value, int* flag) {
  const bool translated = comms.managed() && (comm == MPI_COMM_WORLD || CommTable::is_virtual(comm));
  if (translated && launch_attribute(keyval, value, flag)) return MPI_SUCCESS;
  return PMPI_Comm_get_attr(comms.real(comm, __func__), keyval, value, flag);
}

int MPI_Attr_get(MPI_Comm comm, int keyval, void* value, int* flag) {
  return MPI_Comm_get_attr(comm, keyval, value, flag);
}

int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler) {
  if (comms.managed() && comm == MPI_COMM_WORLD) {
    // Errors that belong to no communicator go to the handler of MPI's own world.
    const int status = PMPI_Comm_set_errhandler(MPI_COMM_WORLD, errhandler);
    if (status != MPI_SUCCESS || comms.awaits_world()) return status;
  }
  return PMPI_Comm_set_errhandler(comms.real(comm, __func__), errhandler);
}

int MPI_Comm_get_parent(MPI_Comm* parent) {
  if (!comms.managed()) return PMPI_Comm_get_parent(parent);
  *parent = MPI_COMM_NULL;  // that a replacement was spawned is no business of the program's
  return MPI_SUCCESS;
}

}  // extern "C"
