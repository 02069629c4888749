/// Functions of the program that MPI calls, by the names under which the program declares them (cppc_declare()): they
/// lie elsewhere in another process.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "registry.hpp"

namespace cppc::mpi {

/// Null when the program does not declare it.
template <class Function>
const char* name_of_function(Function* function) {
  const auto& functions = registry().functions;
  const auto found = std::ranges::find(functions, reinterpret_cast<void (*)()>(function), &cppc_function::address);
  return found != functions.end() ? found->name : nullptr;
}

/// Null when the program has none of that name.
template <class Function>
Function* function_named(std::string_view name) {
  const auto& functions = registry().functions;
  const auto found = std::ranges::find(functions, name, &cppc_function::name);
  return found != functions.end() ? reinterpret_cast<Function*>(found->address) : nullptr;
}

}  // namespace cppc::mpi
