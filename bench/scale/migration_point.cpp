/// Ranks and agents that take the moves of cppc/migration_point.hpp.
#include "cppc/migration_point.hpp"

#include "simulation.hpp"

namespace cppc::bench::scale {
namespace {

using namespace negotiation;

constexpr std::uint16_t kEpoch = 1;

struct Rank {
  std::uint64_t passed = 0;  ///< safe points
  long ready = 0;            ///< tick in which it comes to the next, if the messages of its neighbours are there
  bool joined = false;
  bool stopped = false;
};

struct Agent {
  AgentView view;
  std::vector<Word> last_words;  ///< each child
  Word page;
  long start = 0;
  bool started = false;
  bool done = false;
  int joined = 0;  ///< ranks of the node
  int first = 0, end = 0;
};

class Job {
 public:
  Job(int ranks, std::uint64_t seed) : random_(seed), ranks_(static_cast<std::size_t>(ranks)) {
    for (Rank& rank : ranks_) rank.ready = until_next_step(random_);
    const int nodes = (ranks + kRanksPerNode - 1) / kRanksPerNode;
    make_places(nodes, now_, places_);
    for (int node = 0; node < nodes; ++node) {
      Agent& agent = agents_.emplace_back();
      agent.first = node * kRanksPerNode;
      agent.end = std::min(agent.first + kRanksPerNode, ranks);
      agent.start = first_doorbell(random_);
      agent.view.epoch = kEpoch;
      agent.last_words.resize(places_[static_cast<std::size_t>(node)].children().size());
    }
  }

  Cost run() {
    Cost cost;
    for (; now_ < kMostTicks && !(stopped_ == ranks_.size() && done_ == agents_.size()); ++now_) {
      for (std::size_t i = 0; i < agents_.size(); ++i) poll(agents_[i], places_[i]);
      for (Agent& agent : agents_) {
        for (int rank = agent.first; rank < agent.end; ++rank)
          if (!work(rank, agent)) return cost;
      }
    }
    cost.right = stopped_ == ranks_.size() && done_ == agents_.size();
    cost.ticks = now_ - kFirstBell;
    count_messages(places_, cost);
    return cost;
  }

 private:
  /// As RankSide::reached(), when it is time; a neighbour's message is sent when it passes the safe point before. False
  /// when the rank does what it must not.
  bool work(int index, Agent& agent) {
    const auto count = static_cast<int>(ranks_.size());
    Rank& rank = ranks_[static_cast<std::size_t>(index)];
    const auto neighbour = [&](int step) -> const Rank& {
      return ranks_[static_cast<std::size_t>((index + step + count) % count)];
    };
    if (rank.stopped || rank.ready > now_) return true;
    if (neighbour(1).passed < rank.passed || neighbour(-1).passed < rank.passed) return true;
    while (agent.started) {
      const RankMove move = rank_move(agent.page, rank.joined, rank.passed + 1);
      if (move.kind == RankMove::Kind::wait) return true;
      if (move.kind == RankMove::Kind::refuse) return false;
      if (move.kind == RankMove::Kind::stop) {
        rank.stopped = true;
        ++stopped_;
        return rank.passed + 1 == outcome().maximum();
      }
      if (move.kind == RankMove::Kind::swap) {
        agent.page = move.to;
        continue;
      }
      if (move.kind == RankMove::Kind::join) {
        rank.joined = true;
        ++agent.joined;
      }
      break;
    }
    ++rank.passed;
    rank.ready = now_ + until_next_step(random_);
    return outcome().phase() != Phase::decided || rank.passed < outcome().maximum();
  }

  [[nodiscard]] Word outcome() const { return agents_.front().view.above; }

  /// As AgentSide::poll().
  void poll(Agent& agent, Place& place) {
    if (agent.done || now_ < agent.start) return;
    if (!agent.started) {
      agent.page = *next(agent.page, {Event::Kind::open, kEpoch});
      agent.started = true;
    }
    receive(agent, place);
    for (;;) {
      agent.view.all_joined = agent.joined == agent.end - agent.first;
      agent.view.page = agent.page;
      const AgentMove move = agent_move(agent.view);
      switch (move.kind) {
        case AgentMove::Kind::done:
          agent.done = true;
          ++done_;
          return;
        case AgentMove::Kind::look:
          return;
        case AgentMove::Kind::swap_page:
          agent.page = move.to;
          break;
        case AgentMove::Kind::send_up:
          agent.view.sent_up = move.to;
          if (place.parent() < 0)
            agent.view.above = answer(move.to, agent.view.above);
          else
            (void)place.send(place.parent(), {move.to.bits()});
          break;
        case AgentMove::Kind::send_down:
          agent.view.sent_down = move.to;
          for (const int child : place.children()) (void)place.send(child, {move.to.bits()});
          break;
      }
    }
  }

  static void receive(Agent& agent, Place& place) {
    const auto receive_one = [&](int from, Word& last) {
      while (const auto words = *place.receive(from)) last = Word(words->front());
    };
    agent.view.below = {};
    for (std::size_t i = 0; i < agent.last_words.size(); ++i) {
      receive_one(place.children()[i], agent.last_words[i]);
      agent.view.below.add(agent.last_words[i]);
    }
    if (place.parent() >= 0) receive_one(place.parent(), agent.view.above);
  }

  Random random_;
  std::vector<Rank> ranks_;
  std::vector<Agent> agents_;
  std::vector<Place> places_;
  std::size_t stopped_ = 0, done_ = 0;
  long now_ = 0;
};

}  // namespace

Cost agree_on_migration_point(int ranks, std::uint64_t seed) { return Job(ranks, seed).run(); }

}  // namespace cppc::bench::scale
