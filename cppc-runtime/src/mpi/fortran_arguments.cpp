#include "mpi/fortran_arguments.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "mpi/refuse.hpp"

// The common blocks of mpif.h, by which compilers spell them. Nothing of Open MPI's has to be there: the program has
// those that it names, and the linker sees to it that it is asked for them by these references.
#define COMMON_BLOCK(lower, upper)             \
  extern char lower __attribute__((weak));     \
  extern char lower##_ __attribute__((weak));  \
  extern char lower##__ __attribute__((weak)); \
  extern char upper __attribute__((weak));

#pragma GCC visibility push(default)
extern "C" {
COMMON_BLOCK(mpi_fortran_bottom, MPI_FORTRAN_BOTTOM)
COMMON_BLOCK(mpi_fortran_in_place, MPI_FORTRAN_IN_PLACE)
COMMON_BLOCK(mpi_fortran_unweighted, MPI_FORTRAN_UNWEIGHTED)
COMMON_BLOCK(mpi_fortran_weights_empty, MPI_FORTRAN_WEIGHTS_EMPTY)
COMMON_BLOCK(mpi_fortran_status_ignore, MPI_FORTRAN_STATUS_IGNORE)
COMMON_BLOCK(mpi_fortran_statuses_ignore, MPI_FORTRAN_STATUSES_IGNORE)
}  // extern "C"
#pragma GCC visibility pop

namespace cppc::mpi::fortran {

namespace {

#define IS(given, lower, upper) \
  ((given) == &(lower) || (given) == &lower##_ || (given) == &lower##__ || (given) == &(upper))

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

}  // namespace

void* buffer(void* given) {
  if (given == nullptr || IS(given, mpi_fortran_bottom, MPI_FORTRAN_BOTTOM)) return MPI_BOTTOM;
  return IS(given, mpi_fortran_in_place, MPI_FORTRAN_IN_PLACE) ? MPI_IN_PLACE : given;
}

int* weights(void* given) {
  if (given == nullptr) return nullptr;
  if (IS(given, mpi_fortran_unweighted, MPI_FORTRAN_UNWEIGHTED)) return MPI_UNWEIGHTED;
  if (IS(given, mpi_fortran_weights_empty, MPI_FORTRAN_WEIGHTS_EMPTY)) return MPI_WEIGHTS_EMPTY;
  return static_cast<int*>(given);
}

bool ignored(void* status) {
  return status == nullptr || IS(status, mpi_fortran_status_ignore, MPI_FORTRAN_STATUS_IGNORE) ||
         IS(status, mpi_fortran_statuses_ignore, MPI_FORTRAN_STATUSES_IGNORE);
}

std::string text(const void* given, int length) {
  return std::string(trimmed({static_cast<const char*>(given), static_cast<std::size_t>(std::max(length, 0))}));
}

void set_text(void* given, int length, const char* text) {
  const std::size_t whole = static_cast<std::size_t>(std::max(length, 0)), used = std::min(whole, std::strlen(text));
  auto* const to = static_cast<char*>(given);
  std::memcpy(to, text, used);
  std::memset(to + used, ' ', whole - used);
}

void* next_function(const char* name) {
  void* const next = dlsym(RTLD_NEXT, name);
  if (next == nullptr)
    abort_job(std::string(name) +
              " needs Open MPI's functions for Fortran: link the program with -Wl,--no-as-needed -lmpi_mpifh");
  return next;
}

}  // namespace cppc::mpi::fortran
