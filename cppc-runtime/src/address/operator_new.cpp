/// new and delete of C++, by the names that the linker knows: malloc() and free(). An allocator that the program is
/// linked with, such as jemalloc, has them, too; but its delete gives blocks to free(), which is not its own here. A
/// library that replaces them for reasons of its own keeps them.
#include <link.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <string_view>
#include <type_traits>

#include "address/allocate.hpp"
#include "address/symbols.hpp"

extern "C" const char __ehdr_start __attribute__((visibility("hidden")));  // of the linker: where this library begins

namespace {

using cppc::address::allocate;
using cppc::address::allocate_aligned;
using cppc::address::find_symbol;
using cppc::address::is_own_code;

enum class Owner : unsigned char { unknown, here, elsewhere };

/// The first library behind this one that defines the function; null if there is none.
const link_map* next_with(const char* function) {
  bool behind = false;
  for (const link_map* map = _r_debug.r_map; map != nullptr; map = map->l_next) {
    if (behind && find_symbol(map->l_addr, map->l_ld, function) != nullptr) return map;
    behind = behind || map->l_addr == reinterpret_cast<ElfW(Addr)>(&__ehdr_start);
  }
  return nullptr;
}

Owner find_owner() {
  const link_map* const next = next_with("_Znwm");
  if (next == nullptr) return Owner::here;
  const std::string_view path = next->l_name;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const bool of_cxx = name.starts_with("libstdc++.so") || name.starts_with("libc++");
  const bool is_allocator = find_symbol(next->l_addr, next->l_ld, "malloc") != nullptr;
  return of_cxx || is_allocator ? Owner::here : Owner::elsewhere;
}

/// Whether they are malloc() and free() for this caller.
bool here(const void* caller) {
  static constinit Owner owner = Owner::unknown;
  if (owner == Owner::unknown) [[unlikely]]
    owner = find_owner();
  return owner == Owner::here || is_own_code(caller);
}

/// Calls the function of this name in the first library behind this one that has it.
template <class Result, class... Arguments>
Result next(const char* name, Arguments... arguments) {
  const link_map* const library = next_with(name);
  if (library == nullptr) std::abort();  // who has called this one cannot have been linked
  const auto address = library->l_addr + find_symbol(library->l_addr, library->l_ld, name)->st_value;
  return reinterpret_cast<Result (*)(Arguments...)>(address)(arguments...);
}

/// `block` is what there was for this caller. Where memory is short, the next one asks the program's handler for some,
/// and throws.
template <class... Arguments>
void* or_next(void* block, const void* caller, const char* name, Arguments... arguments) {
  if (block != nullptr) [[likely]]
    return block;
  if (!is_own_code(caller)) return next<void*>(name, arguments...);
  constexpr bool nothrow = (std::is_same_v<Arguments, const void*> || ...);
  return nothrow ? nullptr : throw std::bad_alloc();
}

}  // namespace

#define CPPC_OPERATOR extern "C" __attribute__((visibility("default")))
#define CPPC_NEW(name, parameters, call, ...)                                  \
  CPPC_OPERATOR void* name parameters {                                        \
    const void* const caller = __builtin_return_address(0);                    \
    return or_next(here(caller) ? call : nullptr, caller, #name, __VA_ARGS__); \
  }
#define CPPC_DELETE(name, parameters, ...)                                                 \
  CPPC_OPERATOR void name parameters {                                                     \
    here(__builtin_return_address(0)) ? std::free(block) : next<void>(#name, __VA_ARGS__); \
  }
#define CPPC_UNALIGNED allocate(bytes, caller)
#define CPPC_ALIGNED allocate_aligned(alignment, bytes, caller)

CPPC_NEW(_Znwm, (std::size_t bytes), CPPC_UNALIGNED, bytes)
CPPC_NEW(_Znam, (std::size_t bytes), CPPC_UNALIGNED, bytes)
CPPC_NEW(_ZnwmRKSt9nothrow_t, (std::size_t bytes, const void* nothrow), CPPC_UNALIGNED, bytes, nothrow)
CPPC_NEW(_ZnamRKSt9nothrow_t, (std::size_t bytes, const void* nothrow), CPPC_UNALIGNED, bytes, nothrow)
CPPC_NEW(_ZnwmSt11align_val_t, (std::size_t bytes, std::size_t alignment), CPPC_ALIGNED, bytes, alignment)
CPPC_NEW(_ZnamSt11align_val_t, (std::size_t bytes, std::size_t alignment), CPPC_ALIGNED, bytes, alignment)
CPPC_NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, (std::size_t bytes, std::size_t alignment, const void* nothrow),
         CPPC_ALIGNED, bytes, alignment, nothrow)
CPPC_NEW(_ZnamSt11align_val_tRKSt9nothrow_t, (std::size_t bytes, std::size_t alignment, const void* nothrow),
         CPPC_ALIGNED, bytes, alignment, nothrow)

CPPC_DELETE(_ZdlPv, (void* block), block)
CPPC_DELETE(_ZdaPv, (void* block), block)
CPPC_DELETE(_ZdlPvm, (void* block, std::size_t bytes), block, bytes)
CPPC_DELETE(_ZdaPvm, (void* block, std::size_t bytes), block, bytes)
CPPC_DELETE(_ZdlPvRKSt9nothrow_t, (void* block, const void* nothrow), block, nothrow)
CPPC_DELETE(_ZdaPvRKSt9nothrow_t, (void* block, const void* nothrow), block, nothrow)
CPPC_DELETE(_ZdlPvSt11align_val_t, (void* block, std::size_t alignment), block, alignment)
CPPC_DELETE(_ZdaPvSt11align_val_t, (void* block, std::size_t alignment), block, alignment)
CPPC_DELETE(_ZdlPvmSt11align_val_t, (void* block, std::size_t bytes, std::size_t alignment), block, bytes, alignment)
CPPC_DELETE(_ZdaPvmSt11align_val_t, (void* block, std::size_t bytes, std::size_t alignment), block, bytes, alignment)
CPPC_DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t, (void* block, std::size_t alignment, const void* nothrow), block,
            alignment, nothrow)
CPPC_DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t, (void* block, std::size_t alignment, const void* nothrow), block,
            alignment, nothrow)
