#include "mpi/mpi_objects.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <string>

#include "mpi/refuse.hpp"

namespace cppc::mpi {

namespace {

/// What `function`, named `name`, says of `object`.
template <class Handle, class Object>
Handle ask(int (*function)(Object, Handle*), Object object, const char* name) {
  Handle handle{};
  must(function(object, &handle), name);
  return handle;
}

}  // namespace

void must(int status, const char* call) {
  if (status != MPI_SUCCESS) abort_job(std::string(call) + " failed on an object that is valid");
}

std::string error_text(int status) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  PMPI_Error_string(status, text.data(), &length);
  return text.data();
}

bool is_derived(MPI_Datatype type) {
  int integers = 0, addresses = 0, types = 0, combiner = MPI_COMBINER_NAMED;
  must(PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner), "MPI_Type_get_envelope");
  constexpr std::array given{MPI_COMBINER_NAMED, MPI_COMBINER_F90_INTEGER, MPI_COMBINER_F90_REAL,
                             MPI_COMBINER_F90_COMPLEX};
  return std::ranges::find(given, combiner) == given.end();
}

Group Group::of(MPI_Comm comm) { return Group(ask(PMPI_Comm_group, comm, "MPI_Comm_group")); }

Group Group::of(MPI_Win win) { return Group(ask(PMPI_Win_get_group, win, "MPI_Win_get_group")); }

Group Group::remote(MPI_Comm comm) { return Group(ask(PMPI_Comm_remote_group, comm, "MPI_Comm_remote_group")); }

Group Group::of(const Group& group, std::span<const int> ranks) {
  MPI_Group some = MPI_GROUP_NULL;
  must(PMPI_Group_incl(group.get(), static_cast<int>(ranks.size()), ranks.data(), &some), "MPI_Group_incl");
  return Group(some);
}

std::vector<int> ranks_in(MPI_Group to, MPI_Group from) {
  int size = 0;
  must(PMPI_Group_size(from, &size), "MPI_Group_size");
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<int> translated(ranks.size());
  must(PMPI_Group_translate_ranks(from, size, ranks.data(), to, translated.data()), "MPI_Group_translate_ranks");
  return translated;
}

int make_comm(MPI_Comm world, std::span<const int> members, MPI_Comm* made) {
  const Group group = Group::of(Group::of(world), members);
  return PMPI_Comm_create_group(world, group.get(), 0, made);
}

ErrorHandler ErrorHandler::of(MPI_Comm comm) {
  return owned(ask(PMPI_Comm_get_errhandler, comm, "MPI_Comm_get_errhandler"));
}

ErrorHandler ErrorHandler::of(MPI_Win win) {
  return owned(ask(PMPI_Win_get_errhandler, win, "MPI_Win_get_errhandler"));
}

ErrorHandler ErrorHandler::of(MPI_File file) {
  return owned(ask(PMPI_File_get_errhandler, file, "MPI_File_get_errhandler"));
}

}  // namespace cppc::mpi
