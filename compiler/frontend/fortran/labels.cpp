#include "labels.hpp"

namespace cppc::fortran {

namespace {

void find_targets(const Statements& list, std::set<Index>& targets) {
  for (const Statement& s : list) {
    targets.insert(s.labels.begin(), s.labels.end());
    for (const Case& one : s.cases) find_targets(one.body, targets);
    find_targets(s.body, targets);
  }
}

void drop_labels(Statements& list, const std::set<Index>& targets) {
  std::erase_if(list,
                [&](const Statement& s) { return s.kind == Statement::Kind::label && !targets.contains(s.label); });
  for (Statement& s : list) {
    for (Case& one : s.cases) drop_labels(one.body, targets);
    drop_labels(s.body, targets);
  }
}

}  // namespace

void drop_unused_labels(Program& program) {
  for (Procedure& procedure : program.procedures) {
    std::set<Index> targets;
    find_targets(procedure.body, targets);
    drop_labels(procedure.body, targets);
  }
}

}  // namespace cppc::fortran
