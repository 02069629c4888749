/// The agents' tree without MPI: in memory that threads or processes share.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>

#include "cppc/tree.hpp"

namespace cppc::negotiation::test {

/// Zero-filled memory is a tree without messages.
struct SharedTree {
  static constexpr int most_agents = 8;
  static constexpr std::size_t most_messages = 8;  ///< that an agent has not received yet, of one neighbour
  static constexpr std::size_t most_words = 64;
  struct Box {
    struct Message {
      std::size_t size;
      std::array<std::uint64_t, most_words> words;
    };
    std::atomic<std::size_t> sent, received;
    std::array<Message, most_messages> messages;
  };
  std::array<std::array<Box, most_agents>, most_agents> boxes;  ///< by sender, then receiver
};

class LocalTree final : public Tree {
 public:
  LocalTree(SharedTree& shared, int self, int agents, int fan_out = default_fan_out)
      : Tree(self, agents, fan_out), shared_(&shared) {}

  tl::expected<void, cppc_status> send(int to, Words words) override {
    if (broken) return tl::unexpected(CPPC_ERR_MPI);
    auto& box = shared_->boxes[static_cast<std::size_t>(self())][static_cast<std::size_t>(to)];
    const std::size_t number = box.sent.load();
    if (number - box.received.load() == SharedTree::most_messages || words.size() > SharedTree::most_words)
      std::abort();
    auto& message = box.messages[number % SharedTree::most_messages];
    message.size = words.size();
    std::ranges::copy(words, message.words.begin());
    box.sent.store(number + 1);
    return {};
  }

  tl::expected<std::optional<Words>, cppc_status> receive(int from) override {
    if (broken) return tl::unexpected(CPPC_ERR_MPI);
    auto& box = shared_->boxes[static_cast<std::size_t>(from)][static_cast<std::size_t>(self())];
    const std::size_t number = box.received.load();
    if (number == box.sent.load()) return std::nullopt;
    const auto& message = box.messages[number % SharedTree::most_messages];
    Words words(message.words.begin(), message.words.begin() + static_cast<std::ptrdiff_t>(message.size));
    box.received.store(number + 1);
    return words;
  }

  bool broken = false;  ///< operations fail from now on

 private:
  SharedTree* shared_;
};

}  // namespace cppc::negotiation::test
