#include "address/c_library_malloc.hpp"

#include <link.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

#include "address/symbols.hpp"

namespace cppc::address {

namespace {

const link_map* c_library() {
  for (const link_map* map = _r_debug.r_map; map != nullptr; map = map->l_next)
    if (std::string_view(map->l_name).ends_with("/libc.so.6")) return map;
  return nullptr;
}

template <class Function>
void find(const link_map& library, const char* name, Function*& function) {
  const auto* const symbol = find_symbol(library.l_addr, library.l_ld, name);
  if (symbol == nullptr) std::abort();  // another C library than the one that libcppc is made for
  function = reinterpret_cast<Function*>(library.l_addr + symbol->st_value);
}

CLibraryMalloc find_all() {
  const link_map* const library = c_library();
  if (library == nullptr) std::abort();
  CLibraryMalloc own{};
  find(*library, "__libc_malloc", own.malloc);
  find(*library, "__libc_calloc", own.calloc);
  find(*library, "__libc_realloc", own.realloc);
  find(*library, "__libc_memalign", own.memalign);
  find(*library, "__libc_free", own.free);
  find(*library, "malloc_usable_size", own.usable_size);
  return own;
}

}  // namespace

const CLibraryMalloc& CLibraryMalloc::get() {
  static constinit CLibraryMalloc own{};
  if (own.malloc == nullptr) [[unlikely]]
    own = find_all();
  return own;
}

}  // namespace cppc::address
