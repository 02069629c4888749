#include "address/startup_calls.hpp"

#include "address/carried_objects.hpp"
#include "address/program_time.hpp"
#include "address/region_heap.hpp"

namespace cppc::address {

namespace {

constinit bool over = false;
constinit bool heap_started = false;

}  // namespace

tl::expected<void, cppc_status> start_heap() {
  if (heap_started) return {};
  heap_started = true;
  return RegionHeap::start();
}

bool startup_call_is_programs(const void* return_address) {
  if (over || !kept_by_address() || !is_carried_code(return_address)) return false;
  return start_heap().has_value();
}

void end_of_startup() { over = true; }

}  // namespace cppc::address
