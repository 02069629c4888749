/// The agents' board without MPI: in memory that threads or processes share.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

#include "cppc/agent_window.hpp"

namespace cppc::negotiation::test {

/// Zero-filled memory is an empty board.
struct SharedBoard {
  static constexpr int most_agents = 8;
  std::atomic<std::uint64_t> word;
  std::array<std::atomic<std::uint64_t>, most_agents> marks;
};

class LocalBoard final : public Board {
 public:
  LocalBoard(SharedBoard& shared, int self, int agents) : shared_(&shared), self_(self), agents_(agents) {}

  [[nodiscard]] int self() const override { return self_; }
  tl::expected<Word, cppc_status> read() override {
    if (broken) return tl::unexpected(CPPC_ERR_MPI);
    return Word(shared_->word.load());
  }
  tl::expected<Word, cppc_status> compare_and_swap(Word expected, Word desired) override {
    if (broken) return tl::unexpected(CPPC_ERR_MPI);
    std::uint64_t seen = expected.bits();
    shared_->word.compare_exchange_strong(seen, desired.bits());
    return Word(seen);
  }
  tl::expected<void, cppc_status> mark(std::uint64_t value) override {
    if (broken) return tl::unexpected(CPPC_ERR_MPI);
    shared_->marks[static_cast<std::size_t>(self_)].store(value);
    return {};
  }
  tl::expected<std::uint64_t, cppc_status> lowest_mark() override {
    std::uint64_t lowest = ~std::uint64_t{0};
    for (int i = 0; i < agents_; ++i) lowest = std::min(lowest, shared_->marks[static_cast<std::size_t>(i)].load());
    return lowest;
  }

  bool broken = false;  ///< operations fail from now on

 private:
  SharedBoard* shared_;
  int self_;
  int agents_;
};

}  // namespace cppc::negotiation::test
