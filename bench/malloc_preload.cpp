/// The malloc family of libcppc in a program without MPI, preloaded as other allocators are: the same functions, found
/// in the same way. Threads say when they work for the program, since nothing here starts them.
#include <cstdlib>

#include "address/carried_objects.hpp"
#include "address/mpi_memory.hpp"
#include "address/preload.hpp"
#include "address/program_time.hpp"
#include "address/region_heap.hpp"
#include "address/startup_calls.hpp"

namespace {

__attribute__((constructor)) void start() {
  if (!cppc::address::RegionHeap::start()) std::abort();
}

}  // namespace

namespace cppc::address {

constinit DynamicLinker dynamic_linker;
constinit bool startup_over = false;

bool startup_call_is_programs(const void*) { return false; }
void note_block_of_libraries(const void*, std::size_t) {}
bool preload::brings_program() { return false; }
bool reads_startup_code() { return false; }

}  // namespace cppc::address

extern "C" __attribute__((visibility("default"))) void cppc_bench_enter_program() {
  cppc::address::program_time = true;
}
