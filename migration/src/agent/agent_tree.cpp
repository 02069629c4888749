#include "agent_tree.hpp"

#include <cstring>
#include <span>

namespace cppc::migration {

AgentTree::AgentTree(AgentComm& comm, int tag, int fan_out)
    : Tree(comm.rank(), comm.size(), fan_out), comm_(&comm), tag_(tag) {}

tl::expected<void, cppc_status> AgentTree::send(int to, Words words) {
  if (comm_->send(to, tag_, std::as_bytes(std::span(words)))) return {};
  return tl::unexpected(CPPC_ERR_LOST);
}

tl::expected<std::optional<negotiation::Tree::Words>, cppc_status> AgentTree::receive(int from) {
  const auto bytes = comm_->poll(from, tag_);
  if (comm_->broken()) return tl::unexpected(CPPC_ERR_LOST);
  if (!bytes) return std::nullopt;
  Words words(bytes->size() / sizeof(Words::value_type));
  if (!words.empty()) std::memcpy(words.data(), bytes->data(), words.size() * sizeof(Words::value_type));
  return words;
}

}  // namespace cppc::migration
