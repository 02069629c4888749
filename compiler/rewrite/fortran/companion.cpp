#include "companion.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "helpers.hpp"
#include "scopes.hpp"

namespace cppc::rewrite::fortran {

using namespace cppc::fortran;
using Descriptor = Symbol::Descriptor;

namespace {

constexpr const char* kAll = "        cppc_row(&rows, 0, size);\n";

class Writer {
 public:
  Writer(const Program& program, const Flow& flow, const Site& site, Point& point, std::set<std::string>& externals)
      : program_(program), flow_(flow), site_(site), point_(point), externals_(externals) {}

  void run(const std::map<Index, Ways>& dead) {
    std::string body;
    for (const auto& [symbol, ways] : dead) body += array(symbol, ways);
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

  std::string array(Index symbol, const Ways& overwritten) {
    const Symbol& object = program_.symbols[symbol];
    const bool described = object.descriptor != Descriptor::none;
    if ((object.bytes == 0 && !described) || object.element == 0 || is_padded(object)) return {};
    std::string code = possible([&] {
      return "    {\n      char* const object = " + start(symbol) + ";\n      const long size = " + size(symbol) +
             ";\n      if (object != 0 && size > 0) {\n" + dead(overwritten) + "      }\n    }\n";
    });
    if (code.empty()) return {};
    point_.dead.push_back({object.name, object.bytes, why(overwritten)});
    return code;
  }

  /// For the report.
  [[nodiscard]] const char* why(const Ways& overwritten) const {
    if (overwritten.empty()) return "not needed any more";
    const bool conditional = std::ranges::any_of(overwritten, [this](const Overwrites& overwrites) {
      return std::ranges::all_of(overwrites, [this](std::size_t number) { return is_condition(number); });
    });
    return conditional ? "overwritten before it is read, if a condition holds that each stop looks at; saved otherwise"
                       : "overwritten before it is read";
  }

  /// What cannot be said leaves nothing behind.
  template <typename Generate>
  std::string possible(Generate generate) {
    const std::size_t arguments = point_.arguments.size();
    const std::set<std::string> externals = externals_;
    const bool had_interface = point_.has_interface, around = possible_;
    possible_ = true;
    std::string code = generate();
    if (std::exchange(possible_, around)) return code;
    point_.arguments.resize(arguments);
    point_.dummies.resize(arguments);
    point_.has_interface = had_interface;
    externals_ = externals;
    return {};
  }

  /// Of the object at hand, what is said to be dead.
  std::string dead(const Ways& overwritten) {
    if (overwritten.empty()) return "        cppc_dead_range(object, (size_t)size);\n";
    std::string code;
    std::vector<std::set<std::string>> ways;
    for (const Overwrites& overwrites : overwritten)
      if (std::ranges::all_of(overwrites, [this](std::size_t number) { return is_condition(number); }))
        code += needed(overwrites);
      else if (std::set<std::string> told = parts(overwrites); std::ranges::find(ways, told) == ways.end())
        ways.push_back(std::move(told));  // several ways may lead to one
    const bool told = std::ranges::none_of(ways, [](const auto& way) { return way.empty(); });
    if (!told) return fail();
    std::set<std::string> common = ways.empty() ? std::set<std::string>{kAll} : ways.front();
    for (const auto& way : ways) std::erase_if(common, [&](const std::string& one) { return !way.contains(one); });
    for (auto& way : ways) std::erase_if(way, [&](const std::string& one) { return common.contains(one); });
    code = "        struct cppc_rows rows = {object, size, 0, 0, 0, 0};\n" + code + each(common);
    const bool differ = !ways.empty() && std::ranges::none_of(ways, [](const auto& way) { return way.empty(); });
    return differ ? code + in_all(ways) : code;
  }

  static std::string each(const std::set<std::string>& parts) {
    std::string code;
    for (const std::string& one : parts) code += one + "        cppc_flush(&rows);\n";
    return code;
  }

  /// What all ways have.
  static std::string in_all(const std::vector<std::set<std::string>>& ways) {
    std::string code;
    for (const auto& way : ways) code += "        cppc_dead_way();\n" + each(way);
    return code + "        cppc_dead_ways_end();\n";
  }

  [[nodiscard]] bool is_condition(std::size_t number) const { return flow_.overwritten(number).region == nullptr; }

  /// What is dead by each of the overwrites, if it can be said.
  std::set<std::string> parts(const Overwrites& overwrites) {
    std::set<std::string> told;
    for (const std::size_t number : overwrites) {
      std::string code = possible([&] {
        return is_condition(number) ? "        if (" + condition(number) + " && !rows.wrong)\n  " + kAll
                                    : region(number);
      });
      if (!code.empty()) told.insert(std::move(code));
    }
    return told;
  }

  /// Without one of these conditions nothing is dead.
  std::string needed(const Overwrites& conditions) {
    std::string either;
    for (const std::size_t number : conditions) {
      const std::string one = possible([&] { return condition(number); });
      if (!one.empty()) either += (either.empty() ? "" : " || ") + one;
    }
    if (either.empty()) return fail();
    return "        if (!(" + either + ") || rows.wrong) rows.size = 0;\n        rows.wrong = 0;\n";
  }

  /// Where the elements of an array begin.
  std::string start(Index symbol) {
    return program_.symbols[symbol].descriptor == Descriptor::none ? base(symbol)
                                                                   : "cppc_block(" + descriptor(symbol) + ")";
  }
  std::string size(Index symbol) {
    const Symbol& object = program_.symbols[symbol];
    if (object.descriptor == Descriptor::none) return std::to_string(object.bytes);
    return "cppc_block_size(" + descriptor(symbol) + ", " + std::to_string(object.bounds.size()) + ", " +
           std::to_string(object.element) + ")";
  }
  std::string descriptor(Index symbol) { return "((const struct cppc_array*)" + base(symbol) + ")"; }

  /// Numbers of ten bytes take up more.
  static bool is_padded(const Symbol& array) { return array.element % 10 == 0; }

  std::string fail() {
    possible_ = false;
    return "0";
  }

  /// Where an object, or its descriptor, begins, in C.
  std::string base(Index symbol) {
    const Symbol& object = program_.symbols[symbol];
    if (flow_.is_of_linker(symbol)) {
      externals_.insert(object.linker_name);
      return "cppc_member(" + object.linker_name + ", " + std::to_string(object.offset) + ")";
    }
    if (!flow_.can_be_named(symbol, site_.procedure)) return fail();
    const auto found = std::ranges::find(point_.arguments, object.name);
    const auto number = found - point_.arguments.begin();
    if (found == point_.arguments.end()) add_argument(object);
    return "a" + std::to_string(number);
  }
  void add_argument(const Symbol& object) {
    point_.arguments.push_back(object.name);
    if (object.descriptor == Descriptor::none) {
      point_.dummies.push_back({"type(*)", object.array ? "(*)" : ""});
      return;
    }
    if (!site_.modern) fail();
    std::string shape = "(:";
    for (std::size_t d = 1; d < object.bounds.size(); ++d) shape += ", :";
    const char* kind = object.descriptor == Descriptor::pointer ? ", pointer" : ", allocatable";
    point_.dummies.push_back({object.type + kind, shape + ")"});
    point_.has_interface = true;
  }

  std::string condition(std::size_t number) {
    const Overwritten& overwritten = flow_.overwritten(number);
    const std::deque<Scope> scopes = scopes_of(program_, overwritten);
    return (overwritten.holds ? "(" : "!(") + this->number(overwritten.condition, scopes.back()) + ")";
  }

  std::string region(std::size_t number) {
    const Overwritten& overwritten = flow_.overwritten(number);
    const std::deque<Scope> scopes = scopes_of(program_, overwritten);
    std::string code;
    for (std::size_t i = 0; i < overwritten.links.size(); ++i)
      if (const Statement* loop = overwritten.links[i].loop; loop != nullptr)
        code += passes(*loop, scopes[i], scopes[i + 1].counters.at(loop->variable));
    return code + (overwritten.region->received.empty() ? rows(*overwritten.region, scopes.back())
                                                        : received(*overwritten.region, scopes.back()));
  }

  /// All passes of a loop, in any order.
  std::string passes(const Statement& loop, const Scope& scope, const std::string& counter) {
    const bool down = is(loop.step, -1);
    return "      for (long " + counter + " = " + number(down ? loop.high : loop.low, scope) + ", " + counter +
           "_end = " + number(down ? loop.low : loop.high, scope) + "; " + counter + " <= " + counter +
           "_end && !cppc_too_many(&rows); ++" + counter + ")\n";
  }

  std::string received(const Region& region, const Scope& scope) {
    const std::string count = number(region.received[0], scope), type = number(region.received[1], scope);
    const ExprPtr& communicator = region.received[2];
    const std::string ranks =
        communicator != nullptr ? "cppc_ranks(&rows, " + number(communicator, scope) + ")" : std::string("1");
    const std::string bytes = std::to_string(program_.symbols[region.symbol].element);
    return "        if (cppc_is_plain(" + type + ", " + bytes + "))\n          cppc_row(&rows, " +
           place(region.symbol, scope).offset + ", " + count + " * " + ranks + " * " + bytes +
           ");\n        else\n          rows.wrong = 1;\n";
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
    const Place from = element(region.symbol, region.view, subscripts, scope);
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
    return element(argument->parts.front()->symbol, view(*argument->parts.front()), subscripts, *outer);
  }

  Place element(Index symbol, Index view, const std::vector<std::string>& subscripts, const Scope& scope) {
    const Symbol& array = program_.symbols[view];
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
      case Expr::Kind::bound:
        return bound(*e, scope);
      case Expr::Kind::element: {
        const Expr& array = *e->parts.front();
        if (array.kind != Expr::Kind::name || !program_.symbols[array.symbol].integer) return fail();
        std::vector<std::string> subscripts;
        for (std::size_t i = 1; i < e->parts.size(); ++i) subscripts.push_back(number(e->parts[i], scope));
        return load(element(array.symbol, fortran::view(array), subscripts, scope),
                    program_.symbols[array.symbol].element);
      }
      default:
        return fail();
    }
  }

  /// An array of assumed shape has that of what it is called with.
  std::string bound(const Expr& e, const Scope& scope) {
    const auto dimension = static_cast<std::size_t>(e.value);
    const auto given = scope.values.find(e.symbol);
    if (given == scope.values.end()) {
      const Descriptor kind = program_.symbols[e.symbol].descriptor;
      if (kind != Descriptor::allocatable && kind != Descriptor::pointer) return fail();
      return "cppc_bound(&rows, " + descriptor(e.symbol) + ", " + std::to_string(e.value) +
             (e.word == "upper" ? ", 1)" : ", 0)");
    }
    const auto& [argument, outer] = given->second;
    if (argument->kind != Expr::Kind::name) return fail();
    const auto &own = program_.symbols[e.symbol].bounds, &others = program_.symbols[view(*argument)].bounds;
    if (dimension >= others.size() || others.size() != own.size()) return fail();
    return "(" + number(own[dimension].lower, scope) + " + " + inside(others[dimension].upper, *outer) + " - " +
           inside(others[dimension].lower, *outer) + ")";
  }

  std::string variable(Index symbol, const Scope& scope) {
    if (const auto counter = counters_.find(symbol); counter != counters_.end()) return counter->second;
    if (const auto counter = scope.counters.find(symbol); counter != scope.counters.end()) return counter->second;
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
    const bool lasts = flow_.is_of_linker(place.object) || object.storage == Symbol::Storage::fixed;
    if (!lasts || object.bytes == 0 || !object.unclear.empty() || !object.integer) return fail();
    return "cppc_number(&rows, " + base(place.object) + ", " + std::to_string(object.bytes) + ", " + place.offset +
           ", " + std::to_string(bytes) + ")";
  }

  const Program& program_;
  const Flow& flow_;
  const Site site_;
  Point& point_;
  std::set<std::string>& externals_;
  bool possible_ = true;
  std::map<Index, std::string> counters_;  ///< in C, of the nest's variables
};

}  // namespace

std::string point_name(unsigned number) { return "cppc_point_" + std::to_string(number); }

void write_routine(const Program& program, const Flow& flow, const Site& site, const std::map<Index, Ways>& dead,
                   Point& point, std::set<std::string>& externals) {
  Writer(program, flow, site, point, externals).run(dead);
}

std::string companion(const std::vector<Point>& points, const std::set<std::string>& externals) {
  std::string text = kHelpers;
  for (const std::string& name : externals) text += "extern char " + name + "[] __attribute__((weak));\n";
  text += "\n";
  for (const Point& point : points) text += point.code;
  return text;
}

}  // namespace cppc::rewrite::fortran
