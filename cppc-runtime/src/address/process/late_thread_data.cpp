#include "address/process/late_thread_data.hpp"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "address/places.hpp"
#include "address/program_time.hpp"
#include "never_destroyed.hpp"

extern "C" void* __tls_get_addr(void*);

namespace cppc::address::late_thread_data {

namespace {

#if !defined(__x86_64__) || !defined(__GLIBC__)
#error "where a thread's vector is has to be named here"
#endif

/// Of the vector, one for each module.
struct Entry {
  void* value;
  void* to_free;  ///< null: it lies with the thread, or belongs to somebody else
};

struct Index {
  std::size_t module;
  std::size_t offset;
};

struct Placed {
  std::uintptr_t object;
  std::byte* memory;
};

std::vector<Placed>& all() {
  static NeverDestroyed<std::vector<Placed>> placed;
  return *placed;
}

/// Up to date, and with memory for the module.
Entry& entry_of(std::size_t module) {
  Index index{module, 0};
  __tls_get_addr(&index);
  Entry* vector = nullptr;
  asm("mov %%fs:8, %0" : "=r"(vector));
  return vector[module];
}

std::byte* allocate(std::size_t alignment, std::size_t bytes) {
  const InsideProgram inside;
  return static_cast<std::byte*>(memalign(std::max(alignment, alignof(std::max_align_t)), bytes));
}

void lead_to(std::size_t module, std::byte* memory) {
  Entry& entry = entry_of(module);
  entry.value = memory;
  std::free(std::exchange(entry.to_free, nullptr));
}

}  // namespace

Place place(const Variables& variables) {
  if (gettid() != getpid()) return Place::elsewhere;
  const Entry& entry = entry_of(variables.module);
  if (entry.to_free == nullptr) return Place::with_thread;
  if (variables.in_use) return Place::elsewhere;  // somebody may know where they are
  std::byte* const memory = allocate(variables.alignment, variables.bytes);
  if (memory == nullptr) return Place::elsewhere;
  std::memcpy(memory, entry.value, variables.bytes);
  lead_to(variables.module, memory);
  all().push_back({variables.object, memory});
  return Place::in_program;
}

std::span<std::byte> memory_of(const Variables& variables) {
  return {static_cast<std::byte*>(entry_of(variables.module).value), variables.bytes};
}

void forget(std::uintptr_t object) {
  const auto placed = std::ranges::find(all(), object, &Placed::object);
  if (placed == all().end()) return;
  std::free(placed->memory);
  all().erase(placed);
}

void write(ByteWriter& out) {
  out.u64(all().size());
  for (const Placed& placed : all()) {
    out.u64(placed.object);
    out.u64(reinterpret_cast<std::uintptr_t>(placed.memory));
  }
}

bool put_back(ByteReader& in, std::size_t (*module_of)(std::uintptr_t object)) {
  all().clear();  // what the objects had when they were opened here
  for (std::uint64_t left = in.count(16); left > 0; --left) {
    const std::uintptr_t object = in.u64();
    auto* const memory = reinterpret_cast<std::byte*>(in.u64());
    const std::size_t module = module_of(object);
    if (module == 0 || !is_program_memory(memory)) return false;
    lead_to(module, memory);
    all().push_back({object, memory});
  }
  return in.at_end();
}

}  // namespace cppc::address::late_thread_data
