/// What a negotiation costs in large jobs: a simulation in which ranks and agents take the moves of
/// cppc/migration_point.hpp. Time is counted in rounds, one being an operation on the board there and back. The board
/// takes all operations of a round, however many, in random order: that they wait for each other is not simulated.
#include <algorithm>
#include <array>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "cppc/migration_point.hpp"
#include "figures.hpp"

namespace {

using namespace cppc;
using namespace cppc::negotiation;
using Random = std::mt19937_64;

constexpr std::array<int, 4> kRanks{64, 1024, 16'384, 100'000};
constexpr int kRanksPerNode = 32;
constexpr int kRuns = 5;
constexpr int kSlowness = 10;    ///< rounds between two safe points: this many, and as many on average, exponentially
constexpr int kBellWithin = 20;  ///< rounds in which the order to negotiate reaches all agents
constexpr int kFirstBell = 100;
constexpr int kMostRounds = 100'000;
constexpr std::uint16_t kEpoch = 1;
constexpr std::chrono::microseconds kRound(200);  ///< an agent's pause between polls, for next_step()

struct Rank {
  std::uint64_t passed = 0;  ///< safe points
  long ready = 0;            ///< round in which it comes to the next, if the messages of its neighbours are there
  bool joined = false;
  bool stopped = false;
};

struct Agent {
  AgentView view;
  AgentMove operation;  ///< on the board, under way
  bool waits = false;   ///< for it
  bool looked = false;  ///< since the last step
  bool done = false;
  bool started = false;
  long start = 0;
  long lifted = 0;
  int joined = 0;  ///< ranks of the node
  int first = 0, end = 0;
  Word page;
};

/// By agents other than the leader, whose memory the board is in.
struct Messages {
  long looks = 0, swaps = 0, lost_swaps = 0, marks = 0;
  [[nodiscard]] long all() const { return looks + swaps + lost_swaps + marks; }
};

class Job {
 public:
  Job(int ranks, std::uint64_t seed) : random_(seed), ranks_(static_cast<std::size_t>(ranks)) {
    for (Rank& rank : ranks_) rank.ready = until_next();
    for (int first = 0; first < ranks; first += kRanksPerNode) {
      Agent& agent = agents_.emplace_back();
      agent.first = first;
      agent.end = std::min(first + kRanksPerNode, ranks);
      agent.start = kFirstBell + std::uniform_int_distribution<long>(0, kBellWithin - 1)(random_);
      agent.view.epoch = kEpoch;
      agent.view.leader = first == 0;
      order_.push_back(order_.size());
    }
  }

  /// Until all ranks stand at M and all agents know it. False when somebody passes M or does not come.
  bool run() {
    for (; round_ < kMostRounds; ++round_) {
      std::shuffle(order_.begin(), order_.end(), random_);
      for (const std::size_t i : order_) {
        if (agents_[i].waits) operate(agents_[i]);
      }
      for (const std::size_t i : order_) poll(agents_[i]);
      for (const std::size_t i : order_) {
        for (int rank = agents_[i].first; rank < agents_[i].end; ++rank) {
          if (!work(rank, agents_[i])) return false;
        }
      }
      if (stopped_ == ranks_.size() && done_ == agents_.size()) return true;
    }
    return false;
  }

  [[nodiscard]] long rounds() const { return round_ - kFirstBell; }
  [[nodiscard]] const Messages& messages() const { return messages_; }
  [[nodiscard]] int nodes() const { return static_cast<int>(agents_.size()); }

 private:
  long until_next() {
    return round_ + kSlowness + static_cast<long>(std::exponential_distribution<>(1.0 / kSlowness)(random_));
  }

  /// As RankSide::reached(), when it is time; a neighbour's message is sent when it passes the safe point before.
  bool work(int index, Agent& agent) {
    const auto count = static_cast<int>(ranks_.size());
    Rank& rank = ranks_[static_cast<std::size_t>(index)];
    const auto neighbour = [&](int step) -> const Rank& {
      return ranks_[static_cast<std::size_t>((index + step + count) % count)];
    };
    if (rank.stopped || rank.ready > round_) return true;
    if (neighbour(1).passed < rank.passed || neighbour(-1).passed < rank.passed) return true;
    while (agent.started) {
      const RankMove move = rank_move(agent.page, rank.joined, rank.passed + 1);
      if (move.kind == RankMove::Kind::wait) return true;
      if (move.kind == RankMove::Kind::refuse) return false;
      if (move.kind == RankMove::Kind::stop) {
        rank.stopped = true;
        ++stopped_;
        return rank.passed + 1 == board_.maximum();
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
    rank.ready = until_next();
    return board_.phase() != Phase::decided || rank.passed < board_.maximum();
  }

  /// As AgentSide::poll(), up to the next operation on the board.
  void poll(Agent& agent) {
    if (agent.done || agent.waits || round_ < agent.start) return;
    if (!agent.started) {
      agent.page = *next(agent.page, {Event::Kind::open, kEpoch});
      agent.started = true;
    }
    for (;;) {
      agent.view.all_joined = agent.joined == agent.end - agent.first;
      agent.view.page = agent.page;
      const AgentMove move = agent_move(agent.view);
      if (move.kind == AgentMove::Kind::done) {
        agent.done = true;
        ++done_;
        return;
      }
      const bool look = move.kind == AgentMove::Kind::look;
      if (look && agent.looked) {
        agent.looked = false;  // until the next round
        return;
      }
      agent.looked = look;
      if (move.kind != AgentMove::Kind::swap_page) {
        agent.operation = move;
        agent.waits = true;
        return;
      }
      if (move.to.phase() == Phase::fixed) {
        if (agent.page.phase() == Phase::asked) {
          agent.view.step = next_step(agent.view.step, (round_ - agent.lifted) * kRound);
        }
        agent.lifted = round_;
      }
      agent.page = move.to;
    }
  }

  /// At the leader.
  void operate(Agent& agent) {
    AgentView& view = agent.view;
    Messages own;  // the leader's: not sent
    Messages& count = view.leader ? own : messages_;
    agent.waits = false;
    switch (agent.operation.kind) {
      case AgentMove::Kind::swap_board: {
        const bool won = board_ == view.board;
        if (won) board_ = agent.operation.to;
        ++(won ? count.swaps : count.lost_swaps);
        view.board = board_;
        break;
      }
      case AgentMove::Kind::report:
        view.reported = true;
        ++reported_;
        ++count.marks;
        break;
      case AgentMove::Kind::acknowledge:
        view.acknowledged = true;
        ++acknowledged_;
        ++count.marks;
        break;
      default:
        view.board = board_;
        view.all_reported = view.leader && reported_ == agents_.size();
        view.all_acknowledged = view.leader && acknowledged_ == agents_.size();
        ++count.looks;
    }
  }

  Random random_;
  std::vector<Rank> ranks_;
  std::vector<Agent> agents_;
  std::vector<std::size_t> order_;
  Word board_;
  Messages messages_;
  std::size_t reported_ = 0, acknowledged_ = 0, stopped_ = 0, done_ = 0;
  long round_ = 0;
};

struct Row {
  double per_node = 0, at_leader = 0, rounds = 0;
};

Row measure(int ranks) {
  std::vector<double> looks, swaps, lost, marks, per_node, at_leader, rounds;
  int nodes = 0;
  for (int run = 0; run < kRuns; ++run) {
    Job job(ranks, static_cast<std::uint64_t>(run) + 1);
    if (!job.run()) {
      std::fprintf(stderr, "%d ranks, seed %d: they do not all stop at one point\n", ranks, run + 1);
      std::exit(1);
    }
    nodes = job.nodes();
    const Messages& messages = job.messages();
    const auto share = [&](long count) { return static_cast<double>(count) / (nodes - 1); };
    looks.push_back(share(messages.looks));
    swaps.push_back(share(messages.swaps));
    lost.push_back(share(messages.lost_swaps));
    marks.push_back(share(messages.marks));
    per_node.push_back(share(messages.all()));
    at_leader.push_back(static_cast<double>(messages.all()));
    rounds.push_back(static_cast<double>(job.rounds()));
  }
  const auto median = [](const std::vector<double>& values) { return bench::spread(values).median; };
  const Row row{median(per_node), median(at_leader), median(rounds)};
  std::printf("%8d %7d %8.0f %10.1f %10.2f %10.2f %10.2f %10.1f %12.0f %10.1f\n", ranks, nodes, row.rounds,
              median(looks), median(swaps), median(lost), median(marks), row.per_node, row.at_leader,
              row.at_leader / row.rounds);
  return row;
}

void print_list(const char* name, const std::array<Row, kRanks.size()>& rows, double Row::*field) {
  std::printf(",\"%s\":", name);
  for (std::size_t i = 0; i < rows.size(); ++i) std::printf("%c%.1f", i == 0 ? '[' : ',', rows[i].*field);
  std::printf("]");
}

}  // namespace

int main() {
  std::printf("Messages by agents, each to the leader and back, until all ranks stand; medians of %d runs\n", kRuns);
  std::printf("%8s %7s %8s %10s %10s %10s %10s %10s %12s %10s\n", "ranks", "nodes", "rounds", "looks", "swaps", "lost",
              "marks", "a node", "at leader", "a round");
  std::array<Row, kRanks.size()> rows;
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = measure(kRanks[i]);
  std::printf("{\"bench\":\"scale\",\"ranks\":");
  for (std::size_t i = 0; i < rows.size(); ++i) std::printf("%c%d", i == 0 ? '[' : ',', kRanks[i]);
  std::printf("]");
  print_list("messages_per_node", rows, &Row::per_node);
  print_list("messages_at_leader", rows, &Row::at_leader);
  print_list("rounds", rows, &Row::rounds);
  std::printf("}\n");
}
