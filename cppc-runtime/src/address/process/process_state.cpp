
#include <link.h>
#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "address/process/affinity.hpp"
#include "address/process/attributes.hpp"
#include "address/process/c_library.hpp"
#include "address/process/c_library_settings.hpp"
#include "address/process/children.hpp"
#include "address/process/clocks.hpp"
#include "address/process/closed_files.hpp"
#include "address/process/descriptors.hpp"
#include "address/process/environment.hpp"
#include "address/process/exit_handlers.hpp"
#include "address/process/floating_point.hpp"
#include "address/process/identity.hpp"
#include "address/process/keys.hpp"
#include "address/process/libraries.hpp"
#include "address/process/limits.hpp"
#include "address/process/mappings.hpp"
#include "address/process/openmp.hpp"
#include "address/process/printf_conversions.hpp"
#include "address/process/processor.hpp"
#include "address/process/program_memory.hpp"
#include "address/process/saved_registers.hpp"
#include "address/process/signals.hpp"
#include "address/process/streams.hpp"
#include "address/process/system_v.hpp"
#include "address/process/team_threads.hpp"
#include "address/process/threads.hpp"
#include "address/process/timers.hpp"
#include "address/symbols.hpp"
#include "c_library/random.hpp"
#include "log.hpp"
#include "never_destroyed.hpp"

namespace cppc::address::process {

namespace {

/// Null: it has nothing to do then.
struct Part {
  const char* name;
  cppc_status (*write)(ByteWriter& writer) = nullptr;
  cppc_status (*prepare)(ByteReader& reader) = nullptr;
  cppc_status (*complete)() = nullptr;
  void (*apply)() = nullptr;
  void (*leave)() = nullptr;
};

/// What the thread has between hold() and release().
struct Calling {
  int error = 0;
  FloatingPoint floating_point{};
};

/// As tools show it, and as a program may have set it.
using ThreadName = std::array<char, 16>;

constinit ThreadName captured_name{};

constinit Calling calling{};
constinit Calling captured{};

cppc_status write_calling(ByteWriter& writer) {
  writer.i32(calling.error);
  calling.floating_point.write(writer);
  ThreadName name{};
  prctl(PR_GET_NAME, name.data());
  writer.text({name.data(), strnlen(name.data(), name.size())});
  return CPPC_OK;
}

cppc_status prepare_calling(ByteReader& reader) {
  captured.error = reader.i32();
  captured.floating_point = FloatingPoint::read(reader);
  captured_name = {};
  const auto name = reader.text();
  if (name.size() >= captured_name.size()) reader.fail();
  if (reader.ok()) std::ranges::copy(name, captured_name.begin());
  return reader.ok() ? CPPC_OK : CPPC_ERR_IMAGE;
}

void apply_calling() {
  calling = captured;
  prctl(PR_SET_NAME, captured_name.data());
}

/// One of the program's own serves all libraries of the process, MPI, too.
cppc_status check_allocator(ByteWriter&) {
  const link_map& program = *_r_debug.r_map;
  const ElfW(Sym)* const its = find_symbol(program.l_addr, program.l_ld, "malloc");
  if (its == nullptr || program.l_addr + its->st_value == reinterpret_cast<std::uintptr_t>(&::malloc)) return CPPC_OK;
  log().error(
      "the program has a malloc() of its own, which has given MPI its memory, too: that cannot be told from the "
      "program's; link it without, or with a shared library that has it");
  return CPPC_ERR_UNSUPPORTED;
}

cppc_status check_children(ByteWriter&) { return children::check(); }

cppc_status check_identity(ByteWriter&) { return identity::check(); }

cppc_status check_system_v(ByteWriter&) { return system_v::check(); }

cppc_status check_libraries(ByteWriter&) { return libraries::check(); }

cppc_status write_threads(ByteWriter&) {
  cppc_status status = threads::keep_locals_of_pools(calling.floating_point);
  if (status == CPPC_OK) status = threads::end_pools();
  return status != CPPC_OK ? status : threads::check();
}

/// A timer that runs out meanwhile must not be counted twice, nor be lost: its signal waits then, as these are held.
cppc_status write_signals(ByteWriter& writer) {
  for (;;) {
    const std::uint64_t before = signals::waiting();
    ByteWriter state;
    cppc_status status = timers::write(state);
    if (status == CPPC_OK) status = signals::write(state);
    if (status == CPPC_OK && signals::waiting() != before) continue;
    writer.raw(state.bytes());
    return status;
  }
}

cppc_status prepare_signals(ByteReader& reader) {
  const cppc_status status = timers::prepare(reader);
  return status == CPPC_OK ? signals::prepare(reader) : status;
}

/// What is written of streams is read when their memory is there.
std::vector<std::byte>& streams_of_image() {
  static NeverDestroyed<std::vector<std::byte>> bytes;
  return *bytes;
}

cppc_status write_streams(ByteWriter& writer) {
  ByteWriter streams;
  const cppc_status status = streams::write(streams);
  writer.block(streams.bytes());
  return status;
}

cppc_status keep_streams(ByteReader& reader) {
  const auto streams = reader.block();
  streams_of_image().assign(streams.begin(), streams.end());
  return reader.ok() ? CPPC_OK : CPPC_ERR_IMAGE;
}

cppc_status link_streams() {
  ByteReader reader(streams_of_image());
  return streams::link_again(reader);
}

void lock_files() {
  if (const cppc_status status = descriptors::lock_again(); status != CPPC_OK)
    die(status, "the program's files are locked by somebody else");
}

void apply_signals() {
  signals::apply();  // holds them
  timers::apply();
}

void leave_signals() {
  signals::leave();
  timers::leave();
}

/// In the order in which they are written and made again: signals come last, when nothing can fail any more.
constexpr std::array parts{
    Part{.name = "allocator", .write = check_allocator},
    Part{.name = "processor", .write = processor::write, .prepare = processor::prepare},
    Part{.name = "saved registers", .write = saved_registers::write, .prepare = saved_registers::prepare},
    Part{.name = "threads", .write = write_threads, .leave = [] { OpenMp().leave(); }},
    Part{.name = "children", .write = check_children},
    Part{.name = "identity", .write = check_identity},
    Part{.name = "System V", .write = check_system_v},
    Part{.name = "libraries", .write = check_libraries},
    Part{.name = "printf conversions", .write = printf_conversions::write, .prepare = printf_conversions::prepare},
    Part{.name = "affinity", .write = affinity::write, .prepare = affinity::prepare},
    Part{.name = "limits", .write = limits::write, .prepare = limits::prepare, .apply = limits::apply},
    Part{.name = "attributes", .write = attributes::write, .prepare = attributes::prepare},
    Part{.name = "environment",
         .write = environment::write,
         .prepare = environment::prepare,
         .apply = environment::apply},
    Part{.name = "mappings",
         .write = mappings::write,
         .prepare = mappings::map_again,
         .complete = mappings::protect_again},
    Part{.name = "descriptors",
         .write = descriptors::write,
         .prepare = descriptors::open_again,
         .apply = lock_files,
         .leave = descriptors::release_locks},
    Part{.name = "closed files", .write = closed_files::write, .prepare = closed_files::cut_again},
    Part{.name = "C library", .write = c_library::write, .prepare = c_library::prepare, .apply = c_library::apply},
    Part{.name = "settings of the C library",
         .write = c_library_settings::write,
         .prepare = c_library_settings::prepare,
         .apply = c_library_settings::apply},
    Part{.name = "streams",
         .write = write_streams,
         .prepare = keep_streams,
         .complete = link_streams,
         .leave = streams::forget},
    Part{.name = "clocks", .write = clocks::write, .prepare = clocks::prepare, .apply = clocks::apply},
    Part{.name = "keys", .write = keys::write, .prepare = keys::prepare, .apply = keys::apply},
    Part{.name = "exit handlers", .apply = exit_handlers::apply, .leave = exit_handlers::leave},
    Part{.name = "calling thread", .write = write_calling, .prepare = prepare_calling, .apply = apply_calling},
    Part{.name = "signals and timers",
         .write = write_signals,
         .prepare = prepare_signals,
         .apply = apply_signals,
         .leave = leave_signals},
};

}  // namespace

void end_of_constructors() {
  libraries::start();
  if (threads::others() != 0) (void)threads::end_pools();
}

char** start(bool takes_over) {
  signals::start();
  limits::start();
  attributes::start();
  identity::start();
  if (takes_over) keys::reserve_numbers();
  if (takes_over) return nullptr;
  program_memory_there = true;
  keys::start();
  OpenMp().choose_locks();
  cppc::c_library::start_random_in_program();
  return environment::start();
}

void mpi_starts() {
  descriptors::reserve_numbers();
  libraries::publish();
  children::mpi_starts();
}

void mpi_started() {
  children::mpi_started();
  signals::mpi_started();
  descriptors::note_numbers_of_process();
  if (program_memory_there) descriptors::release_numbers();
}

cppc_status complete() {
  for (const Part& part : parts) {
    const cppc_status status = part.complete != nullptr ? part.complete() : CPPC_OK;
    if (status != CPPC_OK) return status;
  }
  descriptors::release_numbers();
  return CPPC_OK;
}

void hold() {
  calling = {.error = errno, .floating_point = FloatingPoint::now()};
  c_library::hold();
  signals::hold();
}

void release() {
  c_library::release();
  signals::release();
  calling.floating_point.set();
  team_threads::give_locals();
  calling.floating_point.set();
  errno = calling.error;
}

cppc_status write(ByteWriter& writer) {
  cppc_status status = CPPC_OK;
  for (const Part& part : parts) {
    const cppc_status answer = part.write != nullptr ? part.write(writer) : CPPC_OK;
    if (status == CPPC_OK) status = answer;
  }
  return status;
}

cppc_status prepare(ByteReader& reader) {
  for (const Part& part : parts) {
    const cppc_status status = part.prepare != nullptr ? part.prepare(reader) : CPPC_OK;
    if (status == CPPC_ERR_IMAGE) log().error("the image is damaged where it describes the process: {}", part.name);
    if (status != CPPC_OK) return status;
  }
  return CPPC_OK;
}

void apply() {
  program_memory_there = true;
  for (const Part& part : parts)
    if (part.apply != nullptr) part.apply();
}

void leave() {
  for (const Part& part : parts)
    if (part.leave != nullptr) part.leave();
}

}  // namespace cppc::address::process
