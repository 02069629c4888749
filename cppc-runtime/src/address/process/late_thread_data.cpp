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
  std::byte* memory;          ///< of the program
  std::ptrdiff_t offset = 0;  ///< from the thread's register, if they lie with the thread
  bool with_thread = false;
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

/// Where the compiler expects it.
std::ptrdiff_t offset_of(const Entry& entry) {
  return static_cast<std::byte*>(entry.value) - static_cast<std::byte*>(__builtin_thread_pointer());
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
  if (entry.to_free == nullptr) {
    all().push_back({variables.object, nullptr, offset_of(entry), true});
    return Place::with_thread;
  }
  if (variables.in_use) return Place::elsewhere;  // somebody may know where they are
  std::byte* const memory = allocate(variables.alignment, variables.bytes);
  if (memory == nullptr) return Place::elsewhere;
  std::memcpy(memory, entry.value, variables.bytes);
  lead_to(variables.module, memory);
  all().push_back({variables.object, memory, 0, false});
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
    out.i64(placed.offset);
    out.u8(placed.with_thread);
  }
}

tl::expected<void, std::string> put_back(ByteReader& in, std::size_t (*module_of)(std::uintptr_t object)) {
  all().clear();  // what the objects had when they were opened here
  for (std::uint64_t left = in.count(25); left > 0 && in.ok(); --left) {
    Placed placed{};
    placed.object = in.u64();
    placed.memory = reinterpret_cast<std::byte*>(in.u64());
    placed.offset = in.i64();
    placed.with_thread = in.u8() != 0;
    const std::size_t module = module_of(placed.object);
    if (module == 0 || !(placed.with_thread || is_program_memory(placed.memory))) in.fail();
    if (!in.ok()) break;
    if (placed.with_thread && offset_of(entry_of(module)) != placed.offset)
      return tl::unexpected<std::string>(
          "thread-local variables of a library that the program has opened lie at another distance "
          "from the thread's register than where the rank was");
    if (!placed.with_thread) lead_to(module, placed.memory);
    all().push_back(placed);
  }
  if (in.at_end()) return {};
  return tl::unexpected<std::string>("the image's list of thread-local variables of opened libraries is damaged");
}

}  // namespace cppc::address::late_thread_data
