/// Ranks and agents that take the moves of cppc/cut.hpp, the agents by TreeRounds.
#include "cppc/cut.hpp"

#include "cppc/cut_agent.hpp"
#include "simulation.hpp"

namespace cppc::bench::scale {
namespace {

using namespace negotiation;

constexpr std::uint16_t kEpoch = 1;
constexpr std::uint64_t kWorld = 1;
constexpr std::uint64_t kStepsPerCollective = 4;

struct Rank {
  enum At : std::uint8_t { computing, receiving, before_collective, in_collective, stopped, done };
  At at = computing;
  At was = computing;       ///< before it stopped
  std::uint64_t steps = 0;  ///< done
  long ready = 0;           ///< tick in which its computing ends
  std::uint64_t begun = 0, target = 0;
  cut::Word mark;
  bool needed = false;
};

struct Agent {
  explicit Agent(Place& place) : rounds(place) {}
  TreeRounds rounds;
  cut::Word word;
  long start = 0;
  bool in_round = false;
  int first = 0, end = 0;
};

class Job {
 public:
  Job(int ranks, std::uint64_t seed) : random_(seed), ranks_(static_cast<std::size_t>(ranks)), arbiter_(kEpoch) {
    for (Rank& rank : ranks_) rank.ready = until_next_step(random_);
    const int nodes = (ranks + kRanksPerNode - 1) / kRanksPerNode;
    make_places(nodes, now_, places_);
    for (int node = 0; node < nodes; ++node) {
      Agent& agent = agents_.emplace_back(places_[static_cast<std::size_t>(node)]);
      agent.first = node * kRanksPerNode;
      agent.end = std::min(agent.first + kRanksPerNode, ranks);
      agent.start = first_doorbell(random_);
    }
  }

  Cost run() {
    Cost cost;
    for (; now_ < kMostTicks && done_ < ranks_.size(); ++now_) {
      for (Agent& agent : agents_) poll(agent);
      for (const Agent& agent : agents_)
        for (int rank = agent.first; rank < agent.end; ++rank) work(rank, agent.word);
    }
    cost.right = done_ == ranks_.size() &&
                 std::ranges::all_of(ranks_, [this](const Rank& one) { return one.begun == ranks_.front().begun; });
    cost.ticks = now_ - kFirstBell;
    count_messages(places_, cost);
    return cost;
  }

 private:
  /// Whether the rank may go on, as CutRank::reached().
  bool may_go_on(Rank& rank, cut::Word word, cut::Place place) {
    const bool stopped = rank.mark.epoch() == word.epoch() && rank.mark.turn() == word.turn();
    const auto move = cut::rank_move(word, rank.begun < rank.target, rank.needed, stopped, place);
    if (move != cut::RankMove::stop) return move == cut::RankMove::go_on;
    rank.mark = word;
    rank.was = rank.at;
    rank.at = Rank::stopped;
    return false;
  }

  void work(int index, cut::Word word) {
    Rank& rank = ranks_[static_cast<std::size_t>(index)];
    switch (rank.at) {
      case Rank::computing:
        if (rank.ready <= now_) rank.at = Rank::receiving;
        break;
      case Rank::receiving:
        if (!may_go_on(rank, word, cut::Place::elsewhere)) break;
        if (late_neighbour(index) >= 0) break;
        if (rank.steps % kStepsPerCollective == 0)
          rank.at = Rank::before_collective;
        else
          end_step(rank);
        break;
      case Rank::before_collective:
        if (!may_go_on(rank, word, cut::Place::collective)) break;
        rank.at = Rank::in_collective;
        if (begun_.size() <= rank.begun) begun_.resize(rank.begun + 1);
        ++begun_[rank.begun++];
        break;
      case Rank::in_collective:
        if (begun_[rank.begun - 1] == ranks_.size()) end_step(rank);
        break;
      case Rank::stopped:
        if (word == rank.mark) break;
        rank.at = word.phase() == cut::Phase::decided ? Rank::done : rank.was;
        done_ += rank.at == Rank::done ? 1 : 0;
        break;
      case Rank::done:
        break;
    }
  }

  void end_step(Rank& rank) {
    ++rank.steps;
    rank.at = Rank::computing;
    rank.ready = now_ + until_next_step(random_);
  }

  /// One whose message of the step before is not there, or -1.
  [[nodiscard]] int late_neighbour(int index) const {
    const auto count = static_cast<int>(ranks_.size());
    for (const int step : {1, -1}) {
      const int other = (index + step + count) % count;
      if (ranks_[static_cast<std::size_t>(other)].steps < ranks_[static_cast<std::size_t>(index)].steps) return other;
    }
    return -1;
  }

  [[nodiscard]] cut::Report report(const Agent& agent) const {
    std::vector<cut::Membership> memberships;
    std::vector<cut::RankView> views;
    memberships.reserve(static_cast<std::size_t>(agent.end - agent.first));
    for (int index = agent.first; index < agent.end; ++index) {
      const Rank& rank = ranks_[static_cast<std::size_t>(index)];
      memberships.push_back({.id = kWorld,
                             .begun = rank.begun,
                             .target = rank.target,
                             .size = static_cast<std::uint32_t>(ranks_.size())});
      const bool receives = (rank.at == Rank::stopped ? rank.was : rank.at) == Rank::receiving;
      const int late = receives ? late_neighbour(index) : -1;
      views.push_back({.rank = index,
                       .stopped = rank.mark == agent.word,
                       .waits_for = late < 0 ? cut::nobody : late,
                       .memberships = std::span(&memberships.back(), 1)});
    }
    return cut::report(views, agent.word.phase());
  }

  /// As CutAgent::poll().
  void poll(Agent& agent) {
    if (now_ < agent.start) return;
    if (agent.word.phase() == cut::Phase::idle) agent.word = arbiter_.verdict().word;
    if (agent.word.phase() == cut::Phase::decided) return;
    if (!agent.in_round) (void)agent.rounds.begin(report(agent));
    agent.in_round = true;
    const auto verdict =
        agent.rounds.poll([this](const cut::Report& all) { return arbiter_.evaluate(std::span(&all, 1)); });
    if (!*verdict) return;
    agent.in_round = false;
    agent.word = (*verdict)->word;
    for (int index = agent.first; index < agent.end; ++index) {
      ranks_[static_cast<std::size_t>(index)].target = (*verdict)->target(kWorld);
      ranks_[static_cast<std::size_t>(index)].needed = (*verdict)->needs(index);
    }
  }

  Random random_;
  std::vector<Rank> ranks_;
  std::vector<std::size_t> begun_;  ///< by how many ranks each collective operation
  std::vector<Place> places_;
  std::vector<Agent> agents_;
  cut::Arbiter arbiter_;  ///< the root's
  std::size_t done_ = 0;
  long now_ = 0;
};

}  // namespace

Cost agree_on_cut(int ranks, std::uint64_t seed) { return Job(ranks, seed).run(); }

}  // namespace cppc::bench::scale
