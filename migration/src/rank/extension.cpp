/// The shared object that the runtime loads into a rank (CPPC_EXTENSION): its hooks, as cppc/hooks.h defines them.

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "../assignment.hpp"
#include "convert_numbers.hpp"
#include "cppc/checkpoint_files.hpp"
#include "cppc/hooks.h"
#include "member.hpp"

namespace cppc::migration {
namespace {

struct Extension {
  const cppc_runtime* runtime = nullptr;
  std::optional<std::string> assignment;  ///< of a replacement
  std::optional<std::string> checkpoint;  ///< of a rank of a job that is restarted
  std::unique_ptr<Member> member;
};

Extension& extension() {
  static Extension one;
  return one;
}

/// The negotiation does not know the runtime: the same memory, by two names.
static_assert(sizeof(cppc_collective_count) == sizeof(negotiation::CollectiveCount) &&
              offsetof(cppc_collective_count, begun) == offsetof(negotiation::CollectiveCount, begun) &&
              offsetof(cppc_collective_count, announced) == offsetof(negotiation::CollectiveCount, announced) &&
              offsetof(cppc_collective_count, acknowledged) == offsetof(negotiation::CollectiveCount, acknowledged));
static_assert(sizeof(cppc_current_operation) == sizeof(negotiation::CurrentOperation) &&
              offsetof(cppc_current_operation, id) == offsetof(negotiation::CurrentOperation, id) &&
              offsetof(cppc_current_operation, what) == offsetof(negotiation::CurrentOperation, what) &&
              offsetof(cppc_current_operation, count) == offsetof(negotiation::CurrentOperation, count));

static_assert(std::string_view(cppc::checkpoint::several_threads_variable) == CPPC_SEVERAL_THREADS);

negotiation::CollectiveCount* as_negotiated(cppc_collective_count* count) {
  return reinterpret_cast<negotiation::CollectiveCount*>(count);
}

const cppc_calls calls = {
    .open =
        [](std::uint64_t id, std::uint32_t size, std::uint64_t begun) {
          return reinterpret_cast<cppc_collective_count*>(extension().member->cut().open(id, size, begun));
        },
    .close = [](cppc_collective_count* count) { extension().member->cut().close(as_negotiated(count)); },
    .current = [] { return reinterpret_cast<cppc_current_operation*>(extension().member->cut().current()); },
    .withdrawn =
        [](cppc_collective_count* count) { return negotiation::CutRank::withdrawn(as_negotiated(count)) ? 1 : 0; },
    .reached = [](int collective,
                  int waits_for) { return extension().member->reached_call(collective != 0, waits_for) ? 1 : 0; },
    .enter = [](int waits_for,
                cppc_inside what) { extension().member->cut().enter(waits_for, static_cast<std::uint8_t>(what)); },
    .moved_on = [] { extension().member->cut().moved_on(); },
};

cppc_status start(MPI_Comm* world, int* rank, int* size) {
  const cppc_runtime& runtime = *extension().runtime;
  const auto& assignment = extension().assignment;
  const auto& checkpoint = extension().checkpoint;
  auto member = assignment   ? Member::replace(runtime, calls, *assignment)
                : checkpoint ? Member::restart(runtime, calls, *checkpoint)
                             : Member::enlist(runtime, calls);
  if (!member) return member.error();
  extension().member = std::move(*member);
  *world = extension().member->world();
  *rank = extension().member->rank();
  *size = extension().member->size();
  return CPPC_OK;
}

/// What this process is told in its environment; programs that it starts replace nobody.
std::optional<std::string> take(const char* variable) {
  const char* const value = std::getenv(variable);
  if (value == nullptr) return std::nullopt;
  std::string taken = value;
  unsetenv(variable);
  return taken;
}

/// A replacement is started with the environment of the rank that it replaces, which may have been restarted.
int whose_place() {
  if (extension().assignment) return CPPC_REPLACES_RANK;
  return extension().checkpoint ? CPPC_RESTARTS_RANK : 0;
}

int reached(std::uint64_t passed, unsigned site) { return extension().member->reached(passed, site) ? 1 : 0; }
void stopped(std::uint64_t passed, unsigned site) { extension().member->stopped(passed, site); }
cppc_status fetch() { return extension().member->fetch(); }
cppc_status join() { return extension().member->join(); }
void fail(cppc_status status) { extension().member->fail(status); }

int go_together(const int* ranks, std::uint64_t count) {
  return extension().member->go_together({ranks, count}) ? 1 : 0;
}

int all_finalize() { return extension().member->all_finalize() ? 1 : 0; }

void finish() {
  extension().member->finish();
  extension().member.reset();
}

/// Standard error: standard output is the application's.
void log_to_stderr() {
  auto logger = spdlog::stderr_color_mt("cppc");
  logger->set_pattern("cppc: %l: %v");
  const char* level = std::getenv("CPPC_LOG");
  logger->set_level(level == nullptr ? spdlog::level::warn : spdlog::level::from_str(level));
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace
}  // namespace cppc::migration

extern "C" __attribute__((visibility("default"))) cppc_status cppc_extension(const cppc_runtime* runtime,
                                                                             cppc_hooks* hooks) {
  using namespace cppc::migration;
  if (runtime->version != CPPC_HOOKS_VERSION) return CPPC_ERR_MISMATCH;
  log_to_stderr();
  extension().runtime = runtime;
  extension().assignment = take(Assignment::variable);
  extension().checkpoint = take(cppc::checkpoint::restart_variable);
  *hooks = {.version = CPPC_HOOKS_VERSION,
            .replacement = whose_place(),
            .start = start,
            .reached = reached,
            .stopped = stopped,
            .fetch = fetch,
            .join = join,
            .fail = fail,
            .go_together = go_together,
            .all_finalize = all_finalize,
            .finish = finish,
            .convert = convert_numbers};
  return CPPC_OK;
}
