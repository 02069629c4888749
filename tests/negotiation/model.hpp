/// A small model of a job in a negotiation, for explorer.hpp: ranks that compute, exchange messages and pass safe
/// points, and agents, each taking the moves of cppc/migration_point.hpp. One step of the model is at most one access
/// to what processes share (where two are in one, the code says why that leaves nothing out), so that every
/// interleaving of a real run is one of the model's.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cppc/migration_point.hpp"

namespace cppc::negotiation::test {

inline constexpr int most_ranks = 4;
inline constexpr int most_nodes = 3;

/// On whose messages a rank waits between safe point k and the next.
enum class Messages : std::uint8_t {
  none,
  exchange,  ///< of the next rank (cyclically), which sends right after it has passed k
  pipeline,  ///< of the rank before, which sends right before it arrives at k+1
};

/// Known errors, to show that the explorer finds them.
enum class Flaw : std::uint8_t {
  none,
  fix_when_joined,  ///< agents fix their pages when their own ranks have joined
  join_early,       ///< agents do not wait until their ranks have joined
  close_early,      ///< agents do not wait until the ranks below have joined
  decide_early,     ///< agents do not wait until the pages below are fixed
};

struct Scenario {
  std::vector<int> node_of_rank;
  int nodes = 1;
  Messages messages = Messages::none;
  int last = 3;          ///< safe point after which ranks enter MPI_Finalize
  bool chain = false;    ///< each agent is the parent of the next; otherwise the first is that of all others
  bool give_up = false;  ///< any agent may want to cancel at any time
  int rung = 0;          ///< nodes whose doorbell rings from the beginning
  int epochs = 1;        ///< negotiations tried while they are cancelled
  Flaw flaw = Flaw::none;
};

/// A word in 16 bits; reasons are not kept.
struct SmallWord {
  std::uint16_t bits = 0;
  SmallWord() = default;
  explicit SmallWord(Word word)
      : bits(static_cast<std::uint16_t>(
            static_cast<unsigned>(word.phase()) << 13 | unsigned{word.epoch()} << 10 |
            (word.phase() == Phase::cancelled ? 0U : static_cast<unsigned>(word.maximum())))) {}
  [[nodiscard]] Word word() const {
    return {static_cast<Phase>(bits >> 13), static_cast<std::uint16_t>(bits >> 10 & 7U), bits & 0x3ffU};
  }
  bool operator==(const SmallWord&) const = default;
};

struct RankState {
  enum At : std::uint8_t { computing, arrived, has_word, has_epoch, stopped, finished };
  SmallWord word;  ///< as read
  std::uint8_t at = computing;
  std::uint8_t point = 0;   ///< last safe point that it arrived at
  std::uint8_t epoch = 0;   ///< as read
  std::uint8_t joined = 0;  ///< epoch
};

struct NodeState {
  enum At : std::uint8_t { waiting, opened, to_see, to_move, done };
  enum Flag : std::uint8_t { all_joined = 1, give_up = 2 };
  SmallWord page, seen_page;
  SmallWord sent_up, sent_down;                ///< to the parent and to the children
  SmallWord above;                             ///< as heard
  std::array<SmallWord, most_nodes> received;  ///< of the children
  std::uint8_t at = waiting;
  std::uint8_t epoch = 0;  ///< of the page, and of the agent
  std::uint8_t doorbell = 0;
  std::uint8_t flags = 0;
};

struct State {
  std::array<RankState, most_ranks> ranks;
  std::array<NodeState, most_nodes> nodes;
};
static_assert(std::has_unique_object_representations_v<State>, "states are compared and hashed as bytes");

class Model {
 public:
  explicit Model(Scenario scenario) : scenario_(std::move(scenario)) {}

  [[nodiscard]] State initial() const;

  /// Adds every state that one step leads to. False when a rank did what it must not; then `error` says what.
  bool successors(const State& state, std::vector<State>& out, std::string& error) const;

  /// What is wrong in this state, or nothing.
  [[nodiscard]] std::optional<std::string> violation(const State& state) const;

  /// Everybody has come to the end that the negotiation promises.
  [[nodiscard]] bool good_end(const State& state) const;

 private:
  [[nodiscard]] int ranks() const { return static_cast<int>(scenario_.node_of_rank.size()); }
  [[nodiscard]] bool has_messages(const State& state, int rank) const;
  void pass(RankState& rank) const;
  bool step_rank(const State& state, int rank, std::vector<State>& out, std::string& error) const;
  /// What a rank does that has read word and epoch.
  bool decide(State then, int rank, std::vector<State>& out, std::string& error) const;
  void step_agent(const State& state, int node, std::vector<State>& out) const;
  [[nodiscard]] bool may_start(const State& state, int node) const;
  [[nodiscard]] int parent(int node) const { return node == 0 ? -1 : scenario_.chain ? node - 1 : 0; }
  void see_marks(State& state, int node) const;
  void receive(const State& state, int node, std::vector<State>& out) const;
  void move_agent(State& state, int node) const;
  [[nodiscard]] AgentMove choose(AgentView view) const;

  Scenario scenario_;
};

}  // namespace cppc::negotiation::test
