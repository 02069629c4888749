/// Functions of the program that MPI calls, as an image has them. In a state that is kept by address that is their
/// address, else the name under which the program declares them (cppc_declare()): they lie elsewhere in another
/// process.
#pragma once

#include <string>
#include <string_view>

namespace cppc::mpi {

using AnyFunction = void (*)();

std::string name_of_any(AnyFunction function);
AnyFunction any_named(std::string_view name);

/// Empty when the program does not declare it.
template <class Function>
std::string name_of_function(Function* function) {
  return name_of_any(reinterpret_cast<AnyFunction>(function));
}

/// Null when the program has none of that name.
template <class Function>
Function* function_named(std::string_view name) {
  return reinterpret_cast<Function*>(any_named(name));
}

}  // namespace cppc::mpi
