#include "cut_model.hpp"

#include <algorithm>
#include <utility>

namespace cppc::negotiation::test {
namespace {

using Kind = CutOp::Kind;

bool is_collective(Kind kind) {
  return kind == Kind::collective || kind == Kind::early || kind == Kind::begin || kind == Kind::create ||
         kind == Kind::destroy || kind == Kind::finish;
}

int waits_for(const CutOp& op) {
  if (op.kind == Kind::wait) return cut::nobody;  // members that have not begun it are behind
  if (op.kind == Kind::lock || op.any_source) return cut::anybody;
  return op.peer;
}

}  // namespace

bool can_be_left(CutOp::Kind kind) { return kind == Kind::wait || kind == Kind::receive || kind == Kind::ssend; }

bool rings(cut::Word word) {
  return word.phase() == cut::Phase::gathering || word.phase() == cut::Phase::closing ||
         word.phase() == cut::Phase::withdrawing;
}

CutModel::CutModel(CutProgram program, std::vector<int> node_of_rank, int nodes, CutFlaw flaw)
    : program_(std::move(program)), node_of_rank_(std::move(node_of_rank)), nodes_(nodes), flaw_(flaw) {}

CutState CutModel::initial(unsigned stable_rounds, unsigned withdrawal_rounds, unsigned most_withdrawal_rounds) const {
  CutState state;
  state.arbiter = cut::Arbiter(1, stable_rounds, withdrawal_rounds, most_withdrawal_rounds);
  state.ranks.resize(static_cast<std::size_t>(program_.ranks));
  state.agents.resize(static_cast<std::size_t>(nodes_));
  for (CutRank& rank : state.ranks) {
    for (auto* const counts : {&rank.begun, &rank.calls, &rank.ended}) counts->resize(program_.comms.size());
    for (auto* const numbers : {&rank.announced, &rank.acknowledged}) numbers->resize(program_.comms.size());
  }
  for (int comm = 0; comm < program_.existing; ++comm) {
    const auto& members = program_.comms[static_cast<std::size_t>(comm)];
    for (const int member : members)
      state.ranks[static_cast<std::size_t>(member)].memberships.push_back(
          {.id = id_of(comm), .size = static_cast<std::uint32_t>(members.size())});
  }
  return state;
}

bool CutModel::step(CutState& state, int actor) const {
  return actor < program_.ranks ? step_rank(state, static_cast<std::size_t>(actor))
                                : step_agent(state, static_cast<std::size_t>(actor - program_.ranks));
}

// ---------------------------------------------------------------------------------------------------------- ranks

bool CutModel::step_rank(CutState& state, std::size_t who) const {
  CutRank& me = state.ranks[who];
  const cut::Word word = state.agents[static_cast<std::size_t>(node_of_rank_[who])].word;
  switch (me.at) {
    case CutRank::ready:
      return look(state, who);
    case CutRank::cleared:
      return start(state, who);
    case CutRank::inside:
      if (!complete(state, who)) return look_inside(state, who);
      come_out(state, who);
      return true;
    case CutRank::undoing: {
      const auto comm = static_cast<std::size_t>(op(me, who).comm);
      me.acknowledged[comm] = me.announced[comm];
      me.at = CutRank::ready;
      return true;
    }
    case CutRank::counting:
      count(me, op(me, who));
      me.at = CutRank::inside;
      return true;
    case CutRank::stopping:
      me.mark = std::exchange(me.seen, {});
      me.at = CutRank::stopped;
      return true;
    case CutRank::stopped:
    case CutRank::taking_part:
      if (to_take_part_in(me) >= 0) return step_outside(state, who);
      if (word == me.mark) return false;
      me.at = cut::rank_move(word, false, false, word.turn() == me.mark.turn(), cut::Place::elsewhere) ==
                      cut::RankMove::done
                  ? CutRank::done
                  : me.was;
      return true;
    case CutRank::done:
    case CutRank::finished:
      return false;
  }
  return false;
}

/// The first communicator in which the rank has still to take part with dummy data, or -1.
int CutModel::to_take_part_in(const CutRank& rank) const {
  if (rank.take_part == 0) return -1;
  for (std::size_t comm = 0; comm < rank.announced.size(); ++comm)
    if (rank.announced[comm] == rank.take_part && rank.acknowledged[comm] != rank.take_part)
      return static_cast<int>(comm);
  return -1;
}

/// Whether all members have called MPI as often as this one: its operation is complete then.
bool CutModel::all_have_called(const CutState& state, std::size_t who, int comm) const {
  const auto index = static_cast<std::size_t>(comm);
  return std::ranges::all_of(program_.comms[index], [&](int member) {
    return state.ranks[static_cast<std::size_t>(member)].calls[index] >= state.ranks[who].calls[index];
  });
}

bool CutModel::step_outside(CutState& state, std::size_t who) const {
  CutRank& me = state.ranks[who];
  const int comm = to_take_part_in(me);
  const auto index = static_cast<std::size_t>(comm);
  if (me.at == CutRank::stopped) {
    ++me.calls[index];
    me.at = CutRank::taking_part;
    return true;
  }
  if (!all_have_called(state, who, comm)) return false;
  me.acknowledged[index] = me.take_part;
  me.at = CutRank::stopped;
  return true;
}

/// Of its operation, which may have been withdrawn meanwhile.
void CutModel::come_out(CutState& state, std::size_t who) const {
  CutRank& me = state.ranks[who];
  const CutOp& what = op(me, who);
  const auto index = static_cast<std::size_t>(what.comm);
  if (what.kind != Kind::collective) return leave(state, who);
  const auto& members = program_.comms[index];
  if (me.announced[index] != me.acknowledged[index]) {
    for (const int member : members)
      if (state.ranks[static_cast<std::size_t>(member)].ended[index] > what.instance)
        violation_ = "an operation is withdrawn that a member has seen the end of";
    --me.begun[index];
    for (cut::Membership& one : me.memberships)
      if (one.id == id_of(what.comm)) --one.begun;
    me.at = CutRank::undoing;
    return;
  }
  for (const int member : members)
    if (state.ranks[static_cast<std::size_t>(member)].begun[index] <= what.instance)
      violation_ = "a rank takes dummy data for a result";
  leave(state, who);
}

bool CutModel::behind(const CutRank& rank) const {
  return flaw_ != CutFlaw::hold_those_behind && cut::behind(rank.memberships);
}

bool CutModel::look(CutState& state, std::size_t who) const {
  CutRank& me = state.ranks[who];
  const cut::Word word = state.agents[static_cast<std::size_t>(node_of_rank_[who])].word;
  const cut::Place place = is_collective(op(me, who).kind) ? cut::Place::collective : cut::Place::elsewhere;
  switch (cut::rank_move(word, behind(me), me.needed, false, place)) {
    case cut::RankMove::hold:
      return false;
    case cut::RankMove::stop:
      me.seen = word;
      me.was = me.at;
      me.at = CutRank::stopping;
      return true;
    default:
      me.at = CutRank::cleared;
      return true;
  }
}

/// Whoever waits for a message says so, once.
bool CutModel::look_inside(CutState& state, std::size_t who) const {
  CutRank& me = state.ranks[who];
  const CutOp& what = op(me, who);
  const cut::Word word = state.agents[static_cast<std::size_t>(node_of_rank_[who])].word;
  if (is_collective(what.kind) || !rings(word)) return false;
  if (me.waits_for != waits_for(what)) {
    me.waits_for = waits_for(what);
    return true;
  }
  if (!can_be_left(what.kind) ||
      cut::rank_move(word, behind(me), me.needed, false, cut::Place::elsewhere) != cut::RankMove::stop)
    return false;
  me.seen = word;
  me.was = me.at;
  me.at = CutRank::stopping;
  return true;
}

void CutModel::count(CutRank& rank, const CutOp& what) const {
  for (cut::Membership& one : rank.memberships) {
    if (one.id == id_of(what.comm)) ++one.begun;
  }
}

bool CutModel::start(CutState& state, std::size_t who) const {
  CutRank& me = state.ranks[who];
  const CutOp& what = op(me, who);
  if (is_collective(what.kind)) {
    if (state.arbiter.verdict().word.phase() == cut::Phase::decided)
      violation_ = "a rank begins something after the cut";
    ++me.begun[static_cast<std::size_t>(what.comm)];
    ++me.calls[static_cast<std::size_t>(what.comm)];
    me.finishing = what.kind == Kind::finish;
    me.at = CutRank::inside;
    if (flaw_ == CutFlaw::count_late) {
      me.at = CutRank::counting;
      return true;
    }
    count(me, what);
  } else if (what.kind == Kind::unlock) {
    state.locked = false;
  } else if (what.kind == Kind::lock) {
    me.uninterruptible = true;
  }
  me.at = CutRank::inside;
  return true;
}

bool CutModel::complete(const CutState& state, std::size_t who) const {
  const CutOp& what = op(state.ranks[who], who);
  const CutRank& peer = state.ranks[static_cast<std::size_t>(what.peer)];
  const auto at = static_cast<std::size_t>(what.peer_at);
  switch (what.kind) {
    case Kind::collective:
      return all_have_called(state, who, what.comm);
    case Kind::wait:
    case Kind::create:
    case Kind::finish:
      return std::ranges::all_of(program_.comms[static_cast<std::size_t>(what.comm)], [&](int member) {
        return state.ranks[static_cast<std::size_t>(member)].begun[static_cast<std::size_t>(what.comm)] > what.instance;
      });
    case Kind::ssend:
    case Kind::receive: {
      const bool away = peer.at == CutRank::stopping || peer.at == CutRank::stopped ||
                        peer.at == CutRank::taking_part || peer.at == CutRank::done;
      const bool there = (away ? peer.was : peer.at) == CutRank::inside;
      return peer.next > at || (peer.next == at && there);
    }
    case Kind::lock:
      return !state.locked;
    default:
      return true;
  }
}

void CutModel::leave(CutState& state, std::size_t who) const {
  CutRank& me = state.ranks[who];
  const CutOp& what = op(me, who);
  if (what.kind == Kind::lock) state.locked = true;
  if (is_collective(what.kind)) ++me.ended[static_cast<std::size_t>(what.comm)];
  if (what.kind == Kind::create && what.child >= 0) {
    const auto size = program_.comms[static_cast<std::size_t>(what.child)].size();
    me.memberships.push_back({.id = id_of(what.child), .size = static_cast<std::uint32_t>(size)});
  }
  if (what.kind == Kind::destroy)
    std::erase_if(me.memberships, [&](const auto& one) { return one.id == id_of(what.comm); });
  me.uninterruptible = false;
  me.waits_for = cut::nobody;
  me.was = CutRank::ready;
  ++me.next;
  me.at = what.kind == Kind::finish ? CutRank::finished : CutRank::ready;
}

// ------------------------------------------------------------------------------------------------------ the whole

void CutModel::release(CutState& state, std::uint16_t epoch, unsigned stable_rounds, unsigned withdrawal_rounds) {
  state.arbiter = cut::Arbiter(epoch, stable_rounds, withdrawal_rounds);
  for (CutAgent& agent : state.agents) {
    agent.at = CutAgent::waiting;
    agent.word = {};
    agent.give_up = false;
  }
  for (CutRank& rank : state.ranks) {
    if (rank.at == CutRank::done) rank.at = rank.was;
    std::ranges::fill(rank.announced, 0);
    std::ranges::fill(rank.acknowledged, 0);
    rank.take_part = 0;
  }
}

bool CutModel::all_at_cut(const CutState& state) const {
  return std::ranges::all_of(state.ranks, [](const CutRank& rank) { return rank.at == CutRank::done; });
}

bool CutModel::all_finished(const CutState& state) const {
  return std::ranges::all_of(state.ranks, [](const CutRank& rank) { return rank.at == CutRank::finished; });
}

bool CutModel::agents_done(const CutState& state) const {
  return std::ranges::all_of(state.agents, [](const CutAgent& agent) { return agent.at == CutAgent::done; });
}

std::string CutModel::key(const CutState& state) const {
  std::string bytes;
  const auto put = [&](auto... values) { ((bytes += static_cast<char>(values)), ...); };
  const std::uint64_t now = state.arbiter.verdict().word.turn();
  // Of turns only how long ago they were counts.
  const auto put_word = [&](cut::Word word) {
    put(word.phase(), rings(word) ? std::min<std::uint64_t>(now - word.turn(), 3) : 0);
  };
  const auto fewest_calls = [&](std::size_t comm) {
    const auto calls = [&](int member) { return state.ranks[static_cast<std::size_t>(member)].calls[comm]; };
    return std::ranges::min(program_.comms[comm], {}, calls);
  };
  for (const CutRank& rank : state.ranks) {
    for (std::size_t comm = 0; comm < program_.comms.size(); ++comm)
      put(rank.calls[comm] - state.ranks[static_cast<std::size_t>(fewest_calls(comm))].calls[comm], rank.ended[comm],
          rank.announced[comm] != rank.acknowledged[comm],
          rank.take_part != 0 && rank.announced[comm] == rank.take_part);
    put(rank.at, rank.was, rank.next, rank.uninterruptible, rank.needed, rank.waits_for, rank.memberships.size());
    put_word(rank.seen);
    put_word(rank.mark);
    for (const auto& one : rank.memberships) put(one.id, one.begun, one.target);
  }
  for (const CutAgent& agent : state.agents) {
    put(agent.at, agent.next, agent.give_up);
    put_word(agent.word);
    for (const cut::Report& one : agent.reports) {
      for (const auto& found : one.withdrawables)
        put(found.withdrawal.id, found.withdrawal.number, found.inside, found.outside);
      put(one.moving, one.uninterruptible, one.unacknowledged, one.withdrawables.size(), one.give_up.has_value(),
          one.standings.size(), one.waits.size());
      for (const auto& standing : one.standings) put(standing.id, standing.most);
      for (const auto& wait : one.waits) put(wait.whom, wait.presses);
    }
  }
  const auto& memory = state.arbiter.memory();
  put(state.arbiter.verdict().word.phase(), std::min(memory.unchanged, memory.stable_rounds), memory.stable_rounds,
      memory.waited_long, memory.despite_uninterruptible);
  if (memory.withdrawal_rounds < never_withdraw)
    put(std::min(memory.unchanged, memory.withdrawal_rounds), memory.withdrawal_rounds);
  for (const auto& [id, number] : memory.withdrawn) put(id, number);
  put(memory.withdrawn.size(), state.arbiter.verdict().take_part, state.arbiter.verdict().withdrawals.size());
  for (const auto& one : state.arbiter.verdict().withdrawals) put(one.id, one.number);
  for (const auto& one : memory.standings) put(one.id, one.most, one.holders, one.at_most);
  put(state.arbiter.verdict().all_needed, state.arbiter.verdict().needed.size(), state.locked);
  for (const int one : state.arbiter.verdict().needed) put(one);
  for (const auto& [id, target] : state.arbiter.verdict().targets) put(target);
  return bytes;
}

}  // namespace cppc::negotiation::test
