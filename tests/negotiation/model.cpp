#include "model.hpp"

#include <algorithm>
#include <utility>

namespace cppc::negotiation::test {
namespace {

bool flag(const NodeState& node, NodeState::Flag which) { return (node.flags & which) != 0; }

void set(NodeState& node, NodeState::Flag which, bool value) {
  node.flags = static_cast<std::uint8_t>(value ? node.flags | which : node.flags & ~which);
}

void start(NodeState& node) {
  ++node.epoch;
  node.page = SmallWord(*next(node.page.word(), {Event::Kind::open, node.epoch}));
  node.flags = 0;
  node.sent_up = node.sent_down = node.above = {};
  node.received = {};
  node.at = NodeState::opened;
}

/// What the rank has read will be read anew.
void forget(RankState& rank) {
  rank.word = {};
  rank.epoch = 0;
}

void look_again(RankState& rank) {
  forget(rank);
  rank.at = RankState::arrived;
}

/// Safe points that the rank has passed, which arriving does not mean.
int passed(const RankState& rank) {
  return rank.at == RankState::computing || rank.at == RankState::finished ? rank.point : rank.point - 1;
}

}  // namespace

State Model::initial() const {
  State state;
  for (int node = 0; node < scenario_.rung; ++node) {
    start(state.nodes[node]);
    state.nodes[node].doorbell = 1;
    state.nodes[node].at = NodeState::to_see;
  }
  return state;
}

bool Model::successors(const State& state, std::vector<State>& out, std::string& error) const {
  for (int rank = 0; rank < ranks(); ++rank) {
    if (!step_rank(state, rank, out, error)) return false;
  }
  for (int node = 0; node < scenario_.nodes; ++node) step_agent(state, node, out);
  return true;
}

bool Model::has_messages(const State& state, int rank) const {
  const int interval = state.ranks[rank].point;
  if (scenario_.messages == Messages::exchange) return passed(state.ranks[(rank + 1) % ranks()]) >= interval;
  if (scenario_.messages == Messages::pipeline) return rank == 0 || state.ranks[rank - 1].point > interval;
  return true;
}

void Model::pass(RankState& me) const {
  forget(me);
  me.at = me.point == scenario_.last ? RankState::finished : RankState::computing;
}

bool Model::step_rank(const State& state, int rank, std::vector<State>& out, std::string& error) const {
  State then = state;
  RankState& me = then.ranks[rank];
  const NodeState& node = then.nodes[scenario_.node_of_rank[rank]];
  switch (me.at) {
    case RankState::computing:
      if (!has_messages(state, rank)) return true;
      ++me.point;
      me.at = RankState::arrived;
      break;
    case RankState::arrived:  // the doorbell and the word in one: reading the doorbell earlier is arriving earlier
      if (node.doorbell == 0) {
        pass(me);
        break;
      }
      me.word = node.page;
      me.at = RankState::has_word;
      break;
    case RankState::has_word: {
      const Phase phase = me.word.word().phase();
      if (phase == Phase::idle || phase == Phase::cancelled) {
        pass(me);
        break;
      }
      me.epoch = node.epoch;
      me.at = RankState::has_epoch;
      if (scenario_.epochs == 1) return decide(std::move(then), rank, out, error);  // no other can be read
      if (me.epoch != me.word.word().epoch()) look_again(me);
      break;
    }
    case RankState::has_epoch:
      return decide(std::move(then), rank, out, error);
    default:
      return true;
  }
  out.push_back(then);
  return true;
}

bool Model::decide(State then, int rank, std::vector<State>& out, std::string& error) const {
  RankState& me = then.ranks[rank];
  NodeState& node = then.nodes[scenario_.node_of_rank[rank]];
  const RankMove move = rank_move(me.word.word(), me.joined == me.epoch, me.point);
  switch (move.kind) {
    case RankMove::Kind::go_on:
      pass(me);
      break;
    case RankMove::Kind::join:
      me.joined = me.epoch;
      pass(me);
      break;
    case RankMove::Kind::stop:
      forget(me);
      me.at = RankState::stopped;
      break;
    case RankMove::Kind::swap:
      if (node.page == me.word) node.page = SmallWord(move.to);
      look_again(me);
      break;
    case RankMove::Kind::wait:
      if (node.page == me.word) return true;  // nothing to wake up for
      look_again(me);
      break;
    case RankMove::Kind::refuse:
      error = "rank " + std::to_string(rank) + " refuses at safe point " + std::to_string(me.point);
      return false;
  }
  out.push_back(std::move(then));
  return true;
}

bool Model::may_start(const State& state, int node) const {
  const NodeState& me = state.nodes[node];
  if (me.epoch == 0) return true;
  // The next order comes when the leader has reported the outcome of this one.
  const NodeState& leader = state.nodes[0];
  return me.epoch < scenario_.epochs && me.page.word().phase() == Phase::cancelled &&
         (leader.epoch > me.epoch || leader.at == NodeState::done);
}

void Model::step_agent(const State& state, int node, std::vector<State>& out) const {
  State then = state;
  NodeState& me = then.nodes[node];
  switch (me.at) {
    case NodeState::waiting:
    case NodeState::done:
      if (!may_start(state, node)) return;
      start(me);
      break;
    case NodeState::opened:
      me.doorbell = 1;
      me.at = NodeState::to_see;
      break;
    case NodeState::to_see:
      if (scenario_.give_up && !flag(me, NodeState::give_up)) {
        State tired = then;
        set(tired.nodes[node], NodeState::give_up, true);
        out.push_back(tired);
      }
      // Marks and page in one: marks only rise, so that a page read later goes with marks read later, too.
      see_marks(then, node);
      me.seen_page = me.page;
      me.at = NodeState::to_move;
      break;
    case NodeState::to_move:
      receive(state, node, out);
      move_agent(then, node);
      break;
  }
  out.push_back(then);
}

/// What one neighbour says, sooner or later. A word supersedes the one before.
void Model::receive(const State& state, int node, std::vector<State>& out) const {
  const auto take = [&](SmallWord word, auto place) {
    State then = state;
    SmallWord& received = place(then.nodes[node]);
    if (received == word || word.word().epoch() != then.nodes[node].epoch) return;
    received = word;
    out.push_back(then);
  };
  if (node > 0 && !is_outcome(state.nodes[node].above.word()))
    take(state.nodes[parent(node)].sent_down, [](NodeState& me) -> SmallWord& { return me.above; });
  for (int child = 1; child < scenario_.nodes; ++child) {
    if (parent(child) == node)
      take(state.nodes[child].sent_up, [child](NodeState& me) -> SmallWord& { return me.received[child]; });
  }
}

void Model::see_marks(State& state, int node) const {
  NodeState& me = state.nodes[node];
  bool joined = true;
  for (int rank = 0; rank < ranks(); ++rank) {
    if (scenario_.node_of_rank[rank] != node) continue;
    joined &= state.ranks[rank].joined == me.epoch;
    if (state.ranks[rank].at == RankState::finished) set(me, NodeState::give_up, true);
  }
  set(me, NodeState::all_joined, joined || scenario_.flaw == Flaw::join_early);
}

AgentMove Model::choose(AgentView view) const {
  if (scenario_.flaw == Flaw::close_early) view.below.joined = true;
  if (scenario_.flaw == Flaw::decide_early) view.below.fixed = true;
  if (scenario_.flaw == Flaw::fix_when_joined && view.all_joined && view.page.phase() == Phase::open)
    return {AgentMove::Kind::swap_page, *next(view.page, {Event::Kind::fix, view.epoch})};
  return agent_move(view);
}

void Model::move_agent(State& state, int node) const {
  NodeState& me = state.nodes[node];
  AgentView view;
  view.epoch = me.epoch;
  view.page = me.seen_page.word();
  view.all_joined = flag(me, NodeState::all_joined);
  if (flag(me, NodeState::give_up)) view.give_up = Reason{};
  for (int child = 1; child < scenario_.nodes; ++child) {
    if (parent(child) == node) view.below.add(me.received[child].word());
  }
  view.above = me.above.word();
  view.sent_up = me.sent_up.word();
  view.sent_down = me.sent_down.word();

  // What will be read anew is forgotten, so that states differ only where it matters.
  me.at = NodeState::to_see;
  const SmallWord seen_page = std::exchange(me.seen_page, {});
  set(me, NodeState::all_joined, false);
  const AgentMove move = choose(view);
  switch (move.kind) {
    case AgentMove::Kind::swap_page:
      if (me.page == seen_page) {
        me.page = SmallWord(move.to);
        if (move.to.phase() == Phase::cancelled) me.doorbell = 0;
      }
      break;
    case AgentMove::Kind::send_up:
      me.sent_up = SmallWord(move.to);
      if (node == 0) me.above = SmallWord(answer(move.to, view.above));
      break;
    case AgentMove::Kind::send_down:
      me.sent_down = SmallWord(move.to);
      break;
    case AgentMove::Kind::look:
      break;
    case AgentMove::Kind::done:
      me.at = NodeState::done;
      break;
  }
}

std::optional<std::string> Model::violation(const State& state) const {
  const Word outcome = state.nodes[0].above.word();
  const bool decided = outcome.phase() == Phase::decided;
  for (int i = 0; i < ranks(); ++i) {
    const RankState& rank = state.ranks[i];
    const std::string who = "rank " + std::to_string(i);
    if (decided && passed(rank) >= static_cast<int>(outcome.maximum())) return who + " has passed the migration point";
    if (rank.at != RankState::stopped) continue;
    if (!decided) return who + " has stopped without a decision";
    if (rank.point != outcome.maximum()) return who + " has stopped elsewhere";
  }
  return std::nullopt;
}

bool Model::good_end(const State& state) const {
  const auto nodes_end = state.nodes.begin() + scenario_.nodes;
  if (!std::all_of(state.nodes.begin(), nodes_end, [](const NodeState& n) { return n.at == NodeState::done; })) {
    return false;
  }
  const auto all = [&](RankState::At at) {
    return std::all_of(state.ranks.begin(), state.ranks.begin() + ranks(),
                       [&](const RankState& rank) { return rank.at == at; });
  };
  const bool decided = state.nodes[0].above.word().phase() == Phase::decided;
  return (decided && all(RankState::stopped)) || all(RankState::finished);
}

}  // namespace cppc::negotiation::test
