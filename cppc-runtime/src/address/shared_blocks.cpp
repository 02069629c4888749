#include "address/shared_blocks.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include "never_destroyed.hpp"

namespace cppc::address {

namespace {

std::vector<SharedBlock>& blocks() {
  static NeverDestroyed<std::vector<SharedBlock>> known;
  return *known;
}

}  // namespace

void SharedBlocks::add(const SharedBlock& block) {
  remove(block.memory.data());
  const auto next = std::ranges::upper_bound(blocks(), block.memory.data(), std::less<>(),
                                             [](const SharedBlock& one) { return one.memory.data(); });
  blocks().insert(next, block);
}

void SharedBlocks::remove(const void* memory) {
  std::erase_if(blocks(), [memory](const SharedBlock& block) { return block.memory.data() == memory; });
}

const SharedBlock* SharedBlocks::find(const void* memory) {
  const auto found =
      std::ranges::find_if(blocks(), [memory](const SharedBlock& block) { return block.memory.data() == memory; });
  return found != blocks().end() ? &*found : nullptr;
}

std::span<const SharedBlock> SharedBlocks::all() { return blocks(); }

OthersParts others_of(const SharedBlock& block) {
  if (block.own.empty()) return {block.memory, {}};
  const auto before = static_cast<std::size_t>(block.own.data() - block.memory.data());
  return {block.memory.first(before), block.memory.subspan(before + block.own.size())};
}

}  // namespace cppc::address
