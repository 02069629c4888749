#include "program_structure.hpp"

#include <algorithm>

namespace cppc::analysis {

ProgramStructure::ProgramStructure(const ir::Program& program, const PointsTo& points_to)
    : program_(program), points_to_(points_to), calls_(program.functions.size()), loops_(program.functions.size()) {
  for (ir::Index c = 0; c < program.calls.size(); ++c)
    if (program.calls[c].caller != ir::none) calls_[program.calls[c].caller].push_back(c);
  for (ir::Index l = 0; l < program.loops.size(); ++l) loops_[program.loops[l].function].push_back(l);
}

void ProgramStructure::follow(ir::Index c, std::set<ir::Index>& reached, std::vector<ir::Index>& work) const {
  for (const ir::Index callee : points_to_.callees(c))
    if (reached.insert(callee).second) work.push_back(callee);
}

void ProgramStructure::follow_all(std::set<ir::Index>& reached, std::vector<ir::Index>& work) const {
  while (!work.empty()) {
    const ir::Index f = work.back();
    work.pop_back();
    for (const ir::Index c : calls_[f]) follow(c, reached, work);
  }
}

std::set<ir::Index> ProgramStructure::reached_from(ir::Index l) const {
  const ir::Loop& loop = program_.loops[l];
  std::set<ir::Index> reached;
  std::vector<ir::Index> work;
  for (const ir::Index c : calls_[loop.function])
    if (program_.calls[c].order > loop.begin && program_.calls[c].order <= loop.end) follow(c, reached, work);
  follow_all(reached, work);
  return reached;
}

bool ProgramStructure::allocates(ir::Index f) const {
  return std::ranges::any_of(calls_[f], [this](ir::Index c) { return program_.calls[c].block != ir::nothing; });
}

double ProgramStructure::statements_in(const std::set<ir::Index>& functions) const {
  double count = 0;
  for (const ir::Index f : functions) {
    count += program_.functions[f].statements;
    for (const ir::Index inner : loops_[f]) count += program_.loops[inner].statements;
  }
  return count;
}

double ProgramStructure::statements_reached_from(ir::Index l) const { return statements_in(reached_from(l)); }

double ProgramStructure::statements_of_program() const {
  std::set<ir::Index> reached{program_.entry()};
  std::vector<ir::Index> work{program_.entry()};
  follow_all(reached, work);
  return statements_in(reached);
}

bool ProgramStructure::follows(ir::Index first, ir::Index second) const {
  const ir::Function& function = program_.functions[program_.calls[first].caller];
  std::set<ir::Index> reached;
  std::vector<ir::Index> work;
  const auto has = [&](ir::Index block, ir::Index call) {
    return std::ranges::any_of(function.blocks[block].instructions,
                               [&](const auto& i) { return i.op == ir::Op::call && i.index == call; });
  };
  for (ir::Index b = 0; b < function.blocks.size(); ++b)
    if (has(b, first)) work.push_back(b);
  while (!work.empty()) {
    const ir::Index b = work.back();
    work.pop_back();
    if (has(b, second)) return true;
    for (const ir::Index next : function.blocks[b].successors)
      if (reached.insert(next).second) work.push_back(next);
  }
  return false;
}

}  // namespace cppc::analysis
