/// sbrk() and brk() for the program: at a place of its own, as the system's end of data is closed in a process whose
/// state is kept by address (malloc.cpp). What it has there is a mapping like others.
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <mutex>

#include "address/places.hpp"
#include "address/process/next.hpp"
#include "address/process/program_memory.hpp"
#include "address/program_time.hpp"

extern "C" void* __sbrk(std::intptr_t bytes) noexcept;

namespace cppc::address {

namespace {

struct ProgramBreak {
  std::uintptr_t bytes;  ///< from kBreak on
};

constinit std::mutex mutex;

std::uintptr_t pages(std::uintptr_t bytes) {
  constexpr std::uintptr_t page = 4096;
  return (bytes + page - 1) / page * page;
}

/// False: there is no memory.
bool set_break(ProgramBreak& program_break, std::uintptr_t bytes) {
  if (bytes > kEnd - kBreak) return false;
  const std::uintptr_t before = pages(program_break.bytes), after = pages(bytes);
  if (after > before) {
    auto* const place = reinterpret_cast<void*>(kBreak + before);
    constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
    const OutsideProgram outside;
    if (mmap(place, after - before, PROT_READ | PROT_WRITE, flags, -1, 0) != place) return false;
  } else if (after < before && munmap(reinterpret_cast<void*>(kBreak + after), before - after) != 0) {
    return false;
  }
  program_break.bytes = bytes;
  return true;
}

}  // namespace

}  // namespace cppc::address

using namespace cppc::address;

#pragma GCC visibility push(default)

extern "C" {

void* sbrk(std::intptr_t bytes) noexcept {
  if (!program_time) return __sbrk(bytes);
  const std::lock_guard lock(mutex);
  auto& program_break = at_root<ProgramBreak>(Root::program_break);
  const std::uintptr_t before = program_break.bytes;
  if (set_break(program_break, before + static_cast<std::uintptr_t>(bytes)))
    return reinterpret_cast<void*>(kBreak + before);
  errno = ENOMEM;
  return reinterpret_cast<void*>(-1);
}

int brk(void* end) noexcept {
  if (!program_time) return CPPC_NEXT(brk)(end);
  const std::lock_guard lock(mutex);
  if (set_break(at_root<ProgramBreak>(Root::program_break), reinterpret_cast<std::uintptr_t>(end) - kBreak)) return 0;
  errno = ENOMEM;
  return -1;
}

}  // extern "C"

#pragma GCC visibility pop
