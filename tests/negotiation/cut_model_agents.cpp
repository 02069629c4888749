/// The agents of the model: they read their ranks, and publish what the arbiter concludes.
#include <algorithm>
#include <iterator>
#include <span>
#include <string>

#include "cut_model.hpp"

namespace cppc::negotiation::test {
namespace {

using Kind = CutOp::Kind;

bool holds(const CutRank& rank, int comm) {
  return std::ranges::any_of(rank.memberships, [&](const auto& one) { return one.id == id_of(comm); });
}

}  // namespace

bool CutModel::step_agent(CutState& state, std::size_t who) const {
  CutAgent& me = state.agents[who];
  const cut::Verdict& verdict = state.arbiter.verdict();
  switch (me.at) {
    case CutAgent::waiting:
      me.word = verdict.word;
      me.at = CutAgent::reading;
      return true;
    case CutAgent::reading:
      while (me.next < state.ranks.size() && node_of_rank_[me.next] != static_cast<int>(who)) ++me.next;
      if (me.next == state.ranks.size()) {
        me.next = 0;
        me.at = CutAgent::reported;
        if (std::ranges::all_of(state.agents, [](const auto& one) { return one.at == CutAgent::reported; }))
          evaluate(state);
      } else {
        read_rank(state, me);
      }
      return true;
    case CutAgent::reported:
      return false;
    case CutAgent::publishing:
      publish(state, who);
      me.at = CutAgent::ringing;
      return true;
    case CutAgent::ringing:
      me.word = verdict.word;
      if (flaw_ == CutFlaw::keep_turn && rings(me.word)) me.word = {me.word.phase(), 1, 1};
      me.at = rings(me.word) ? CutAgent::reading : CutAgent::done;
      return true;
    case CutAgent::done:
      return false;
  }
  return false;
}

void CutModel::publish(CutState& state, std::size_t who) const {
  const cut::Verdict& verdict = state.arbiter.verdict();
  for (std::size_t i = 0; i < state.ranks.size(); ++i) {
    if (node_of_rank_[i] != static_cast<int>(who)) continue;
    CutRank& rank = state.ranks[i];
    rank.needed = verdict.needs(static_cast<int>(i)) && flaw_ != CutFlaw::forget_waits;
    for (cut::Membership& one : rank.memberships) {
      const bool known = flaw_ != CutFlaw::forget_freed || one.begun >= verdict.target(one.id) ||
                         !std::ranges::any_of(state.arbiter.memory().standings, [&](const cut::Standing& standing) {
                           return standing.id == one.id && !standing.whole();
                         });
      one.target = known ? verdict.target(one.id) : 0;
      for (const cut::Withdrawal& withdrawal : verdict.withdrawals)
        if (withdrawal.id == one.id) rank.announced[one.id - 1] = verdict.announcement;
    }
    rank.take_part = verdict.take_part || flaw_ == CutFlaw::hurry ? verdict.announcement : 0;
  }
}

cut::Withdrawal CutModel::within(const CutRank& rank, std::size_t who) const {
  const CutOp& what = op(rank, who);
  if (rank.at != CutRank::inside || what.kind != Kind::collective) return {};
  return {id_of(what.comm), rank.begun[static_cast<std::size_t>(what.comm)], {1, 1}};
}

void CutModel::read_rank(const CutState& state, CutAgent& agent) const {
  const CutRank& rank = state.ranks[agent.next];
  std::uint32_t unacknowledged = 0;
  for (std::size_t comm = 0; comm < rank.announced.size(); ++comm)
    if (rank.announced[comm] != rank.acknowledged[comm]) ++unacknowledged;
  const cut::RankView view{.rank = static_cast<int>(agent.next),
                           .stopped = rank.mark == agent.word,
                           .inside = rank.uninterruptible,
                           .waits_for = rank.waits_for,
                           .within = within(rank, agent.next),
                           .unacknowledged = unacknowledged,
                           .memberships = rank.memberships};
  agent.reports.push_back(cut::report(std::span(&view, 1), agent.word.phase()));
  if (flaw_ == CutFlaw::decide_on_closing && agent.word.phase() == cut::Phase::closing) agent.reports.back().moving = 0;
  if (rank.finishing) agent.reports.back().give_up = Reason{CPPC_ERR_REFUSED, view.rank};
  if (agent.give_up) agent.reports.back().give_up = Reason{};
  ++agent.next;
}

void CutModel::evaluate(CutState& state) const {
  std::vector<cut::Report> all;
  for (CutAgent& agent : state.agents) {
    std::ranges::move(agent.reports, std::back_inserter(all));
    agent.reports.clear();
    agent.at = CutAgent::publishing;
  }
  if (state.arbiter.evaluate(all).word.phase() == cut::Phase::decided) check_cut(state);
}

void CutModel::check_cut(const CutState& state) const {
  for (std::size_t i = 0; i < state.ranks.size(); ++i) {
    const CutRank& rank = state.ranks[i];
    if (rank.at != CutRank::stopped && rank.at != CutRank::taking_part)
      violation_ = "rank " + std::to_string(i) + " has not stopped";
    if (rank.was == CutRank::inside && !can_be_left(op(rank, i).kind)) violation_ = "a rank has stopped inside a call";
  }
  for (std::size_t comm = 0; comm < program_.comms.size(); ++comm) {
    const auto& members = program_.comms[comm];
    const CutRank& first = state.ranks[static_cast<std::size_t>(members.front())];
    for (const int member : members) {
      const CutRank& rank = state.ranks[static_cast<std::size_t>(member)];
      if (rank.begun[comm] != first.begun[comm] ||
          holds(rank, static_cast<int>(comm)) != holds(first, static_cast<int>(comm)))
        violation_ = "the cut splits an operation of communicator " + std::to_string(comm);
    }
  }
}

}  // namespace cppc::negotiation::test
