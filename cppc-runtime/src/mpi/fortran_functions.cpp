#include "mpi/fortran_functions.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "mpi/fortran_handles.hpp"
#include "mpi/refuse.hpp"

namespace cppc::mpi::fortran {

namespace {

using Called = void(void* in, void* inout, MPI_Fint* length, MPI_Fint* datatype);

/// MPI does not say for which operation it calls, so that each function of the program has one here, for good.
constexpr std::size_t most_functions = 64;

std::array<MPI_User_function*, most_functions>& functions() {
  static constinit std::array<MPI_User_function*, most_functions> all{};
  return all;
}

template <std::size_t Index>
void call(void* in, void* inout, int* length, MPI_Datatype* datatype) {
  MPI_Fint number = to_fortran(*datatype);
  reinterpret_cast<Called*>(functions()[Index])(in, inout, length, &number);
}

template <std::size_t... Index>
constexpr std::array<MPI_User_function*, most_functions> callers(std::index_sequence<Index...>) {
  return {call<Index>...};
}

}  // namespace

MPI_User_function* calling(MPI_User_function* function) {
  static constexpr auto all = callers(std::make_index_sequence<most_functions>());
  auto place = std::ranges::find(functions(), function);
  if (place == functions().end()) place = std::ranges::find(functions(), nullptr);
  if (place == functions().end()) abort_job("mpi_op_create: the program has operations of more than 64 functions");
  *place = function;
  return all[static_cast<std::size_t>(place - functions().begin())];
}

}  // namespace cppc::mpi::fortran
