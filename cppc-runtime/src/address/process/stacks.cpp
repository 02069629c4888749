#include "address/process/stacks.hpp"

#include <signal.h>
#include <ucontext.h>

#include <mutex>

#include "address/process/owner.hpp"
#include "address/process/program_memory.hpp"
#include "address/program_time.hpp"
#include "address/region_heap.hpp"

extern "C" __attribute__((visibility("hidden"))) void cppc_note_stack(const ucontext_t* context);

namespace cppc::address::stacks {

namespace {

/// Never given back; the same stack has one entry.
struct Stack {
  Stack* next;
  std::byte* begin;
  std::size_t bytes;
};

struct Stacks {
  Stack* first;
};

constinit std::mutex mutex;

void note(std::byte* begin, std::size_t bytes) {
  const std::lock_guard lock(mutex);
  auto& known = at_root<Stacks>(Root::stacks);
  for (Stack* stack = known.first; stack != nullptr; stack = stack->next) {
    if (stack->begin != begin) continue;
    stack->bytes = bytes;
    return;
  }
  auto* const stack = make_for_program<Stack>();
  *stack = {.next = known.first, .begin = begin, .bytes = bytes};
  known.first = stack;
}

/// It may have been freed, and its memory given out for something else, meanwhile.
bool is_still_there(const Stack& stack) {
  if (!RegionHeap::owns(stack.begin)) return true;
  const auto block = RegionHeap::find_block(stack.begin);
  return block.data() + block.size() >= stack.begin + stack.bytes;
}

}  // namespace

std::vector<std::span<const std::byte>> all() {
  std::vector<std::span<const std::byte>> stacks;
  stack_t of_signals{};
  if (sigaltstack(nullptr, &of_signals) == 0 && (of_signals.ss_flags & SS_DISABLE) == 0 &&
      owner_of(of_signals.ss_sp) == Owner::program)
    stacks.emplace_back(static_cast<const std::byte*>(of_signals.ss_sp), of_signals.ss_size);
  const std::lock_guard lock(mutex);
  const auto* const known = find_root<Stacks>(Root::stacks);
  for (const Stack* stack = known != nullptr ? known->first : nullptr; stack != nullptr; stack = stack->next)
    if (is_still_there(*stack)) stacks.emplace_back(stack->begin, stack->bytes);
  return stacks;
}

}  // namespace cppc::address::stacks

void cppc_note_stack(const ucontext_t* context) {
  using namespace cppc::address;
  if (!program_time) return;
  stacks::note(static_cast<std::byte*>(context->uc_stack.ss_sp), context->uc_stack.ss_size);
}
