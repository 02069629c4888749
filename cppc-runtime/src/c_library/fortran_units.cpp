#include "c_library/fortran_units.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstring>

// libf2c's table of units: each begins with its stream, null when it has none. Weak, so that programs do without it;
// named, so that the linker shows that of a program that has libf2c in it.
#pragma GCC visibility push(default)
extern "C" {
extern const std::byte f__units[] __attribute__((weak));
}
#pragma GCC visibility pop

namespace cppc::c_library {

namespace {

constexpr std::size_t number_of_units = 100;

/// How large the table is, 0 when there is none.
std::size_t table_size() {
  Dl_info library{};
  const ElfW(Sym)* symbol = nullptr;
  if (f__units == nullptr ||
      dladdr1(f__units, &library, reinterpret_cast<void**>(const_cast<ElfW(Sym)**>(&symbol)), RTLD_DL_SYMENT) == 0)
    return 0;
  return symbol != nullptr ? symbol->st_size : 0;
}

}  // namespace

std::optional<int> open_fortran_unit() {
  const std::size_t unit_size = table_size() / number_of_units;
  if (unit_size < sizeof(std::FILE*)) return std::nullopt;
  for (std::size_t unit = 0; unit < number_of_units; ++unit) {
    std::FILE* stream = nullptr;
    std::memcpy(static_cast<void*>(&stream), f__units + unit * unit_size, sizeof stream);
    const std::array standard{stdin, stdout, stderr};
    if (stream != nullptr && std::ranges::find(standard, stream) == standard.end()) return static_cast<int>(unit);
  }
  return std::nullopt;
}

}  // namespace cppc::c_library
