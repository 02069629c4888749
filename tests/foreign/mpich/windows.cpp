// Windows. MPICH 4.0.2 tells them apart by the communicators that they were made from: when one is freed, as a program
// may, the next window can get the number of the first, and accesses of one reach the other. So each window has a
// communicator of its own for as long as it is there.
#include <mpi.h>

#include <unordered_map>

#include "arguments.hpp"

namespace cppc::mpich {

namespace {

std::unordered_map<MPI_Win, MPI_Comm>& communicators() {
  static auto& all = *new std::unordered_map<MPI_Win, MPI_Comm>;  // used until the process ends
  return all;
}

/// One of the same processes, without attributes.
int same(MPI_Comm comm, MPI_Comm* made) {
  MPI_Group members = MPI_GROUP_NULL;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  int status = PMPI_Comm_group(comm, &members);
  if (status == MPI_SUCCESS) status = PMPI_Comm_create(comm, members, made);
  if (status == MPI_SUCCESS) status = PMPI_Comm_get_errhandler(comm, &handler);
  if (status == MPI_SUCCESS) status = PMPI_Comm_set_errhandler(*made, handler);
  if (handler != MPI_ERRHANDLER_NULL) PMPI_Errhandler_free(&handler);
  if (members != MPI_GROUP_NULL) PMPI_Group_free(&members);
  return status;
}

/// `make(MPI_Comm)` makes *win.
template <class Make>
int make_window(MPI_Comm comm, MPI_Win* win, Make make) {
  MPI_Comm own = MPI_COMM_NULL;
  int status = same(comm, &own);
  if (status == MPI_SUCCESS) status = make(own);
  if (status == MPI_SUCCESS)
    communicators()[*win] = own;
  else if (own != MPI_COMM_NULL)
    PMPI_Comm_free(&own);
  return status;
}

}  // namespace

}  // namespace cppc::mpich

using namespace cppc::mpich;

extern "C" {

int PMPI_Win_create(void* base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  static Function f("PMPI_Win_create");
  return make_window(comm, win, [&](MPI_Comm own) {
    return call(f, plain(base), plain(size), plain(unit), handle(info), handle(own), handle_out(win));
  });
}

int PMPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* win) {
  static Function f("PMPI_Win_allocate");
  return make_window(comm, win, [&](MPI_Comm own) {
    return call(f, plain(size), plain(unit), handle(info), handle(own), plain(base), handle_out(win));
  });
}

int PMPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* win) {
  static Function f("PMPI_Win_allocate_shared");
  return make_window(comm, win, [&](MPI_Comm own) {
    return call(f, plain(size), plain(unit), handle(info), handle(own), plain(base), handle_out(win));
  });
}

int PMPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  static Function f("PMPI_Win_create_dynamic");
  return make_window(comm, win, [&](MPI_Comm own) { return call(f, handle(info), handle(own), handle_out(win)); });
}

int PMPI_Win_free(MPI_Win* win) {
  static Function f("PMPI_Win_free");
  const auto own = communicators().find(*win);
  const int status = call(f, handle_in_out(win));
  if (status != MPI_SUCCESS || own == communicators().end()) return status;
  PMPI_Comm_free(&own->second);
  communicators().erase(own);
  return status;
}

}  // extern "C"
