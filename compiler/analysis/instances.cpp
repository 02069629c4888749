#include "instances.hpp"

#include <algorithm>

namespace cppc::analysis {

using ir::Index;
using ir::Op;

namespace {

/// Instructions of a function, and instances of one: it is looked at as often.
constexpr std::size_t kMostInstructions = 300, kMostInstances = 64;

class Chooser {
 public:
  Chooser(ir::Program& program, const models::Models& models, const PointsTo& points_to)
      : program_(program), models_(models), points_to_(points_to), chosen_(program.functions.size()) {}

  void run() {
    find_callers();
    for (Index f = 0; f < program_.functions.size(); ++f) chosen_[f] = makes(f) && only_called(f) && simple(f);
    for (Index f = 0; f < program_.functions.size(); ++f) drop_what_goes_in_circles(f);
    for (Index f = 0; f < program_.functions.size(); ++f) chosen_[f] = chosen_[f] && count(f) <= kMostInstances;
    for (Index f = 0; f < program_.functions.size(); ++f)
      if (!chosen_[f]) add_calls_of(f, ir::none);
  }

 private:
  void find_callers();
  bool makes(Index f) const;
  bool only_called(Index f) const;
  bool simple(Index f) const;
  void drop_what_goes_in_circles(Index f);
  std::size_t count(Index f) const;
  void add_calls_of(Index f, Index within);

  [[nodiscard]] bool chosen(Index callee) const { return callee != ir::none && chosen_[callee]; }
  template <typename Visit>
  void each_call(Index f, Visit visit) const {
    for (const auto& block : program_.functions[f].blocks)
      for (const auto& instruction : block.instructions)
        if (instruction.op == Op::call) visit(instruction.index);
  }

  ir::Program& program_;
  const models::Models& models_;
  const PointsTo& points_to_;
  std::vector<bool> chosen_, address_taken_;
  std::vector<std::vector<Index>> callers_;  ///< functions, as often as they call it
};

void Chooser::find_callers() {
  callers_.resize(program_.functions.size());
  address_taken_.resize(program_.functions.size());
  for (Index f = 0; f < program_.functions.size(); ++f)
    each_call(f, [&](Index c) {
      if (program_.calls[c].callee != ir::none) callers_[program_.calls[c].callee].push_back(f);
    });
  for (const ir::Object& o : program_.objects)
    if (o.storage == ir::Storage::function) address_taken_[o.function] = true;
}

/// Whether its result leads to a block that it allocates.
bool Chooser::makes(Index f) const {
  const ir::Function& function = program_.functions[f];
  if (!function.defined || callers_[f].size() < 2) return false;
  for (const unsigned object : points_to_[function.result]) {
    const ir::Object& o = program_.objects[object];
    if (o.storage == ir::Storage::heap && o.function == f) return true;
  }
  return false;
}

bool Chooser::only_called(Index f) const { return !address_taken_[f] && !ir::may_begin_in(program_.functions[f].name); }

/// Whether it calls others by their names only, none of which calls back, and makes no number of an address.
bool Chooser::simple(Index f) const {
  std::size_t size = 0;
  Objects temporaries;
  bool all = true;
  for (const auto& block : program_.functions[f].blocks)
    for (const auto& instruction : block.instructions) {
      ++size;
      temporaries.set(instruction.a);
      if (instruction.op != Op::call) continue;
      const ir::Call& call = program_.calls[instruction.index];
      const models::Model* model = models_.find(call.name);
      all = all && call.pointer == ir::nothing && (model == nullptr || model->callback < 0);
    }
  for (const ir::Node number : program_.addresses_as_numbers) all = all && !temporaries.test(number);
  return all && size <= kMostInstructions;
}

void Chooser::drop_what_goes_in_circles(Index f) {
  if (!chosen_[f]) return;
  Objects seen;
  std::vector<Index> work{f};
  while (!work.empty()) {
    const Index g = work.back();
    work.pop_back();
    each_call(g, [&](Index c) {
      const Index callee = program_.calls[c].callee;
      if (callee == f) chosen_[f] = false;
      if (callee != ir::none && program_.functions[callee].defined && seen.test_and_set(callee)) work.push_back(callee);
    });
  }
}

/// Its instances.
std::size_t Chooser::count(Index f) const {
  std::size_t all = 0;
  for (const Index caller : callers_[f]) {
    all += chosen_[caller] ? count(caller) : 1;
    if (all > kMostInstances) break;
  }
  return all;
}

void Chooser::add_calls_of(Index f, Index within) {
  each_call(f, [&](Index c) {
    const Index callee = program_.calls[c].callee;
    if (!chosen(callee) || program_.calls[c].block != ir::nothing) return;
    const auto made = static_cast<Index>(program_.instances.size());
    program_.instances.push_back({.function = callee, .call = c, .within = within, .blocks = {}});
    each_call(callee, [&](Index inner) {
      const ir::Call& call = program_.calls[inner];
      if (call.block == ir::nothing) return;
      const ir::Node block = program_.add(program_.objects[call.block], program_.names.at(call.block), call.where);
      program_.instances[made].blocks.emplace(call.block, block);
    });
    add_calls_of(callee, made);
  });
}

}  // namespace

bool add_instances(ir::Program& program, const models::Models& models, const PointsTo& points_to) {
  Chooser(program, models, points_to).run();
  return !program.instances.empty();
}

}  // namespace cppc::analysis
