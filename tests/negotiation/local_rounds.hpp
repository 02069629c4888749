/// The agents' rounds without MPI: in memory that threads or processes share.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>

#include "cppc/cut_agent.hpp"

namespace cppc::negotiation::test {

/// Zero-filled memory is before the first round.
struct SharedRounds {
  static constexpr int most_agents = 8;
  static constexpr std::size_t most_words = 20'000;
  struct SentWords {
    std::atomic<std::uint64_t> round;
    std::size_t size;
    std::array<std::uint64_t, most_words> words;
  };
  /// Of each agent, for odd and even rounds: nobody is two rounds ahead of another.
  std::array<std::array<SentWords, 2>, most_agents> sent;
};

class LocalRounds final : public Rounds {
 public:
  LocalRounds(SharedRounds& shared, int self, int agents) : shared_(&shared), self_(self), agents_(agents) {}

  tl::expected<void, cppc_status> begin(cut::Report report) override {
    if (broken) return tl::unexpected(CPPC_ERR_MPI);
    ++round_;
    const Tree::Words mine = encode(report);
    if (mine.size() > SharedRounds::most_words) std::abort();
    SharedRounds::SentWords& sent = of(self_);
    std::ranges::copy(mine, sent.words.begin());
    sent.size = mine.size();
    sent.round.store(round_);
    return {};
  }

  tl::expected<std::optional<cut::Verdict>, cppc_status> poll(const Evaluation& evaluate) override {
    if (broken) return tl::unexpected(CPPC_ERR_MPI);
    cut::Report all;
    for (int agent = 0; agent < agents_; ++agent) {
      const SharedRounds::SentWords& sent = of(agent);
      if (sent.round.load() != round_) return std::nullopt;
      cut::add(all, decode_report(std::span(sent.words.data(), sent.size)).value());
    }
    return evaluate(all);
  }

  bool broken = false;

 private:
  SharedRounds::SentWords& of(int agent) { return shared_->sent[static_cast<std::size_t>(agent)][round_ % 2]; }
  SharedRounds* shared_;
  int self_;
  int agents_;
  std::uint64_t round_ = 0;
};

}  // namespace cppc::negotiation::test
