/// An extension (CPPC_EXTENSION) that stops a program at a safe point for good and goes on in another mpirun, on
/// another architecture perhaps, without agents:
///
///   CPPC_STOP_AT=3 CPPC_STOP_TO=DIR  at safe point 3 each rank writes its image, DIR/rank0.h5 and so on; all of them
///                                    end with status 0
///   CPPC_RESTART=DIR                 ranks begin with the images that are there
///
/// Either or both. A state that cannot be saved or restored ends the job with a message and status 125.
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <string>

#include "cppc/hooks.h"
#include "cppc/image.hpp"
#include "rank/build_image.hpp"
#include "rank/convert_numbers.hpp"
#include "rank/places.hpp"

namespace cppc::test {
namespace {

constexpr int kFailed = 125;
const volatile std::uint32_t ring = 1;
const cppc_runtime* runtime = nullptr;

const char* setting(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

bool restarts() { return *setting("CPPC_RESTART") != '\0'; }

int own_rank() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

std::string file_in(const char* variable) {
  return setting(variable) + std::string("/rank") + std::to_string(own_rank()) + ".h5";
}

[[noreturn]] void fail(const std::string& message) {
  std::fprintf(stderr, "checkpoint extension: %s\n", message.c_str());
  std::fflush(nullptr);
  PMPI_Abort(MPI_COMM_WORLD, kFailed);
  std::_Exit(kFailed);
}

MPI_Comm new_world() {
  MPI_Comm world = MPI_COMM_NULL;
  PMPI_Comm_dup(MPI_COMM_WORLD, &world);
  return world;
}

cppc_status start(MPI_Comm* world, int* rank, int* size) {
  PMPI_Comm_size(MPI_COMM_WORLD, size);
  *rank = own_rank();
  *world = restarts() ? MPI_COMM_NULL : new_world();
  runtime->watch(&ring);
  return CPPC_OK;
}

int reached(std::uint64_t passed, unsigned) { return std::to_string(passed) == setting("CPPC_STOP_AT") ? 1 : 0; }

/// Until nothing is in flight between any two ranks.
void drain() {
  for (std::array<std::int64_t, 2> all{1, 0}; all[0] != 0 || all[1] != 0;) {
    runtime->drain();
    cppc_traffic now{};
    runtime->traffic(&now);
    const std::array<std::int64_t, 2> mine{now.sent - now.received, now.active};
    PMPI_Allreduce(mine.data(), all.data(), 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  }
}

cppc_status add(const cppc_block* block, void* builder) {
  return static_cast<migration::ImageBuilder*>(builder)->add(*block);
}

void write_image() {
  auto builder = migration::ImageBuilder::create();
  if (!builder) fail("no image can be made");
  if (const cppc_status status = runtime->capture(add, &*builder); status != CPPC_OK)
    fail(std::string("the state cannot be saved: ") + cppc_status_text(status));
  auto image = std::move(*builder).finish();
  if (!image) fail("no image can be made");
  image->seal();
  std::ofstream file(file_in("CPPC_STOP_TO"), std::ios::binary);
  for (const image::Extent& extent : image->extents())
    file.write(reinterpret_cast<const char*>(extent.bytes.data()), static_cast<std::streamsize>(extent.bytes.size()));
  file.close();
  if (!file) fail("cannot write " + file_in("CPPC_STOP_TO"));
}

void stopped(std::uint64_t, unsigned) {
  drain();
  write_image();
  runtime->abandon();
  std::fflush(nullptr);
  PMPI_Finalize();
  std::_Exit(EXIT_SUCCESS);
}

cppc_status fetch() {
  std::ifstream file(file_in("CPPC_RESTART"), std::ios::binary);
  const std::string contents{std::istreambuf_iterator<char>(file), {}};
  const auto bytes = std::as_bytes(std::span(contents));
  const auto reader = image::Reader::open(bytes);
  if (!reader) return reader.error();
  const auto places = migration::places_for(*runtime, *reader, [] { return tl::expected<void, cppc_status>(); });
  if (!places) return places.error();
  for (const fabric::Place& place : *places)
    std::memcpy(place.memory.data(), bytes.data() + place.offset, place.memory.size());
  return runtime->restore_end();
}

cppc_status join() { return runtime->rebuild(new_world()); }

void cannot_restore(cppc_status status) {
  fail(std::string("the state cannot be restored: ") + cppc_status_text(status));
}

void finish() {
  if (*setting("CPPC_STOP_AT") != '\0') fail("the program ends before it is to be stopped");
}

}  // namespace
}  // namespace cppc::test

extern "C" __attribute__((visibility("default"))) cppc_status cppc_extension(const cppc_runtime* offered,
                                                                             cppc_hooks* hooks) {
  using namespace cppc::test;
  if (offered->version != CPPC_HOOKS_VERSION) return CPPC_ERR_MISMATCH;
  runtime = offered;
  *hooks = {.version = CPPC_HOOKS_VERSION,
            .replacement = restarts() ? CPPC_RESTARTS_RANK : 0,
            .start = start,
            .reached = reached,
            .stopped = stopped,
            .fetch = fetch,
            .join = join,
            .fail = cannot_restore,
            .finish = finish,
            .convert = cppc::migration::convert_numbers};
  return CPPC_OK;
}
