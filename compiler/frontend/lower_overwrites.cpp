/// Memory that is filled, whatever was in it: by nests of loops, and by calls.

#include "cxx.hpp"
#include "datatypes.hpp"
#include "lowering.hpp"
#include "nests.hpp"
#include "plain.hpp"

namespace cppc::frontend {

namespace {

/// What says where the memory is.
std::vector<const clang::Expr*> expressions_of(const OverwriteSite& site) {
  std::vector<const clang::Expr*> all;
  for (const Level& level : site.levels)
    for (const clang::Expr* one : {level.low, level.high, level.container})
      if (one != nullptr) all.push_back(one);
  for (const clang::Expr* one : {site.element, site.pointer, site.count, site.first, site.last, site.vector})
    if (one != nullptr) all.push_back(one);
  return all;
}

/// Whether it can be said by what the function starts with; sets `site.function`.
bool unfold_function(OverwriteSite& site, const clang::FunctionDecl* function) {
  Locals known = site.nest;
  for (const Level& level : site.levels) known[level.variable] = nullptr;
  Locals found;
  bool all = true;
  for (const clang::Expr* expression : expressions_of(site)) all = all && unfold(expression, known, function, found);
  for (const auto& [variable, value] : site.nest) all = all && unfold(value, known, function, found);
  // Outside the nest, its counters are something else.
  for (const auto& [variable, value] : found)
    for (const Level& level : site.levels) all = all && !mentions(value, level.variable);
  site.function = site.nest;
  site.function.insert(found.begin(), found.end());
  return all;
}

/// Before C++17, an iterator is passed as a copy of the one that is written.
const clang::Expr* without_copy(const clang::Expr* e) {
  e = e->IgnoreParens();
  if (const auto* copy = llvm::dyn_cast<clang::CXXConstructExpr>(e);
      copy != nullptr && copy->getNumArgs() == 1 && copy->getConstructor()->isCopyOrMoveConstructor() &&
      kind_of(copy->getType().getUnqualifiedType()) == Kind::pointer)
    return without_copy(copy->getArg(0));
  const auto* made = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(e);
  return made != nullptr ? without_copy(made->getSubExpr()) : e;
}

}  // namespace

/// After an outermost loop of a nest, or any loop that is the outermost one of its own: inner nests have been seen when
/// they were lowered, and are told again from here with one loop more.
std::vector<ir::Index> Lowering::overwrites_of(const clang::Stmt* s) {
  std::vector<ir::Index> made;
  if (aside_ != nullptr) return made;
  for (const OverwriteSite& site : ranges_written_by(s, symbols_.unit)) {
    const auto added = add_overwrites(site);
    made.insert(made.end(), added.begin(), added.end());
  }
  return made;
}

/// Of a function that fills memory.
std::optional<OverwriteSite> Lowering::overwrite_of(const clang::CallExpr* call, const std::string& name) {
  const models::Model* model =
      aside_ == nullptr && !static_only_ && declaration_ != nullptr ? symbols_.models().find(name) : nullptr;
  if (model == nullptr || model->fills.size() < 2) return {};
  std::vector<const clang::Expr*> arguments;
  for (const int i : model->fills) {
    if (i >= static_cast<int>(call->getNumArgs())) return {};
    arguments.push_back(without_copy(call->getArg(static_cast<unsigned>(i))));
  }
  if (!plain(arguments[0]) || !plain(arguments[1])) return {};
  if (name.find("::") != std::string::npos) return overwrite_of_algorithm(arguments);
  const auto size = arguments.size() == 2 ? 1 : size_of_datatype(arguments[2], *context_);
  if (!size) return {};
  return OverwriteSite{.unit = symbols_.unit, .pointer = arguments[0], .count = arguments[1], .size = *size};
}

/// Of an algorithm: from an iterator on, so many elements; or as far as two iterators are apart, there or elsewhere.
std::optional<OverwriteSite> Lowering::overwrite_of_algorithm(const std::vector<const clang::Expr*>& arguments) {
  const auto type = [&](std::size_t i) { return arguments[i]->getType().getUnqualifiedType(); };
  const clang::Expr* to = arguments.size() > 2 ? arguments[2] : arguments[0];
  if (!plain(to) || !is_replaced(pointee_of(to->getType().getUnqualifiedType()))) return {};
  if (type(1)->isIntegerType()) return OverwriteSite{.unit = symbols_.unit, .pointer = to, .count = arguments[1]};
  if (kind_of(type(0)) != Kind::pointer || kind_of(type(1)) != Kind::pointer) return {};
  return OverwriteSite{.unit = symbols_.unit, .pointer = to, .first = arguments[0], .last = arguments[1]};
}

/// The value of a variable that stands for an expression, when instructions are only looked at.
std::optional<ir::Node> Lowering::known(const clang::Expr* e) {
  const auto* name = aside_ != nullptr ? llvm::dyn_cast<clang::DeclRefExpr>(e->IgnoreParens()) : nullptr;
  const auto* variable = name != nullptr ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  if (variable == nullptr) return {};
  if (const auto given = given_.find(variable); given != given_.end()) return given->second;
  const auto local = locals_ != nullptr ? locals_->find(variable) : Locals::const_iterator{};
  if (locals_ == nullptr || local == locals_->end()) return {};
  return contents(local->second);
}

/// A call of a function that is one expression, as that expression.
ir::Node Lowering::look_into(const clang::CallExpr* call, const clang::Expr* result) {
  const clang::FunctionDecl* callee = nullptr;
  call->getDirectCallee()->hasBody(callee);
  std::map<const clang::VarDecl*, ir::Node> given;
  const auto arguments = arguments_of(call);
  for (unsigned i = 0; i < arguments.size(); ++i) given[callee->getParamDecl(i)] = argument(arguments[i]);
  const clang::Expr* object = object_of(call);
  std::optional<ir::Node> given_this;
  if (object != nullptr) given_this = argument(object);
  std::swap(given, given_);
  std::swap(given_this, given_this_);
  const ir::Node returned = argument(result);
  std::swap(given, given_);
  std::swap(given_this, given_this_);
  return returned;
}

/// The value of an expression, or of the object that it names.
ir::Node Lowering::contents(const clang::Expr* e) { return e->isGLValue() ? get(place(e), true) : value(e); }

ir::Target Lowering::target_of(const OverwriteSite& site, const Locals& locals) {
  std::vector<ir::Instruction> aside;
  aside_ = &aside;
  locals_ = &locals;
  ir::Target target;
  if (site.element != nullptr && site.levels.back().container != nullptr) {
    const clang::Expr* container = site.levels.back().container;
    const LValue elements = place(container);
    const bool vector = !container->getType()->isArrayType() && is_vector(container->getType());
    target.object = vector ? ir::nothing : elements.object;
    target.pointer = vector ? get(elements, true) : elements.pointer;
  } else if (site.element != nullptr) {
    const LValue element = place(site.element);
    target.object = element.object;
    target.pointer = element.pointer;
  } else if (site.vector != nullptr) {
    const bool arrow = site.vector->getType()->isPointerType();
    target.pointer = get(arrow ? LValue{.pointer = value(site.vector)} : place(site.vector), true);
  } else {
    target.pointer = contents(site.pointer);
    for (const clang::Expr* one : {site.count, site.first, site.last})
      if (one != nullptr) contents(one);
  }
  for (const Level& level : site.levels) {
    if (level.container == nullptr) {
      value(level.low);
      value(level.high);
    } else if (const LValue container = place(level.container); is_vector(level.container->getType())) {
      get(container, true);
    }
  }
  aside_ = nullptr;
  locals_ = nullptr;
  for (const clang::Expr* expression : expressions_of(site)) target.divides |= divides(expression, *context_);
  for (const auto& [variable, local] : locals) target.divides |= divides(local, *context_);
  std::vector<ir::Node> counters;
  for (const Level& level : site.levels) counters.push_back(symbols_.variable(level.variable));
  for (const ir::Instruction& instruction : aside) {
    if (instruction.op == ir::Op::read && std::ranges::find(counters, instruction.b) == counters.end())
      target.reads.push_back({instruction.b, instruction.member});
    if (instruction.op == ir::Op::load) target.loads.push_back({instruction.b, instruction.member});
    // Temporaries of the pointer have to be known to the points-to analysis.
    symbols_.program().initial.push_back(instruction);
  }
  return target;
}

ir::Index Lowering::add_overwrite(OverwriteSite site, bool at_entry) {
  auto& program = symbols_.program();
  ir::Overwrite made{.target = target_of(site, site.nest),
                     .at_entry = {},
                     .handle = static_cast<ir::Index>(symbols_.source().overwrites.size())};
  if (at_entry && unfold_function(site, declaration_)) made.at_entry = target_of(site, site.function);
  program.overwrites.push_back(std::move(made));
  symbols_.source().overwrites.push_back(std::move(site));
  return static_cast<ir::Index>(program.overwrites.size() - 1);
}

/// Variables that say where the memory is, are declared in a loop, and stand for their values.
Locals Lowering::declared_in(ir::Index loop, const OverwriteSite& site) {
  Locals found;
  const auto is_inside = [&](const clang::VarDecl* variable) {
    const auto declared = loops_.find(variable);
    ir::Index around = declared != loops_.end() ? declared->second : ir::none;
    while (around != ir::none && around != loop) around = symbols_.program().loops[around].parent;
    return around == loop;
  };
  for (const clang::Expr* expression : expressions_of(site)) unfold_some(expression, is_inside, declaration_, found);
  for (const auto& [variable, value] : site.nest) unfold_some(value, is_inside, declaration_, found);
  for (const auto& [variable, value] : site.nest) found.erase(variable);
  for (const Level& level : site.levels) found.erase(level.variable);
  return found;
}

/// As the source says where the memory is; and for each loop around it as it can be said before what is declared there.
std::vector<ir::Index> Lowering::add_overwrites(const OverwriteSite& site) {
  std::vector<ir::Index> made{add_overwrite(site, true)};
  std::size_t unfolded = 0;
  for (ir::Index loop = by_address() ? loop_ : ir::none; loop != ir::none;
       loop = symbols_.program().loops[loop].parent) {
    const Locals found = declared_in(loop, site);
    if (found.size() == unfolded) continue;
    unfolded = found.size();
    OverwriteSite other = site;
    for (const auto& [variable, value] : found) other.behind.push_back(variable);
    other.nest.insert(found.begin(), found.end());
    made.push_back(add_overwrite(std::move(other), false));
  }
  return made;
}

}  // namespace cppc::frontend
