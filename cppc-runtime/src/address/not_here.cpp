/// In place of all that is beside this file, on architectures where no state is kept by address: there programs are
/// built with --portable, and kept_by_address() says so to everybody who asks.
#include <cstdlib>

#include "address/capture.hpp"
#include "address/carried_objects.hpp"
#include "address/child_search.hpp"
#include "address/expectation.hpp"
#include "address/interruption.hpp"
#include "address/load_addresses.hpp"
#include "address/preload.hpp"
#include "address/process/owner.hpp"
#include "address/process/process_state.hpp"
#include "address/process/program_memory.hpp"
#include "address/process/threads.hpp"
#include "address/program_stack.hpp"
#include "address/program_time.hpp"
#include "address/protections.hpp"
#include "address/restore.hpp"
#include "address/shared_blocks.hpp"
#include "log.hpp"

namespace cppc::address {

namespace {

[[noreturn]] void not_here() {
  die(CPPC_ERR_UNSUPPORTED, "on this architecture only programs that are built with --portable can be moved");
}

}  // namespace

constinit thread_local bool program_time = false;
constinit thread_local unsigned InsideProgram::depth_ = 0;

bool kept_by_address() { return false; }
InsideProgram::InsideProgram() : before_(false) { ++depth_; }

tl::expected<Capture, cppc_status> Capture::take(std::uint64_t, unsigned, const DeadClaims&, std::byte*) { not_here(); }
cppc_status Capture::visit(cppc_status (*)(const cppc_block*, void*), void*) const { not_here(); }
tl::expected<Capture, cppc_status> Capture::describe(std::uint64_t, unsigned, const DeadClaims&, std::byte*) {
  not_here();
}
std::uint64_t state_bytes() { not_here(); }
tl::expected<ChildSearch, cppc_status> ChildSearch::prepare(Capture) { not_here(); }
void ChildSearch::search() noexcept { not_here(); }
cppc_status ChildSearch::visit_result(cppc_status (*)(const cppc_block*, void*), void*) const { not_here(); }
ChildMemory::~ChildMemory() = default;

cppc_status Restore::begin(std::span<const std::byte>) { not_here(); }
cppc_status Restore::place(cppc_section, std::string_view, std::uint64_t, void**) { not_here(); }
cppc_status Restore::end() { not_here(); }
int Restore::go_on() { not_here(); }

void DeadClaims::add_block(const void*) {}
void DeadClaims::add_range(std::span<const std::byte>, std::span<const void* const>, std::optional<const void*>) {}
void DeadClaims::begin_way() {}
void DeadClaims::end_ways() {}
void DeadClaims::clear() {}

Readable::~Readable() = default;

void SharedBlocks::add(const SharedBlock&) { not_here(); }
void SharedBlocks::remove(const void*) { not_here(); }
const SharedBlock* SharedBlocks::find(const void*) { return nullptr; }

std::uint64_t large_places(std::span<std::uint64_t>) { not_here(); }
void expect(std::span<const std::uint64_t>) { not_here(); }
std::uint64_t describe_objects(std::span<std::byte>) noexcept { not_here(); }
cppc_status compare_objects(std::span<const std::byte>) { not_here(); }

/// Portable programs have safe points.
bool program_calls(std::string_view) { return true; }

Owner owner_of(const void*) { return Owner::unknown; }
void* allocate_for_program(std::size_t) { not_here(); }

bool on_main_thread() { return true; }
bool threads::in_parallel_region() { return false; }
bool preload::is_asked_for() { return false; }
void preload::mpi_starts() {}
void interruption::start(void (*)()) { not_here(); }
void program_stack::stop(void (*)(void*, std::byte*), void*) { not_here(); }
void program_stack::clear_unused() {}

void process::hold() { not_here(); }
void process::release() { not_here(); }
void process::mpi_starts() { not_here(); }
void process::mpi_started() { not_here(); }
void process::leave() { not_here(); }

}  // namespace cppc::address
