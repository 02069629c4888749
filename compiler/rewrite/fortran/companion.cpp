#include "companion.hpp"

#include <algorithm>
#include <deque>
#include <optional>

namespace cppc::rewrite::fortran {

using namespace cppc::fortran;

namespace {

/// What the routines are made of. Numbers are evaluated where the program need not come to them: what cannot be said
/// then is noted, and nothing is dead.
constexpr const char* kHelpers = R"(/* Written by cppc: what the program does at its safe points. */
#include <cppc/cppc.h>

struct cppc_rows { char* object; long size, from, to, pieces, steps; int alone, wrong; };

static long cppc_divide(struct cppc_rows* rows, long a, long b) {
  if (b == 0) rows->wrong = 1;
  return b == 0 ? 0 : a / b;
}

/* A block or variable that there is not has no address. */
static char* cppc_member(char* block, long offset) { return block != 0 ? block + offset : 0; }

static long cppc_max(long a, long b) { return a > b ? a : b; }
static long cppc_min(long a, long b) { return a < b ? a : b; }

static long cppc_number(struct cppc_rows* rows, const char* object, long size, long offset, int bytes) {
  if (object == 0 || offset < 0 || offset + bytes > size) {
    rows->wrong = 1;
    return 0;
  }
  object += offset;
  return bytes == 8 ? *(const long*)object : bytes == 4 ? *(const int*)object
       : bytes == 2 ? *(const short*)object : *(const signed char*)object;
}

static void cppc_flush(struct cppc_rows* rows) {
  if (rows->alone && rows->pieces > 0 && rows->to > rows->from)
    cppc_dead_range(rows->object + rows->from, (size_t)(rows->to - rows->from));
}

static void cppc_row(struct cppc_rows* rows, long from, long bytes) {
  long to = from + bytes;
  if (rows->wrong || bytes <= 0) return;
  if (from < 0) from = 0;
  if (to > rows->size) to = rows->size;
  if (from >= to) return;
  if (rows->pieces > 0 && from == rows->to) {
    rows->to = to;
    return;
  }
  cppc_flush(rows);
  rows->from = from;
  rows->to = to;
  ++rows->pieces;
}

static int cppc_too_many(struct cppc_rows* rows) {
  if (++rows->steps > 100000000) rows->wrong = 1;
  return rows->wrong;
}

static void cppc_both(struct cppc_rows* rows, long* from, long* to) {
  if (rows->wrong || rows->pieces != 1) *to = *from;
  *from = cppc_max(*from, rows->from);
  *to = cppc_min(*to, rows->to);
  rows->from = rows->to = rows->pieces = rows->steps = 0;
  rows->wrong = 0;
}

)";

/// What names of one procedure are, where a way leads through it.
struct Scope {
  std::map<Index, std::pair<ExprPtr, const Scope*>> values;
};

class Writer {
 public:
  Writer(const Program& program, const Flow& flow, Point& point, std::set<std::string>& externals)
      : program_(program), flow_(flow), point_(point), externals_(externals) {}

  void run(const std::map<Index, Fate>& fates) {
    std::string body;
    for (const auto& [symbol, fate] : fates) body += array(symbol, fate);
    std::string parameters;
    for (std::size_t i = 0; i < point_.arguments.size(); ++i)
      parameters += (i > 0 ? ", char* a" : "char* a") + std::to_string(i);
    point_.code = "void " + point_name(point_.number) + "_(" + (parameters.empty() ? "void" : parameters) +
                  ") {\n  if (cppc_safe_point(" + std::to_string(point_.number) + ")) {\n" + body +
                  "    cppc_stop_here();\n  }\n}\n\n";
  }

 private:
  struct Place {
    Index object;
    std::string offset;  ///< in bytes
  };

  std::string array(Index symbol, const Fate& fate) {
    const Symbol& object = program_.symbols[symbol];
    if (object.bytes == 0 || object.element == 0 || is_padded(object)) return {};
    const std::size_t arguments = point_.arguments.size();
    const std::set<std::string> externals = externals_;
    possible_ = true;
    const std::string at = base(symbol), size = std::to_string(object.bytes);
    std::string code;
    if (fate.by.empty()) {
      code = "    if (" + at + ") cppc_dead_range(" + at + ", " + size + ");\n";
    } else {
      std::set<std::string> regions;  // several ways may lead to one
      for (const std::size_t number : fate.by)
        if (flow_.overwritten(number).region != nullptr) regions.insert(region(flow_.overwritten(number)));
      const bool alone = regions.size() == 1;
      code = "    if (" + at + ") {\n      struct cppc_rows rows = {" + at + ", " + size + ", 0, 0, 0, 0, " +
             (alone ? "1" : "0") + ", 0};\n" + (alone ? "" : "      long from = 0, to = " + size + ";\n");
      for (const std::size_t number : fate.by)
        if (flow_.overwritten(number).region == nullptr) code += condition(flow_.overwritten(number), alone);
      for (const std::string& one : regions) code += one + (alone ? "" : "      cppc_both(&rows, &from, &to);\n");
      code += alone ? "      cppc_flush(&rows);\n"
                    : "      if (from < to) cppc_dead_range(" + at + " + from, (size_t)(to - from));\n";
      code += "    }\n";
    }
    if (!possible_) {
      point_.arguments.resize(arguments);
      externals_ = externals;
      return {};
    }
    point_.dead.push_back(
        {object.name, object.bytes, fate.by.empty() ? "not read any more" : "overwritten before it is read"});
    return code;
  }

  /// Numbers of ten bytes take up more.
  static bool is_padded(const Symbol& array) { return array.element % 10 == 0; }

  std::string fail() {
    possible_ = false;
    return "0";
  }

  /// Where an object begins, in C.
  std::string base(Index symbol) {
    const Symbol& object = program_.symbols[symbol];
    if (!object.linker_name.empty()) {
      externals_.insert(object.linker_name);
      return "cppc_member(" + object.linker_name + ", " + std::to_string(object.offset) + ")";
    }
    const auto found = std::ranges::find(point_.arguments, object.name);
    const auto number = found - point_.arguments.begin();
    if (found == point_.arguments.end()) point_.arguments.push_back(object.name);
    return "a" + std::to_string(number);
  }

  /// Without it nothing is dead.
  std::string condition(const Overwritten& overwritten, bool alone) {
    const std::deque<Scope> scopes = scopes_of(overwritten);
    const std::string text = number(overwritten.condition, scopes.back());
    return "      if (" + std::string(overwritten.holds ? "!" : "") + "(" + text + ") || rows.wrong) " +
           (alone ? "rows.wrong = 1;\n" : "to = 0;\n");
  }

  std::string region(const Overwritten& overwritten) {
    const std::deque<Scope> scopes = scopes_of(overwritten);
    return rows(*overwritten.region, scopes.back());
  }

  [[nodiscard]] std::deque<Scope> scopes_of(const Overwritten& overwritten) const {
    std::deque<Scope> scopes(1);
    for (const Link& link : overwritten.links) {
      const Scope& outer = scopes.back();
      Scope made;
      if (link.call == nullptr) {
        made = outer;
        made.values[link.variable] = {link.value, &outer};
      } else {
        const auto& dummies = program_.procedures[link.callee].dummies;
        for (std::size_t i = 0; i < dummies.size() && i < link.call->parts.size(); ++i)
          if (dummies[i] != none && link.call->parts[i] != nullptr)
            made.values[dummies[i]] = {link.call->parts[i], &outer};
      }
      scopes.push_back(std::move(made));
    }
    return scopes;
  }

  std::string rows(const Region& region, const Scope& scope) {
    counters_.clear();
    std::string code = "      do {\n";
    for (const auto& [low, high] : region.ordered)
      code += "        if (" + number(low, scope) + " > " + number(high, scope) + ") break;\n";
    for (const ExprPtr& e : region.positive) code += "        if (" + number(e, scope) + " <= 0) break;\n";
    code += "        if (rows.wrong) break;\n";
    std::vector<std::string> subscripts(region.extents.size());
    for (std::size_t d = region.extents.size(); d-- > 1;) {
      const Extent& extent = region.extents[d];
      const std::string counter = "s" + std::to_string(d);
      code += "        for (long " + counter + " = " + number(extent.low, scope) + ", " + counter +
              "_end = " + number(extent.high, scope) + "; " + counter + " <= " + counter +
              "_end && !cppc_too_many(&rows); ++" + counter + ")\n";
      subscripts[d] = counter;
      if (extent.variable != none)
        counters_[extent.variable] = "(" + counter + " - " + std::to_string(extent.shift) + ")";
    }
    const Extent& first = region.extents.front();
    subscripts[0] = number(first.low, scope);
    const Place from = element(region.symbol, subscripts, scope);
    const std::string bytes = std::to_string(program_.symbols[region.symbol].element);
    code += "          cppc_row(&rows, " + from.offset + ", (" + number(first.high, scope) + " - " + subscripts[0] +
            " + 1) * " + bytes + ");\n      } while (0);\n";
    counters_.clear();
    return code;
  }

  /// Where an array of the program begins that a name stands for.
  Place place(Index symbol, const Scope& scope) {
    const auto found = scope.values.find(symbol);
    if (found == scope.values.end()) return {symbol, "0"};
    const auto& [argument, outer] = found->second;
    if (argument->kind == Expr::Kind::name) return place(argument->symbol, *outer);
    if (argument->kind != Expr::Kind::element || argument->parts.front()->kind != Expr::Kind::name) {
      fail();
      return {symbol, "0"};
    }
    std::vector<std::string> subscripts;
    for (std::size_t i = 1; i < argument->parts.size(); ++i) subscripts.push_back(inside(argument->parts[i], *outer));
    return element(argument->parts.front()->symbol, subscripts, *outer);
  }

  Place element(Index symbol, const std::vector<std::string>& subscripts, const Scope& scope) {
    const Symbol& array = program_.symbols[symbol];
    Place made = place(symbol, scope);
    if (array.bounds.size() != subscripts.size() || array.element == 0 || is_padded(array)) fail();
    std::string stride = std::to_string(array.element);
    for (std::size_t d = 0; possible_ && d < subscripts.size(); ++d) {
      const Bounds& bounds = array.bounds[d];
      if (bounds.lower == nullptr) fail();
      const std::string lower = possible_ ? number(bounds.lower, scope) : "0";
      made.offset = "(" + made.offset + " + (" + subscripts[d] + " - " + lower + ") * " + stride + ")";
      if (d + 1 == subscripts.size()) break;
      if (bounds.upper == nullptr) fail();
      if (possible_) stride = "(" + stride + " * (" + number(bounds.upper, scope) + " - " + lower + " + 1))";
    }
    return made;
  }

  std::string number(const ExprPtr& e, const Scope& scope) {
    if (e == nullptr) return fail();
    switch (e->kind) {
      case Expr::Kind::constant:
        return "(" + std::to_string(e->value) + "L)";
      case Expr::Kind::name:
        return variable(e->symbol, scope);
      case Expr::Kind::operate: {
        const std::string left = number(e->parts[0], scope), right = number(e->parts[1], scope);
        if (e->word == "/") return "cppc_divide(&rows, " + left + ", " + right + ")";
        if (e->word == "max" || e->word == "min") return "cppc_" + e->word + "(" + left + ", " + right + ")";
        return "(" + left + " " + e->word + " " + right + ")";
      }
      case Expr::Kind::element: {
        const Expr& array = *e->parts.front();
        if (array.kind != Expr::Kind::name || !program_.symbols[array.symbol].integer) return fail();
        std::vector<std::string> subscripts;
        for (std::size_t i = 1; i < e->parts.size(); ++i) subscripts.push_back(number(e->parts[i], scope));
        return load(element(array.symbol, subscripts, scope), program_.symbols[array.symbol].element);
      }
      default:
        return fail();
    }
  }

  std::string variable(Index symbol, const Scope& scope) {
    if (const auto counter = counters_.find(symbol); counter != counters_.end()) return counter->second;
    const auto given = scope.values.find(symbol);
    const Symbol& declared = program_.symbols[symbol];
    if (!declared.integer || declared.array) return fail();
    if (given == scope.values.end()) return load({symbol, "0"}, declared.element);
    const auto& [argument, outer] = given->second;
    if (argument->kind != Expr::Kind::element) return inside(argument, *outer);
    return load(place(symbol, scope), declared.element);
  }

  /// Counters of the region are no names of the procedures around it.
  std::string inside(const ExprPtr& e, const Scope& scope) {
    std::map<Index, std::string> counters;
    counters.swap(counters_);
    std::string text = number(e, scope);
    counters.swap(counters_);
    return text;
  }

  std::string load(const Place& place, std::uint64_t bytes) {
    const Symbol& object = program_.symbols[place.object];
    if (object.linker_name.empty() || object.bytes == 0 || !object.unclear.empty() || !object.integer) return fail();
    return "cppc_number(&rows, " + base(place.object) + ", " + std::to_string(object.bytes) + ", " + place.offset +
           ", " + std::to_string(bytes) + ")";
  }

  const Program& program_;
  const Flow& flow_;
  Point& point_;
  std::set<std::string>& externals_;
  bool possible_ = true;
  std::map<Index, std::string> counters_;  ///< in C, of the nest's variables
};

}  // namespace

std::string point_name(unsigned number) { return "cppc_point_" + std::to_string(number); }

void write_routine(const Program& program, const Flow& flow, const std::map<Index, Fate>& fates, Point& point,
                   std::set<std::string>& externals) {
  Writer(program, flow, point, externals).run(fates);
}

std::string companion(const std::vector<Point>& points, const std::set<std::string>& externals) {
  std::string text = kHelpers;
  for (const std::string& name : externals) text += "extern char " + name + "[] __attribute__((weak));\n";
  text += "\n";
  for (const Point& point : points) text += point.code;
  return text;
}

}  // namespace cppc::rewrite::fortran
