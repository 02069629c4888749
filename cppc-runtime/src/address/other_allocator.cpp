#include "address/other_allocator.hpp"

#include <link.h>

#include <functional>
#include <mutex>
#include <new>
#include <unordered_set>

#include "address/c_library_malloc.hpp"
#include "address/heap_lock.hpp"
#include "address/symbols.hpp"
#include "never_destroyed.hpp"

namespace cppc::address {

namespace {

/// Of the C library, which is not what malloc() is here.
template <class T>
struct FromCLibrary {
  using value_type = T;
  FromCLibrary() = default;
  template <class U>
  explicit FromCLibrary(const FromCLibrary<U>& /*other*/) {}
  T* allocate(std::size_t count) {
    void* const block = CLibraryMalloc::get().malloc(count * sizeof(T));
    if (block == nullptr) throw std::bad_alloc();
    return static_cast<T*>(block);
  }
  void deallocate(T* block, std::size_t /*count*/) { CLibraryMalloc::get().free(block); }
  bool operator==(const FromCLibrary& /*other*/) const { return true; }
};

struct Noted {
  heap::HeapLock lock;
  std::unordered_set<void*, std::hash<void*>, std::equal_to<>, FromCLibrary<void*>> blocks;
};

Noted& noted() {
  static NeverDestroyed<Noted> all;
  return *all;
}

template <class Function>
bool find(const link_map& library, const char* name, Function*& function) {
  const auto* const symbol = find_symbol(library.l_addr, library.l_ld, name);
  if (symbol == nullptr) return false;
  function = reinterpret_cast<Function*>(library.l_addr + symbol->st_value);
  return true;
}

}  // namespace

constinit bool OtherAllocator::looked_ = false;
constinit OtherAllocator* OtherAllocator::one_ = nullptr;

void OtherAllocator::look() {
  static constinit OtherAllocator found{};
  looked_ = true;
  for (const link_map* map = _r_debug.r_map; map != nullptr; map = map->l_next) {
    const std::string_view path = map->l_name;
    if (!is_an_allocator(path.substr(path.rfind('/') + 1))) continue;
    const bool is_whole = find(*map, "free", found.free) && find(*map, "realloc", found.realloc) &&
                          find(*map, "malloc_usable_size", found.usable_size);
    if (is_whole) one_ = &found;
    if (is_whole) return;
  }
}

void OtherAllocator::note(void* block) {
  if (block == nullptr) return;
  const std::lock_guard lock(noted().lock);
  noted().blocks.insert(block);
}

bool OtherAllocator::forget(void* block) {
  const std::lock_guard lock(noted().lock);
  return noted().blocks.erase(block) != 0;
}

bool OtherAllocator::is_noted(void* block) {
  const std::lock_guard lock(noted().lock);
  return noted().blocks.contains(block);
}

}  // namespace cppc::address
