#include "mpi/callbacks.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "address/program_time.hpp"
#include "registry.hpp"

namespace cppc::mpi {

namespace {

constexpr std::string_view address_mark = "@";  // in no name of a function

/// Null when no code of the program or of its libraries lies there.
AnyFunction function_at(std::string_view digits) {
  std::uintptr_t address = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), address, 16);
  if (error != std::errc() || end != digits.data() + digits.size()) return nullptr;
  const auto function = reinterpret_cast<AnyFunction>(address);
  Dl_info info;
  return dladdr(reinterpret_cast<void*>(function), &info) != 0 ? function : nullptr;
}

std::string name_at(AnyFunction function) {
  char digits[2 * sizeof(std::uintptr_t)];
  const auto number = reinterpret_cast<std::uintptr_t>(function);
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, number, 16);
  std::string name(address_mark);
  name.append(digits, end);
  return name;
}

}  // namespace

std::string name_of_any(AnyFunction function) {
  if (address::kept_by_address()) return name_at(function);
  const auto& functions = registry().functions;
  const auto found = std::ranges::find(functions, function, &cppc_function::address);
  return found != functions.end() ? found->name : std::string();
}

AnyFunction any_named(std::string_view name) {
  if (address::kept_by_address())
    return name.starts_with(address_mark) ? function_at(name.substr(address_mark.size())) : nullptr;
  const auto& functions = registry().functions;
  const auto found = std::ranges::find(functions, name, &cppc_function::name);
  return found != functions.end() ? found->address : nullptr;
}

}  // namespace cppc::mpi
