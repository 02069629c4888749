/// The rows of cppc/mpi/fortran.def as functions, in all spellings.
#include <dlfcn.h>
#include <mpi.h>

#include <string>
#include <tuple>
#include <utility>

#include "mpi/comm_table.hpp"
#include "mpi/fortran_arguments.hpp"
#include "mpi/fortran_spellings.hpp"
#include "mpi/refuse.hpp"
#include "mpi/turns.hpp"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // MPI_Attr_delete and its like

namespace {

using namespace cppc::mpi;
using fortran::Argument;

/// How many character variables come before parameter `index`.
template <class... Parameters>
constexpr std::size_t texts_before(std::size_t index) {
  const bool texts[] = {(std::is_same_v<Parameters, char*> || std::is_same_v<Parameters, const char*>)..., false};
  std::size_t count = 0;
  for (std::size_t i = 0; i < index; ++i) count += texts[i] ? 1 : 0;
  return count;
}

template <class... Parameters, std::size_t... Index>
int call(int (*function)(Parameters...), void* const* given, [[maybe_unused]] const int* lengths,
         std::index_sequence<Index...>) {
  [[maybe_unused]] std::tuple<Argument<Parameters>...> arguments(
      fortran::Given{given[Index], lengths[texts_before<Parameters...>(Index)]}...);
  const int status = function(std::get<Index>(arguments).get()...);
  (std::get<Index>(arguments).finish(status), ...);
  return status;
}

/// `lengths` are those of the character variables, and one more.
template <std::size_t Count, std::size_t Texts, class... Parameters>
void call(int (*function)(Parameters...), void* const* given, const int* lengths, MPI_Fint* error) {
  static_assert(sizeof...(Parameters) == Count && texts_before<Parameters...>(Count) == Texts);
  *error = call(function, given, lengths, std::make_index_sequence<Count>());
}

/// Open MPI's own, for a plain program.
template <class Function>
Function* refused(const char* name, Function* /*own*/) {
  if (comms.managed()) refuse(name);
  return reinterpret_cast<Function*>(fortran::next_function((std::string(name) + "_").c_str()));
}

}  // namespace

#define PARAMETERS_0
#define PARAMETERS_1 void *a0,
#define PARAMETERS_2 PARAMETERS_1 void *a1,
#define PARAMETERS_3 PARAMETERS_2 void *a2,
#define PARAMETERS_4 PARAMETERS_3 void *a3,
#define PARAMETERS_5 PARAMETERS_4 void *a4,
#define PARAMETERS_6 PARAMETERS_5 void *a5,
#define PARAMETERS_7 PARAMETERS_6 void *a6,
#define PARAMETERS_8 PARAMETERS_7 void *a7,
#define PARAMETERS_9 PARAMETERS_8 void *a8,
#define PARAMETERS_10 PARAMETERS_9 void *a9,
#define PARAMETERS_11 PARAMETERS_10 void *a10,
#define PARAMETERS_12 PARAMETERS_11 void *a11,
#define PARAMETERS_13 PARAMETERS_12 void *a12,

#define ARGUMENTS_0
#define ARGUMENTS_1 a0,
#define ARGUMENTS_2 ARGUMENTS_1 a1,
#define ARGUMENTS_3 ARGUMENTS_2 a2,
#define ARGUMENTS_4 ARGUMENTS_3 a3,
#define ARGUMENTS_5 ARGUMENTS_4 a4,
#define ARGUMENTS_6 ARGUMENTS_5 a5,
#define ARGUMENTS_7 ARGUMENTS_6 a6,
#define ARGUMENTS_8 ARGUMENTS_7 a7,
#define ARGUMENTS_9 ARGUMENTS_8 a8,
#define ARGUMENTS_10 ARGUMENTS_9 a9,
#define ARGUMENTS_11 ARGUMENTS_10 a10,
#define ARGUMENTS_12 ARGUMENTS_11 a11,
#define ARGUMENTS_13 ARGUMENTS_12 a12,

#define LENGTH_PARAMETERS_0
#define LENGTH_PARAMETERS_1 , int length0
#define LENGTH_PARAMETERS_2 , int length0, int length1
#define LENGTHS_0
#define LENGTHS_1 length0,
#define LENGTHS_2 length0, length1,
#define MORE_LENGTHS_0
#define MORE_LENGTHS_1 , length0
#define MORE_LENGTHS_2 , length0, length1

#define FORTRAN(c, lower, upper, count) FORTRAN_TEXT(c, lower, upper, count, 0)
#define FORTRAN_TEXT(c, lower, upper, count, texts)                             \
  void lower##_(PARAMETERS_##count MPI_Fint* error LENGTH_PARAMETERS_##texts) { \
    const Entry entry;                                                          \
    void* const given[] = {ARGUMENTS_##count nullptr};                          \
    const int lengths[] = {LENGTHS_##texts 0};                                  \
    call<count, texts>(c, given, lengths, error);                               \
  }                                                                             \
  CPPC_FORTRAN_SPELLINGS(lower, upper)
#define FORTRAN_REFUSED(c, lower, upper, count, texts)                          \
  void lower##_(PARAMETERS_##count MPI_Fint* error LENGTH_PARAMETERS_##texts) { \
    const Entry entry;                                                          \
    refused(#lower, lower##_)(ARGUMENTS_##count error MORE_LENGTHS_##texts);    \
  }                                                                             \
  CPPC_FORTRAN_SPELLINGS(lower, upper)
#define FORTRAN_OWN(c, lower, upper)
#define FORTRAN_REQUESTS FORTRAN_OWN

#pragma GCC visibility push(default)
extern "C" {
#include "cppc/mpi/fortran.def"
}  // extern "C"
#pragma GCC visibility pop

bool cppc::mpi::fortran::comes_first() {
  void* const found = dlsym(RTLD_DEFAULT, "ompi_send_f");
  return found == nullptr || found == reinterpret_cast<void*>(ompi_send_f);
}
