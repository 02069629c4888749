/// The first step of a checkpoint: whether it can be made at all; ranks are told where, while they work.

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <span>

#include "cppc/checkpoint_files.hpp"
#include "cppc/keeper.hpp"
#include "cppc/memory_free.hpp"
#include "cppc/program_id.hpp"
#include "operation.hpp"

namespace cppc::migration {

namespace {

std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

void Operation::prepare_checkpoint() {
  announce("prepare");
  node_.control.command(Action::none);  // what was commanded last belongs to another one
  check_storage();
  identify_programs();
  if (!order_.stands) check_memory();
  if (failure_.status == CPPC_OK) name_files();
}

void Operation::identify_programs() {
  for (const int rank : node_.local_ranks()) {
    const std::string executable = "/proc/" + std::to_string(node_.page.record(rank).pid) + "/exe";
    if (access(executable.c_str(), F_OK) != 0 && (errno == ENOENT || errno == ESRCH))
      return fail(CPPC_ERR_PEER, fmt::format("rank {} on {} has ended", rank, node_.name));
    const auto program = program_id(executable);
    if (!program)
      return fail(program.error(), fmt::format("rank {} on {}: its program cannot be read", rank, node_.name));
    programs_[rank] = *program;
  }
}

/// Whether this node sees where the images are to go.
void Operation::check_storage() {
  const char* const job = std::getenv("CPPC_JOB");
  if (const auto set = checkpoint::set_in_memory(order_.checkpoint)) {
    const auto taken = keeper::takes(job == nullptr ? "" : job, *set);
    if (!taken) fail(CPPC_ERR_NOT_FOUND, fmt::format("{}: {}", node_.name, taken.error()));
    return;
  }
  const std::string found = contents_of(order_.checkpoint + "/" + checkpoint::job_file);
  if (job == nullptr || found != job)
    return fail(CPPC_ERR_NOT_FOUND,
                fmt::format("{} does not see the directory {} that cppc-run has made: a checkpoint needs storage that "
                            "all nodes share",
                            node_.name, order_.checkpoint));
  constexpr std::size_t longest = decltype(Slot::destination)::capacity;
  if (order_.checkpoint.size() > longest)
    fail(CPPC_ERR_ARGUMENT, fmt::format("the path {} is longer than {} bytes", order_.checkpoint, longest));
}

/// While the files are written a rank may change all of its state, of which the snapshot keeps what was there; a file
/// in memory is another copy.
void Operation::check_memory() {
  const std::uint64_t copies = checkpoint::set_in_memory(order_.checkpoint) ? 2 : 1;
  std::uint64_t needed = 0;
  for (const int rank : node_.local_ranks()) needed += copies * node_.page.record(rank).bytes;
  const std::uint64_t free = memory_free();
  if (needed > free)
    fail(CPPC_ERR_MEMORY, fmt::format("{} has {} MB of memory free, and copies of its ranks' states take {} MB",
                                      node_.name, free / 1'000'000, needed / 1'000'000));
}

void Operation::name_files() {
  for (const int rank : node_.local_ranks()) {
    Slot& slot = node_.control.slot(rank);
    slot.saving.set(static_cast<std::uint32_t>(Saving::none));
    for (auto* count : {&slot.image_bytes, &slot.bytes_done}) count->store(0);
    slot.destination.write(std::as_bytes(std::span(order_.checkpoint)));
    slot.saves.store(order_.id);
  }
}

}  // namespace cppc::migration
