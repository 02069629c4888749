#include "pointers.hpp"

#include <algorithm>
#include <numeric>

#include "lower.hpp"

namespace cppc::fortran {

namespace {

using Descriptor = Symbol::Descriptor;
using Storage = Symbol::Storage;

/// Variables that perhaps lead to the same memory, by classes; one class for what leads anywhere.
class Classes {
 public:
  explicit Classes(const Program& program) : leaders_(program.symbols.size() + 1), sizes_(leaders_.size(), 1) {
    std::iota(leaders_.begin(), leaders_.end(), Index{0});
  }

  [[nodiscard]] Index anywhere() const { return static_cast<Index>(leaders_.size() - 1); }
  Index of(Index symbol) {
    while (leaders_[symbol] != symbol) symbol = leaders_[symbol] = leaders_[leaders_[symbol]];
    return symbol;
  }
  bool is_shared(Index symbol) { return of(symbol) == of(anywhere()) || sizes_[of(symbol)] > 1; }
  bool join(Index one, Index other) {
    one = of(one);
    other = of(other);
    if (one == other) return false;
    leaders_[one] = other;
    sizes_[other] += sizes_[one];
    return true;
  }

 private:
  std::vector<Index> leaders_, sizes_;
};

class Names {
 public:
  explicit Names(const Program& program) : program_(program), classes_(program) {}

  Classes run() {
    for (Index symbol = 0; symbol < program_.symbols.size(); ++symbol) add(symbol);
    for (const auto& [pointer, target] : program_.associations) lead(pointer, target);
    for (const Procedure& procedure : program_.procedures) {
      for (const ExprPtr& size : procedure.sizes) see(size);
      statements(procedure.body);
    }
    for (const Index bound : program_.bound) called_from_anywhere(bound);
    for (Index p = 0; p < program_.procedures.size(); ++p)
      if (program_.procedures[p].defined && named_outside(program_, program_.procedures[p].linker_name))
        called_from_anywhere(p);
    if (opens_)
      for (const Expr* call : outside_) spread(*call);
    for (bool grew = true; grew;) grew = follow_arguments();
    return classes_;
  }

 private:
  void add(Index index) {
    const Symbol& symbol = program_.symbols[index];
    if (symbol.anywhere || named_outside(program_, symbol.linker_name)) classes_.join(index, classes_.anywhere());
    if (symbol.part_of != none && program_.symbols[symbol.part_of].whole) classes_.join(index, symbol.part_of);
  }
  void statements(const Statements& list) {
    for (const Statement& s : list) {
      for (const ExprPtr& e : {s.target, s.value, s.low, s.high, s.step}) see(e);
      if (s.copies) lead(s.target, s.value);
      for (const ExprPtr& e : s.expressions) see(e);
      for (const Case& one : s.cases) {
        see(one.condition);
        statements(one.body);
      }
      statements(s.body);
    }
  }
  void see(const ExprPtr& e) {
    if (e == nullptr) return;
    if (e->kind == Expr::Kind::call) call(*e);
    for (const ExprPtr& part : e->parts) see(part);
  }
  void call(const Expr& e) {
    if (e.word == "(address)") return called_from_anywhere(e.procedure);
    if (e.word == "move_alloc" && e.parts.size() > 1) return lead(e.parts[0], e.parts[1]);
    if (e.word == "transfer" && !e.parts.empty()) spread_pointers_in(e.parts.front());
    opens_ = opens_ || e.word.ends_with("c_f_pointer");
    if (!e.word.empty()) return;
    if (e.procedure == none) return spread(e);  // it may be any procedure
    const Procedure& callee = program_.procedures[e.procedure];
    if (!callee.defined) return call_outside(e, callee);
    calls_.push_back(&e);
    for (std::size_t i = 0; i < e.parts.size(); ++i)
      if (e.parts[i] != nullptr && !is_plain(callee, i)) lead(e.parts[i], dummy_of(callee, i));
  }
  void call_outside(const Expr& e, const Procedure& callee) {
    if (models::is_of_mpi(callee.linker_name) || is_of_runtime(callee.linker_name)) return;
    opens_ = opens_ || callee.takes_pointers;
    outside_.push_back(&e);
    for (const ExprPtr& argument : e.parts)
      if (argument != nullptr && root(*argument) != none && leads_on(root(*argument))) spread(*argument);
  }
  /// Whether there may be pointers in it, or it is something that pointers may lead to.
  [[nodiscard]] bool leads_on(Index symbol) const {
    return !program_.symbols[symbol].unclear.empty() || !program_.symbols[symbol].parts.empty();
  }
  [[nodiscard]] bool is_plain(const Procedure& callee, std::size_t i) const {
    const Index dummy = dummy_of(callee, i);
    return dummy != none && program_.symbols[dummy].unclear.empty();
  }
  static Index dummy_of(const Procedure& callee, std::size_t i) {
    return i < callee.dummies.size() ? callee.dummies[i] : none;
  }
  void called_from_anywhere(Index procedure) {
    if (procedure == none) return;
    for (const Index dummy : program_.procedures[procedure].dummies)
      if (dummy != none && leads_on(dummy)) classes_.join(dummy, classes_.anywhere());
  }
  void lead(const ExprPtr& one, Index other) {
    const Index symbol = root(*one);
    if (symbol != none && other != none)
      classes_.join(symbol, other);
    else
      spread(*one);
    if (symbol == none && other != none && has_names(*one)) classes_.join(other, classes_.anywhere());
  }
  void lead(const ExprPtr& one, const ExprPtr& other) {
    if (one == nullptr || other == nullptr) return;
    if (root(*one) != none && root(*other) != none) {
      classes_.join(root(*one), root(*other));
      return;
    }
    if (!has_names(*other)) return;
    spread(*one);
    spread(*other);
  }
  static bool has_names(const Expr& e) {
    return e.kind == Expr::Kind::name || e.kind == Expr::Kind::call ||
           std::ranges::any_of(e.parts, [](const ExprPtr& part) { return part != nullptr && has_names(*part); });
  }
  /// As numbers they may come back by any name.
  void spread_pointers_in(const ExprPtr& e) {
    const Index symbol = e != nullptr ? root(*e) : none;
    if (symbol != none && program_.symbols[symbol].element == 0) spread(*e);
  }
  void spread(const Expr& e) {
    if (e.kind == Expr::Kind::name) classes_.join(e.symbol, classes_.anywhere());
    for (const ExprPtr& part : e.parts)
      if (part != nullptr) spread(*part);
  }
  /// Arguments that procedures have made other names of, although they are neither pointers nor targets there.
  bool follow_arguments() {
    bool grew = false;
    for (const Expr* call : calls_) {
      const Procedure& callee = program_.procedures[call->procedure];
      for (std::size_t i = 0; i < call->parts.size() && i < callee.dummies.size(); ++i) {
        const Index dummy = callee.dummies[i], given = call->parts[i] != nullptr ? root(*call->parts[i]) : none;
        if (dummy != none && given != none && classes_.is_shared(dummy)) grew |= classes_.join(given, dummy);
      }
    }
    return grew;
  }

  const Program& program_;
  Classes classes_;
  std::vector<const Expr*> calls_, outside_;
  bool opens_ = false;  ///< pointers may come from what code that is not known has been given
};

/// Whether its memory may be gone while pointers still lead there.
bool may_be_freed(const Program& program, Index index) {
  const Symbol& symbol = program.symbols[index];
  if (program.freed.contains(index)) return true;
  return symbol.storage == Storage::local && symbol.descriptor != Descriptor::pointer;
}

}  // namespace

bool named_outside(const Program& program, const std::string& linker_name) {
  if (linker_name.empty()) return false;
  return program.has_entries || !program.outside || program.outside->contains(linker_name);
}

bool used_by_others(const Program& program, const std::string& linker_name) {
  return !linker_name.empty() && program.outside && program.outside->contains(linker_name);
}

void settle_pointers(Program& program) {
  const auto is_pointer = [&](Index symbol) {
    return program.symbols[symbol].descriptor == Descriptor::pointer && program.symbols[symbol].unclear.empty();
  };
  Classes classes = Names(program).run();
  std::map<Index, std::vector<Index>> members;
  for (Index symbol = 0; symbol < program.symbols.size(); ++symbol) members[classes.of(symbol)].push_back(symbol);
  const bool known = !program.pointers_unclear && !program.incomplete && !program.has_entries;
  std::set<Index> lost;
  for (const auto& [leader, symbols] : members)
    if (!known || leader == classes.of(classes.anywhere()) ||
        std::ranges::any_of(symbols, [&](Index symbol) { return may_be_freed(program, symbol); }))
      lost.insert(leader);
  for (Index index = 0; index < program.symbols.size(); ++index) {
    Symbol& symbol = program.symbols[index];
    if (!is_pointer(index) || (!symbol.shared && !classes.is_shared(index))) continue;
    if (lost.contains(classes.of(index))) {
      symbol.unclear = "it is a pointer, and others may lead there";
      continue;
    }
    symbol.doubtful = true;
    for (const Index other : members[classes.of(index)])
      if (other != index) {
        symbol.mates.push_back(other);
        program.symbols[other].pointers.push_back(index);
      }
  }
}

}  // namespace cppc::fortran
