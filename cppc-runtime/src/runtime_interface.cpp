#include "address/expectation.hpp"
#include "address/interruption.hpp"
#include "address/load_addresses.hpp"
#include "address/process/process_state.hpp"
#include "address/program_time.hpp"
#include "expectation.hpp"
#include "grown_file.hpp"
#include "guarded.hpp"
#include "handles.hpp"
#include "last_error.hpp"
#include "session.hpp"

namespace cppc {

// NOLINTNEXTLINE(readability-function-size): it is a table
const cppc_runtime& runtime_interface() {
  static const cppc_runtime table = {
      .version = CPPC_HOOKS_VERSION,
      .watch = [](const volatile std::uint32_t* word) { session().watch(word); },
      .watch_calls =
          [](const volatile std::uint32_t* word, const cppc_calls* calls) {
            const int watched = mpi_state::watch_calls(word, calls, [] { session().stop_here(); });
            if (watched > 0) address::interruption::start(mpi_state::look_between_calls);
            return watched;
          },
      .state_bytes = [] { return session().state_bytes(); },
      .image_memory = [] { return session().image_memory(); },
      .large_blocks =
          [](std::uint64_t* numbers, std::uint64_t capacity) {
            const std::span room(numbers, capacity);
            return address::kept_by_address() ? address::large_places(room) : large_blocks(room);
          },
      .sharers = [](int* ranks, std::uint64_t capacity) { return mpi_state::sharers(std::span(ranks, capacity)); },
      .thread_level = [] { return mpi_state::thread_level(); },
      .expect =
          [](const std::uint64_t* numbers, std::uint64_t count) {
            const std::span expected(numbers, count);
            return address::kept_by_address() ? address::expect(expected) : expect(expected);
          },
      .describe_objects =
          [](void* out, std::uint64_t capacity) {
            const std::span room(static_cast<std::byte*>(out), capacity);
            return address::kept_by_address() ? address::describe_objects(room) : 0;
          },
      .compare_objects =
          [](const void* described, std::uint64_t bytes) {
            forget_errors();
            if (!address::kept_by_address()) return CPPC_OK;
            return guarded([&] {
              return address::compare_objects(
                  {static_cast<const std::byte*>(described), static_cast<std::size_t>(bytes)});
            });
          },
      .capture =
          [](cppc_status (*visit)(const cppc_block*, void*), void* context) {
            forget_errors();
            return guarded([&] { return session().capture(visit, context); });
          },
      .capture_begin =
          [](cppc_status (*visit)(const cppc_block*, void*), void* context) {
            forget_errors();
            return guarded([&] { return session().capture_begin(visit, context); });
          },
      .capture_search = [] { session().capture_search(); },
      .capture_end =
          [](cppc_status (*visit)(const cppc_block*, void*), void* context) {
            forget_errors();
            return guarded([&] { return session().capture_end(visit, context); });
          },
      .restore_begin =
          [](const void* runtime_block, std::uint64_t bytes, void (*keep_alive)(void*), void* context) {
            forget_errors();
            return guarded([&] {
              return session().restore_begin(
                  {static_cast<const std::byte*>(runtime_block), static_cast<std::size_t>(bytes)},
                  {keep_alive, context});
            });
          },
      .restore_place =
          [](cppc_section section, const char* name, std::uint64_t bytes, void** place) {
            return guarded([&] { return session().restore_place(section, name, bytes, place); });
          },
      .restore_end = [] { return guarded([] { return session().restore_end(); }); },
      .traffic = mpi_state::traffic,
      .drain = mpi_state::drain,
      .resume = mpi_state::resume,
      .progress = mpi_state::progress,
      .take_part = mpi_state::take_part,
      .rebuild =
          [](MPI_Comm world) {
            const cppc_status status = cut_grown_files();
            return status == CPPC_OK ? mpi_state::rebuild(world) : status;
          },
      .abandon =
          [] {
            mpi_state::abandon();
            if (address::kept_by_address()) address::process::leave();
          },
      .reason =
          [](char* out, std::uint64_t capacity) {
            last_error({out, static_cast<std::size_t>(capacity)});
          },
  };
  return table;
}

}  // namespace cppc
