/// Visits every state that a model can come to, and checks: nothing is wrong in any, and a good end can be reached from
/// each (so that there is neither a deadlock nor a loop without a way out).
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "model.hpp"

namespace cppc::negotiation::test {

struct Exploration {
  std::size_t states = 0;
  std::size_t ends_decided = 0;    ///< good ends in which all ranks have stopped
  std::size_t ends_cancelled = 0;  ///< and in which they have not
  std::optional<std::string> violation;
  bool dead_end = false;  ///< some state has no way to a good end
};

class Explorer {
 public:
  explicit Explorer(const Model& model) : model_(&model), known_(0, Hash{&states_}, Same{&states_}) {}

  Exploration run() {
    Exploration found;
    add(model_->initial());
    std::vector<State> successors;
    std::string error;
    for (std::uint32_t at = 0; at < states_.size() && !found.violation; ++at) {
      successors.clear();
      const State state = states_[at];
      found.violation = model_->violation(state);
      if (!model_->successors(state, successors, error)) found.violation = error;
      for (const State& successor : successors) {
        if (const std::uint32_t to = add(successor); to != at) steps_.emplace_back(to, at);
      }
    }
    found.states = states_.size();
    if (!found.violation) find_ends(found);
    return found;
  }

 private:
  struct Hash {
    const std::vector<State>* states;
    std::size_t operator()(std::uint32_t index) const {
      const auto* bytes = reinterpret_cast<const char*>(&(*states)[index]);
      return std::hash<std::string_view>{}({bytes, sizeof(State)});
    }
  };
  struct Same {
    const std::vector<State>* states;
    bool operator()(std::uint32_t a, std::uint32_t b) const {
      return std::memcmp(&(*states)[a], &(*states)[b], sizeof(State)) == 0;
    }
  };

  std::uint32_t add(const State& state) {
    states_.push_back(state);
    const auto [place, is_new] = known_.insert(static_cast<std::uint32_t>(states_.size() - 1));
    if (!is_new) states_.pop_back();
    return *place;
  }

  /// Backwards from the good ends: what is not met has no way there.
  void find_ends(Exploration& found) const {
    std::vector<std::uint32_t> first(states_.size() + 1, 0);
    for (const auto& [to, from] : steps_) ++first[to + 1];
    for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
    std::vector<std::uint32_t> sources(steps_.size());
    std::vector<std::uint32_t> filled(first.begin(), first.end() - 1);
    for (const auto& [to, from] : steps_) sources[filled[to]++] = from;

    std::vector<bool> reaches(states_.size(), false);
    std::vector<std::uint32_t> frontier;
    for (std::uint32_t i = 0; i < states_.size(); ++i) {
      if (!model_->good_end(states_[i])) continue;
      ++(states_[i].ranks[0].at == RankState::stopped ? found.ends_decided : found.ends_cancelled);
      reaches[i] = true;
      frontier.push_back(i);
    }
    std::size_t met = frontier.size();
    while (!frontier.empty()) {
      const std::uint32_t to = frontier.back();
      frontier.pop_back();
      for (std::uint32_t i = first[to]; i < first[to + 1]; ++i) {
        if (reaches[sources[i]]) continue;
        reaches[sources[i]] = true;
        ++met;
        frontier.push_back(sources[i]);
      }
    }
    found.dead_end = met != states_.size();
  }

  const Model* model_;
  std::vector<State> states_;
  std::unordered_set<std::uint32_t, Hash, Same> known_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> steps_;  ///< to, from
};

}  // namespace cppc::negotiation::test
