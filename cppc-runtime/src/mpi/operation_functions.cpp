#include "mpi/operation_functions.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "address/program_time.hpp"
#include "mpi/datatypes.hpp"
#include "mpi/fortran_handles.hpp"
#include "mpi/refuse.hpp"

namespace cppc::mpi {

namespace {

using OfFortran = void(void* in, void* inout, MPI_Fint* length, MPI_Fint* datatype);

struct Called {
  MPI_User_function* function;
  bool fortran;

  bool operator==(const Called&) const = default;
};

/// MPI does not say for which operation it calls, so that each function of the program has one here, for good.
constexpr std::size_t most_functions = 256;

constinit std::array<Called, most_functions> functions{};

template <std::size_t Index>
void call(void* in, void* inout, int* length, MPI_Datatype* datatype) {
  const Called called = functions[Index];
  MPI_Datatype known = datatypes().handle_for(*datatype);
  MPI_Fint number = called.fortran ? to_fortran(known) : 0;
  const address::InsideProgram program;
  if (called.fortran)
    reinterpret_cast<OfFortran*>(called.function)(in, inout, length, &number);
  else
    called.function(in, inout, length, &known);
}

template <std::size_t... Index>
constexpr std::array<MPI_User_function*, most_functions> callers(std::index_sequence<Index...>) {
  return {call<Index>...};
}

}  // namespace

MPI_User_function* calling(MPI_User_function* function, bool fortran) {
  static constexpr auto all = callers(std::make_index_sequence<most_functions>());
  const Called wanted{.function = function, .fortran = fortran};
  auto place = std::ranges::find(functions, wanted);
  if (place == functions.end()) place = std::ranges::find(functions, nullptr, &Called::function);
  if (place == functions.end())
    abort_job((fortran ? "mpi_op_create" : "MPI_Op_create") +
              std::string(": the program has operations of more than 256 functions"));
  *place = wanted;
  return all[static_cast<std::size_t>(place - functions.begin())];
}

}  // namespace cppc::mpi
