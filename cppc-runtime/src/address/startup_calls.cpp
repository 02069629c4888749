#include "address/startup_calls.hpp"

#include <link.h>
#include <sys/auxv.h>

#include <algorithm>
#include <span>

#include "address/carried_objects.hpp"
#include "address/program_time.hpp"
#include "address/region_heap.hpp"

namespace cppc::address {

constinit DynamicLinker dynamic_linker;
constinit bool startup_over = false;

namespace {

constinit bool heap_started = false;

DynamicLinker find_dynamic_linker() {
  const std::uintptr_t base = getauxval(AT_BASE);
  if (base == 0) return {};
  const auto& header = *reinterpret_cast<const ElfW(Ehdr)*>(base);
  std::uintptr_t bytes = 0;
  for (const auto& loaded : std::span(reinterpret_cast<const ElfW(Phdr)*>(base + header.e_phoff), header.e_phnum))
    if (loaded.p_type == PT_LOAD) bytes = std::max(bytes, loaded.p_vaddr + loaded.p_memsz);
  return {base, bytes};
}

}  // namespace

tl::expected<void, cppc_status> start_heap() {
  if (heap_started) return {};
  heap_started = true;
  return RegionHeap::start();
}

bool startup_call_is_programs(const void* return_address) {
  if (startup_over || !kept_by_address() || !is_carried_code(return_address)) return false;
  return start_heap().has_value();
}

void end_of_startup() {
  startup_over = true;
  dynamic_linker = find_dynamic_linker();
}

}  // namespace cppc::address
