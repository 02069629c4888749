// What code that is not known has been given before the program comes to a step.

#include <algorithm>

#include "flow_graph.hpp"

namespace cppc::fortran {

/// Goes back from a step through all that may have been executed before, and gathers calls of what is not known.
class Flow::Before {
 public:
  explicit Before(const Flow& flow) : flow_(flow) {
    for (Index p = 0; p < flow_.entered_.size(); ++p)
      if (flow_.entered_[p]) inside(p);  // whenever code that is not known calls it
  }

  std::vector<const Expr*> calls;
  bool anything = false;  ///< they are not all known

  /// `self`: the step itself, too.
  void run(Index p, const Step& step) {
    const auto [block, index] = place(p, [&](const Step& one) { return &one == &step; });
    steps(p, block, index + 1);
    predecessors(p, block);
  }

 private:
  template <typename Is>
  std::pair<std::size_t, std::size_t> place(Index p, Is is) const {
    const auto& blocks = flow_.graphs_[p]->blocks;
    for (std::size_t b = 0; b < blocks.size(); ++b)
      for (std::size_t i = 0; i < blocks[b].steps.size(); ++i)
        if (is(blocks[b].steps[i])) return {b, i};
    return {Graph::entry, 0};
  }
  void steps(Index p, std::size_t block, std::size_t count) {
    const auto& list = flow_.graphs_[p]->blocks[block].steps;
    for (std::size_t i = 0; i < count; ++i) see(list[i]);
  }
  void see(const Step& step) {
    if (step.kind == Step::Kind::everything) anything = true;
    if (step.kind == Step::Kind::outside) calls.push_back(step.call);
    if (step.kind == Step::Kind::call) inside(step.call->procedure);
  }
  void inside(Index p) {
    if (!inside_.insert(p).second) return;
    for (const Graph::Block& block : flow_.graphs_[p]->blocks)
      for (const Step& step : block.steps) see(step);
  }
  void predecessors(Index p, std::size_t block) {
    for (const std::size_t before : flow_.graphs_[p]->blocks[block].predecessors) all_of(p, before);
    if (block == Graph::entry) callers(p);
  }
  void all_of(Index p, std::size_t block) {
    if (!seen_.insert({p, block}).second) return;
    steps(p, block, flow_.graphs_[p]->blocks[block].steps.size());
    predecessors(p, block);
  }
  void callers(Index p) {
    if (!entries_.insert(p).second || flow_.program_.procedures[p].is_main) return;
    anything = anything || flow_.entered_[p];
    for (const auto& [caller, call] : flow_.callers_[p]) {
      const Expr* wanted = call;
      const auto [block, index] =
          place(caller, [wanted](const Step& one) { return one.kind == Step::Kind::call && one.call == wanted; });
      steps(caller, block, index);
      predecessors(caller, block);
    }
  }

  const Flow& flow_;
  std::set<Index> inside_, entries_;
  std::set<std::pair<Index, std::size_t>> seen_;
};

std::set<Index> Flow::given_before(Index p, const Step& step) const {
  Before before(*this);
  before.run(p, step);
  if (before.anything) return given_;
  std::set<Index> given = of_hosts_;
  give(before.calls, given);
  add_parts(given);
  return given;
}

}  // namespace cppc::fortran
