#include "goto_loops.hpp"

#include <algorithm>
#include <iterator>

namespace cppc::fortran {

namespace {

using Kind = Statement::Kind;
using Position = Statements::iterator;

template <class Visit>  // of all statements of a list, those inside of others too
void each(Statements& list, Visit visit) {
  for (Statement& one : list) {
    visit(one);
    for (Case& its : one.cases) each(its.body, visit);
    each(one.body, visit);
  }
}

bool goes_only_to(const Statement& one, Index label) {
  return one.kind == Kind::jump && !one.falls_through && one.labels.size() == 1 && one.labels.front() == label;
}

bool goes_to(const Statement& one, Index label) { return std::ranges::find(one.labels, label) != one.labels.end(); }

/// IF (...) GOTO label
bool goes_to_if(const Statement& one, Index label) {
  return one.kind == Kind::branch && one.cases.size() == 1 && !one.complete && !one.team &&
         !one.cases.front().body.empty() && goes_only_to(one.cases.front().body.back(), label);
}

class GotoLoops {
 public:
  explicit GotoLoops(Procedure& procedure) : procedure_(procedure) {
    each(procedure.body, [this](const Statement& one) {
      if (one.construct != none) next_ = std::max(next_, one.construct + 1);
      for (const Index label : one.labels) ++jumps_[label];
    });
  }

  void run() { look(procedure_.body, false); }

 private:
  void look(Statements& list, bool in_team) {
    for (Position at = list.begin(); at != list.end(); ++at) {
      if (at->kind == Kind::label && at->inside.line != 0) make_loop(list, at, in_team);
      for (Case& its : at->cases) look(its.body, in_team || at->team);
      look(at->body, in_team);
    }
  }

  /// The last statement that goes back; the end when none does.
  static Position back_to(Statements& list, Position label) {
    Position last = list.end();
    for (Position at = std::next(label); at != list.end(); ++at)
      if (goes_only_to(*at, label->label) || goes_to_if(*at, label->label)) last = at;
    return last;
  }

  void make_loop(Statements& list, Position label, bool in_team) {
    const Position last = back_to(list, label);
    if (last == list.end()) return;
    const bool conditional = last->kind == Kind::branch;
    Statement loop{.kind = Kind::loop, .place = label->place, .inside = label->inside};
    loop.construct = next_;
    loop.labelled = label->labelled;
    loop.label = label->label;
    if (in_team) loop.obstacle = "several threads may pass through it";
    const Position begin = std::next(label), behind = std::next(last);
    loop.body.splice(loop.body.end(), list, begin, behind);
    if (!is_closed(loop.body, label->label)) {
      list.splice(behind, loop.body);
      return;
    }
    each(loop.body, [&](Statement& one) {
      if (goes_only_to(one, label->label)) one = {.kind = Kind::cycle, .place = one.place, .label = next_};
    });
    if (conditional) loop.body.push_back({.kind = Kind::leave, .place = loop.body.back().place, .label = next_});
    ++next_;
    list.insert(behind, std::move(loop));
  }

  /// Whether nobody outside goes to labels in it, and who goes back to the beginning goes nowhere else.
  bool is_closed(Statements& body, Index beginning) const {
    std::map<Index, std::size_t> jumps;
    std::set<Index> labels;
    bool closed = true;
    each(body, [&](const Statement& one) {
      for (const Index label : one.labels) ++jumps[label];
      if (one.kind == Kind::label) labels.insert(one.label);
      closed = closed && (!goes_to(one, beginning) || goes_only_to(one, beginning));
    });
    return closed && std::ranges::all_of(labels, [&](Index label) {
             const auto all = jumps_.find(label);
             return all == jumps_.end() || jumps[label] == all->second;
           });
  }

  Procedure& procedure_;
  Index next_ = 0;                      ///< number of the next construct
  std::map<Index, std::size_t> jumps_;  ///< by label
};

}  // namespace

void find_goto_loops(Program& program) {
  for (Procedure& procedure : program.procedures) GotoLoops(procedure).run();
}

}  // namespace cppc::fortran
