/// An extension (CPPC_EXTENSION) that tells what a rank's image would hold, without a cluster: at safe point number
/// CPPC_MEASURE_AT, counted from 0, rank R writes into the file whose name is that in CPPC_MEASURE_INTO, a dot, and R:
///
///   {"reachable": bytes, "saved": bytes,
///    "objects": [{"section": "heap", "name": "3", "type": "double", "bytes": 800, "saved": 800}, …]}
///
/// reachable: all that the runtime knows there, which are the global variables, the variables of active functions (of a
/// program that is built portably) and the blocks of the heap; saved: those whose contents go into the image. The
/// program then goes on as ever. One that ends before that safe point, or whose state cannot be saved, leaves no file.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>

#include "cppc/hooks.h"

namespace cppc::test {
namespace {

const volatile std::uint32_t ring = 1;
const cppc_runtime* runtime = nullptr;
int own_rank = 0;

const char* setting(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr ? value : "";
}

const char* text(cppc_section section) {
  switch (section) {
    case CPPC_SECTION_RUNTIME:
      return "runtime";
    case CPPC_SECTION_GLOBAL:
      return "global";
    case CPPC_SECTION_FRAME:
      return "frame";
    case CPPC_SECTION_HEAP:
      return "heap";
    case CPPC_SECTION_STACK:
      return "stack";
    case CPPC_SECTION_THREAD:
      return "thread";
    case CPPC_SECTION_MAPPING:
      return "mapping";
  }
  return "unknown";
}

cppc_status start(MPI_Comm* world, int* rank, int* size) {
  PMPI_Comm_size(MPI_COMM_WORLD, size);
  PMPI_Comm_rank(MPI_COMM_WORLD, rank);
  own_rank = *rank;
  runtime->watch(&ring);
  return PMPI_Comm_dup(MPI_COMM_WORLD, world) == MPI_SUCCESS ? CPPC_OK : CPPC_ERR_MPI;
}

int reached(std::uint64_t passed, unsigned) { return std::to_string(passed) == setting("CPPC_MEASURE_AT") ? 1 : 0; }

cppc_status add(const cppc_block* block, void* objects) {
  std::uint64_t saved = block->data != nullptr ? block->bytes : 0;
  for (const cppc_part& hole : std::span(block->holes, block->hole_count)) saved -= hole.bytes;
  static_cast<nlohmann::json*>(objects)->push_back({{"section", text(block->section)},
                                                    {"name", block->name},
                                                    {"type", block->type != nullptr ? block->type->name : ""},
                                                    {"bytes", block->bytes},
                                                    {"saved", saved}});
  return CPPC_OK;
}

void stopped(std::uint64_t, unsigned) {
  nlohmann::json objects = nlohmann::json::array();
  if (const cppc_status status = runtime->capture(add, &objects); status != CPPC_OK) {
    std::fprintf(stderr, "measuring extension: the state cannot be saved: %s\n", cppc_status_text(status));
    return;
  }
  std::uint64_t saved = 0;
  for (const auto& object : objects) saved += object.at("saved").get<std::uint64_t>();
  std::ofstream(setting("CPPC_MEASURE_INTO") + std::string(".") + std::to_string(own_rank))
      << nlohmann::json{{"reachable", runtime->state_bytes()}, {"saved", saved}, {"objects", objects}} << "\n";
}

cppc_status no_replacement() { return CPPC_ERR_STATE; }
void fail(cppc_status) {}
void finish() {}

}  // namespace
}  // namespace cppc::test

extern "C" __attribute__((visibility("default"))) cppc_status cppc_extension(const cppc_runtime* offered,
                                                                             cppc_hooks* hooks) {
  using namespace cppc::test;
  if (offered->version != CPPC_HOOKS_VERSION) return CPPC_ERR_MISMATCH;
  runtime = offered;
  *hooks = {.version = CPPC_HOOKS_VERSION,
            .replacement = 0,
            .start = start,
            .reached = reached,
            .stopped = stopped,
            .fetch = no_replacement,
            .join = no_replacement,
            .fail = fail,
            .finish = finish};
  return CPPC_OK;
}
