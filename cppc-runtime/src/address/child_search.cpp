#include "address/child_search.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <new>
#include <string_view>

#include "address/region_heap.hpp"
#include "log.hpp"
#include "runtime_block.hpp"

namespace cppc::address {

namespace {

/// Addresses for what is found, which is usually some kilobytes.
std::size_t room(const Capture& capture) { return (std::size_t{64} << 20) + capture.bytes_of_pieces(); }

}  // namespace

/// In memory that both processes have.
struct ChildSearch::Result {
  enum State { none, found, refused };
  std::atomic<State> state = none;
  std::span<const std::byte> block;
  std::array<char, 400> reason{};
};

tl::expected<ChildSearch, cppc_status> ChildSearch::prepare(Capture capture) {
  auto memory = ChildMemory::reserve(room(capture));
  if (!memory) return tl::unexpected(memory.error());
  return ChildSearch(std::move(capture), *std::move(memory), getpid());
}

ChildSearch::ChildSearch(Capture capture, ChildMemory memory, pid_t process)
    : capture_(std::move(capture)),
      memory_(std::move(memory)),
      result_(new (memory_.bytes().data()) Result),
      process_(process) {}

void ChildSearch::search() noexcept {
  if (getpid() != process_) {
    memory_.use(sizeof(Result));
    RegionHeap::unlock_in_child();
  }
  const auto refuse = [this](std::string_view reason) {
    reason.copy(result_->reason.data(), result_->reason.size() - 1);
    result_->state = Result::refused;
  };
  try {
    const auto searched = capture_.search();
    if (!searched) return refuse(searched.error());
  } catch (const std::bad_alloc&) {
    return refuse("no memory to look through the state for what leads out of it");
  }
  result_->block = capture_.runtime_block();
  result_->state = Result::found;
}

cppc_status ChildSearch::visit_result(cppc_status (*visit)(const cppc_block* block, void* context),
                                      void* context) const {
  switch (result_->state) {
    case Result::found:
      return visit_runtime_block(result_->block, visit, context);
    case Result::refused:
      log().error("{}", result_->reason.data());
      return CPPC_ERR_UNSUPPORTED;
    case Result::none:
      break;
  }
  log().error("the process that looks through the state for what leads out of it has ended before it was done");
  return CPPC_ERR_SYSTEM;
}

}  // namespace cppc::address
