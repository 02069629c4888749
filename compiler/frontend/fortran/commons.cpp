#include "commons.hpp"

#include <algorithm>
#include <regex>

namespace cppc::fortran {

namespace {

using Kind = Expr::Kind;

constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kLargestNumber = 16;  ///< bytes of one of MPI's datatypes for Fortran's, but for complex(16)

bool is_of_common(const Program& program, const ExprPtr& e) {
  return e != nullptr && root(*e) != none && program.symbols[root(*e)].storage == Symbol::Storage::common;
}

/// A bound, when a call says it.
std::optional<std::int64_t> value_in(const ExprPtr& bound, const Procedure& callee, const Expr& call) {
  if (bound == nullptr) return {};
  if (bound->kind == Kind::constant) return bound->value;
  const auto dummy = std::ranges::find(callee.dummies, root(*bound));
  const auto i = static_cast<std::size_t>(dummy - callee.dummies.begin());
  const bool given = bound->kind == Kind::name && i < callee.dummies.size() && i < call.parts.size();
  const ExprPtr argument = given ? call.parts[i] : nullptr;
  return argument != nullptr && argument->kind == Kind::constant ? std::optional(argument->value) : std::nullopt;
}

/// How many elements an array has, if that is known.
std::optional<std::uint64_t> count_of(const Symbol& array, const Procedure& callee, const Expr& call) {
  std::uint64_t count = 1;
  for (const Bounds& one : array.bounds) {
    const auto low = value_in(one.lower, callee, call), high = value_in(one.upper, callee, call);
    if (!low || !high) return {};
    count *= static_cast<std::uint64_t>(std::max<std::int64_t>(*high - *low + 1, 0));
  }
  return count;
}

class Finder {
 public:
  Finder(Program& program, const ArgumentNames& names) : program_(program), names_(names) {}

  void run() {
    for (const Procedure& procedure : program_.procedures)
      for (const Statement& s : procedure.body) visit_expressions(s, [this](const Expr& e) { see(e); });
  }

 private:
  void see(const Expr& e) {
    if (e.kind == Kind::call && e.procedure != none) call(e);
    for (const ExprPtr& part : e.parts)
      if (part != nullptr) see(*part);
  }
  void call(const Expr& e) {
    const Procedure& callee = program_.procedures[e.procedure];
    if (callee.defined) return of_procedure(e, callee);
    const std::string& name = callee.linker_name;
    const auto found = names_.find(name.substr(0, name.find_last_not_of('_') + 1));
    if (found != names_.end()) of_mpi(e, found->second);
  }
  void of_procedure(const Expr& e, const Procedure& callee) {
    for (std::size_t i = 0; i < e.parts.size() && i < callee.dummies.size(); ++i) {
      if (callee.dummies[i] == none || !is_of_common(program_, e.parts[i])) continue;
      const Symbol &dummy = program_.symbols[callee.dummies[i]], &given = program_.symbols[root(*e.parts[i])];
      if (!dummy.array) continue;
      const auto count = count_of(dummy, callee, e);
      if (count && dummy.element != 0)
        take(root(*e.parts[i]), *count * dummy.element);
      else if (!given.array)
        take(root(*e.parts[i]), kAll);
    }
  }
  /// A buffer's count is the next argument that is one, and its datatype the one behind that, if it is not of another.
  void of_mpi(const Expr& e, const std::vector<std::vector<std::string>>& names) {
    const auto is = [&](std::size_t i, const std::regex& what) {
      const auto fits = [&](const std::string& name) { return std::regex_match(name, what); };
      return i < names.size() && std::ranges::any_of(names[i], fits);
    };
    static const std::regex buffer("buf|buffer|(send|recv|in|out|inout)buf|(origin|result)_addr"), count(".*count");
    for (std::size_t i = 0; i < e.parts.size(); ++i) {
      if (!is_of_common(program_, e.parts[i]) || !is(i, buffer)) continue;
      std::size_t at = i + 1;
      while (at < names.size() && !is(at, count)) ++at;
      take_counted(*e.parts[i], at + 1 < e.parts.size() ? e.parts[at] : nullptr,
                   at + 1 < e.parts.size() ? e.parts[at + 1] : nullptr);
    }
  }
  void take_counted(const Expr& buffer, const ExprPtr& count, const ExprPtr& type) {
    const bool known = count != nullptr && count->kind == Kind::constant && type != nullptr && root(*type) == none;
    const Symbol& given = program_.symbols[root(buffer)];
    if (known && count->value <= 1) return;
    if (known)
      take(root(buffer), static_cast<std::uint64_t>(count->value) *
                             (given.element != 0 && given.array ? given.element : kLargestNumber));
    else if (!given.array)
      take(root(buffer), kAll);
  }

  /// So many bytes from where it begins.
  void take(Index symbol, std::uint64_t bytes) {
    const Symbol& first = program_.symbols[symbol];
    for (const Index other : following(program_, symbol)) {
      Symbol& its = program_.symbols[other];
      if (its.offset - first.offset >= bytes) continue;
      its.aliased = true;
      if (its.unclear.empty()) its.unclear = "a call takes it together with " + first.name + ", which is before it";
    }
  }

  Program& program_;
  const ArgumentNames& names_;
};

}  // namespace

void settle_commons(Program& program, const ArgumentNames& names) { Finder(program, names).run(); }

}  // namespace cppc::fortran
