/// The first step of a migration: replacements are started while the application works.

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>
#include <thread>

#include "cppc/deadlines.hpp"
#include "cppc/hooks.h"
#include "cppc/program_id.hpp"
#include "operation.hpp"
#include "spawn.hpp"

namespace cppc::migration {

using namespace std::chrono_literals;

namespace {
constexpr int kRecipe = 0;   // source's agent to replacement's: how it was started; empty: not known
constexpr int kBlocks = 1;   // likewise: the sizes of its large blocks
constexpr int kOffer = 2;    // replacement's agent to source's: where to send the image; empty: nowhere
constexpr int kObjects = 4;  // source's agent to replacement's: where its libraries are loaded

std::vector<std::uint64_t> numbers_in(const std::vector<std::byte>& bytes) {
  std::vector<std::uint64_t> numbers(bytes.size() / sizeof(std::uint64_t));
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(std::uint64_t));
  return numbers;
}

}  // namespace

/// Of a rank that has failed.
std::string Operation::why(const Slot& slot) {
  const std::string_view own(slot.reason.data(), strnlen(slot.reason.data(), slot.reason.size()));
  return own.empty() ? cppc_status_text(slot.status) : std::string(own);
}

/// Whether all ranks can be stopped at all.
bool Operation::ranks_can_stop() {
  for (const int rank : node_.local_ranks())
    if (node_.control.slot(rank).stops == CPPC_NOWHERE)
      fail(CPPC_ERR_UNSUPPORTED,
           fmt::format("rank {} has no place where it can be stopped: its program is linked with libcppc, but not by "
                       "cppc-cc, cppc-c++ or cppc-fc",
                       rank));
  return agree();
}

void Operation::prepare() {
  announce("prepare");
  node_.control.command(Action::none);  // what was commanded last belongs to another migration
  for (const RankTransfer& source : sources_) {
    Slot& slot = node_.control.slot(source.rank);
    slot.leaving = static_cast<std::uint32_t>(source.other) + 1;
    slot.dismissed.set(0);
    slot.image_bytes.store(0);
    slot.bytes_done.store(0);
    slot.destination.write({});
  }
  exchange_recipes();
  const auto good = [this] { return failure_.status == CPPC_OK && !comm_.broken(); };
  if (good() && !replacements_.empty()) {
    start_replacements();
    if (good()) await_replacements();
  }
  exchange_offers();
}

void Operation::exchange_recipes() {
  for (RankTransfer& source : sources_) {
    // An empty message tells the other side that there is no recipe.
    if (auto recipe = Recipe::of(node_.page.record(source.rank).pid))
      source.recipe = recipe->encode();
    else
      fail(recipe.error(), fmt::format("rank {} on {}: cannot read how it was started", source.rank, node_.name));
    const Slot& slot = node_.control.slot(source.rank);
    const auto blocks = slot.blocks.read();
    const std::span objects(slot.objects.data(), std::min<std::size_t>(slot.object_bytes, slot.objects.size()));
    const int to = node_.index_of(source.other);
    if (!comm_.send(to, tag(source, kRecipe), source.recipe) ||
        !comm_.send(to, tag(source, kBlocks), std::as_bytes(std::span(blocks))) ||
        !comm_.send(to, tag(source, kObjects), objects))
      return;
  }
  for (RankTransfer& replacement : replacements_) {
    const int from = node_.index_of(replacement.other);
    auto recipe = comm_.receive(from, tag(replacement, kRecipe));
    const auto blocks = comm_.receive(from, tag(replacement, kBlocks));
    const auto objects = comm_.receive(from, tag(replacement, kObjects));
    if (!recipe || !blocks || !objects) return;
    replacement.recipe = *std::move(recipe);
    Slot& slot = node_.control.slot(replacement.rank);
    slot.blocks.write(numbers_in(*blocks));
    const std::size_t object_bytes = std::min(objects->size(), slot.objects.size());
    std::copy_n(objects->begin(), object_bytes, slot.objects.begin());
    slot.object_bytes = static_cast<std::uint32_t>(object_bytes);
  }
}

/// Sources get to know where to send their images.
void Operation::exchange_offers() {
  for (const RankTransfer& replacement : replacements_) {
    std::vector<std::byte> offer;
    if (failure_.status == CPPC_OK) offer = node_.control.slot(replacement.rank).destination.read();
    if (!comm_.send(node_.index_of(replacement.other), tag(replacement, kOffer), offer)) return;
  }
  for (const RankTransfer& source : sources_) {
    const auto offer = comm_.receive(node_.index_of(source.other), tag(source, kOffer));
    if (!offer) return;
    node_.control.slot(source.rank).destination.write(*offer);
  }
}

bool Operation::has_program(int rank, const Recipe& recipe) {
  const auto id = program_id(recipe.program);
  if (!id) {
    fail(id.error(), fmt::format("{} cannot read {}, the program of rank {}", node_.name, recipe.program, rank));
  } else if (*id != recipe.identity) {
    fail(CPPC_ERR_MISMATCH,
         fmt::format("{} on {} is not the program that rank {} runs ({}, not {}): put the same file there",
                     recipe.program, node_.name, rank, *id, recipe.identity));
  }
  return id && *id == recipe.identity;
}

void Operation::start_replacements() {
  std::vector<Replacement> replacements;
  for (const RankTransfer& replacement : replacements_) {
    auto recipe = Recipe::decode(replacement.recipe);
    if (!recipe) return fail(recipe.error(), fmt::format("rank {}: how it was started is not known", replacement.rank));
    if (!has_program(replacement.rank, *recipe)) return;
    Slot& slot = node_.control.slot(replacement.rank);
    slot.dismissed.set(0);
    for (auto* word : {&slot.in_mpi, &slot.needed}) word->store(0);
    slot.expect_replacement();
    slot.leaving = 0;
    slot.destination.write({});
    slot.stage.set(static_cast<std::uint32_t>(Stage::working));
    replacements.push_back({std::move(*recipe),
                            {.rank = replacement.rank,
                             .ranks = node_.comms.ranks,
                             .agent_pid = getpid(),
                             .control = node_.control.descriptor(),
                             .page = node_.page.fd()}});
  }
  const auto spawning = [this](std::uint32_t value) {
    for (const RankTransfer& replacement : replacements_) node_.control.slot(replacement.rank).spawning.set(value);
  };
  spawning(1);
  auto children = spawn(node_.name, node_.bound, replacements);
  spawning(0);
  if (!children)
    return fail(children.error(), fmt::format("cannot start {} replacements on {}", replacements.size(), node_.name));
  children_ = *children;
}

void Operation::await_replacements() {
  TimeBudget budget(deadlines::start());
  for (RankTransfer& replacement : replacements_) {
    const Slot& slot = node_.control.slot(replacement.rank);
    while (slot.stage.get() != static_cast<std::uint32_t>(Stage::ready)) {
      if (lost(replacement) || cannot_take_over(replacement)) return;
      if (budget.spent())
        return fail(CPPC_ERR_TIMEOUT,
                    fmt::format("the replacement of rank {} on {} has not come up", replacement.rank, node_.name));
      if (cancelled()) return;  // one that is given up waits all the same: who has come up can be told to go
      std::this_thread::sleep_for(1ms);
    }
    auto process = ProcessWatch::on(node_.page.record(replacement.rank).pid);
    if (!process)
      return fail(process.error(),
                  fmt::format("the replacement of rank {} on {} is gone", replacement.rank, node_.name));
    replacement.process = std::move(*process);
  }
}

bool Operation::lost(const RankTransfer& replacement) {
  if (!node_.control.slot(replacement.rank).lost()) return false;
  fail(CPPC_ERR_LOST, fmt::format("the replacement of rank {} on {} has died", replacement.rank, node_.name));
  return true;
}

bool Operation::cannot_take_over(const RankTransfer& replacement) {
  const Slot& slot = node_.control.slot(replacement.rank);
  if (slot.stage.get() != static_cast<std::uint32_t>(Stage::failed)) return false;
  fail_for(slot, fmt::format("the replacement of rank {} on {} cannot take over", replacement.rank, node_.name));
  return true;
}

}  // namespace cppc::migration
