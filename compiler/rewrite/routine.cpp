#include "routine.hpp"

#include <algorithm>

#include "dead_range.hpp"
#include "frontend/syntax.hpp"

namespace cppc::rewrite {

using frontend::changes;
using frontend::has_call;
using frontend::has_continue;
using frontend::is_loop;
using frontend::variably_modified;

RoutineRewriter::RoutineRewriter(const Context& context, const analysis::Routine& routine)
    : context_(context),
      routine_(routine),
      function_(context.source.functions[context.program.functions[routine.function].handle].declaration),
      name_(function_->getNameAsString()) {}

std::string RoutineRewriter::label(const char* kind, unsigned number) const {
  return std::string("cppc_") + kind + "_" + std::to_string(number);
}

/// Loops around a statement and declarations of variable-length arrays before it that are in scope, outermost first.
std::vector<const clang::Stmt*> RoutineRewriter::waypoints_to(const clang::Stmt* s) const {
  std::vector<const clang::Stmt*> way;
  for (const clang::Stmt *child = s, *up = context_.parent(s); up != nullptr; child = up, up = context_.parent(up)) {
    if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(up)) {
      std::vector<const clang::Stmt*> before;
      for (const clang::Stmt* sibling : block->body()) {
        if (sibling == child) break;
        if (variably_modified(sibling)) before.push_back(sibling);
      }
      way.insert(way.end(), before.rbegin(), before.rend());
    }
    if (is_loop(up)) way.push_back(up);
  }
  std::ranges::reverse(way);
  return way;
}

void RoutineRewriter::collect_place(int number, const analysis::Place& place) {
  const auto& site = context_.source.markers[context_.program.markers[place.marker].handle];
  auto way = waypoints_to(site.statement);
  const bool inside = place.point != ir::none || site.part == frontend::Part::condition;
  if (inside) way.push_back(site.statement);  // the loop itself
  auto* onward = &first_;
  for (const clang::Stmt* s : way) {
    auto found = std::ranges::find(waypoints_, s, &Waypoint::statement);
    if (found == waypoints_.end()) {
      waypoints_.push_back({s, static_cast<unsigned>(waypoints_.size() + 1), {}});
      found = waypoints_.end() - 1;
    }
    (*onward)[number] = label("way", found->number);
    const auto index = found - waypoints_.begin();
    onward = &waypoints_[static_cast<std::size_t>(index)].onward;
  }
  (*onward)[number] = label("place", static_cast<unsigned>(number));
  for (const unsigned object : place.locals) {
    const ir::Object& o = context_.program.objects[object];
    if (o.handle == ir::none) {
      context_.refuse(site.statement,
                      "a nameless object (a compound literal) of " + name_ + "() is live at a safe point",
                      "give it a name");
      continue;
    }
    const clang::VarDecl* variable = context_.source.variables[o.handle].declaration;
    if (visible(variable, site.statement, inside)) add_member(number, variable);
  }
  for (const clang::Stmt* s : way)
    if (const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(s))
      for (const clang::Decl* d : declaration->decls())
        if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(d))
          for (const std::string& extent : extents(variable)) lengths_[number].insert(extent);
}

/// Members of the shadow that keep the extents of a variable-length array, or of what a pointer leads to.
const std::vector<std::string>& RoutineRewriter::extents(const clang::VarDecl* variable) {
  auto [entry, fresh] = extents_.try_emplace(variable);
  if (!fresh) return entry->second;
  for (std::size_t i = 1; i <= frontend::variable_arrays(context_.ast, variable->getType()).size(); ++i)
    entry->second.push_back(variable->getNameAsString() + "_extent_" + std::to_string(i) + "_" +
                            std::to_string(extents_.size()));
  return entry->second;
}

/// Whether the variable's scope encloses the statement and begins before it.
bool RoutineRewriter::visible(const clang::VarDecl* variable, const clang::Stmt* at, bool inside) const {
  if (variable->getParentFunctionOrMethod() != function_) return false;
  if (llvm::isa<clang::ParmVarDecl>(variable)) return true;
  const clang::Stmt* declaration = frontend::parent_of(context_.ast, *variable);
  if (declaration == nullptr) return false;
  const clang::Stmt* scope = context_.parent(declaration);
  const auto& manager = context_.ast.getSourceManager();
  if (!manager.isBeforeInTranslationUnit(declaration->getBeginLoc(), at->getBeginLoc()) && !(inside && scope == at))
    return false;
  for (const clang::Stmt* up = at; up != nullptr; up = context_.parent(up)) {
    if (up == scope) return up != at || inside;
  }
  return false;
}

void RoutineRewriter::add_member(int number, const clang::VarDecl* variable) {
  auto [entry, fresh] = member_of_.try_emplace(variable, members_.size());
  if (fresh) {
    const ir::Node node = context_.source.nodes.at(variable->getCanonicalDecl());
    const ir::Object& object = context_.program.objects[node];
    std::string name = variable->getNameAsString();
    const auto taken = [&](const std::string& candidate) {
      return std::ranges::any_of(members_, [&](const Member& m) { return m.name == candidate; });
    };
    for (int copy = 2; taken(name); ++copy) name = variable->getNameAsString() + "_" + std::to_string(copy);
    const bool in_memory = !object.scalar || object.address_taken;
    members_.push_back({variable, name, in_memory, variable->getType()->isVariableArrayType()});
    if (const auto why = context_.types.obstacle(variable->getType()))
      context_.refuse(
          function_->getBody(),
          "the variable '" + variable->getNameAsString() + "' of " + name_ + "() is live at a safe point, and " + *why,
          "use a type whose members say what they hold");
    if (variable->getType().isConstQualified() ||
        context_.ast.getBaseElementType(variable->getType()).isConstQualified())
      drop_const(variable);
  }
  live_[number].push_back(entry->second);
}

/// The variable is written when its process takes over: it cannot be constant in its own function.
void RoutineRewriter::drop_const(const clang::VarDecl* variable) {
  const auto from = context_.editor.begin(variable->getBeginLoc());
  const auto to = context_.editor.begin(variable->getLocation());
  if (!from || !to)
    return context_.refuse(function_->getBody(),
                           "the variable '" + variable->getNameAsString() + "' of " + name_ +
                               "() is live at a safe point, constant, and not in the file that is translated",
                           "move it there");
  const std::string text = context_.editor.original({*from, *to});
  const std::size_t star = variable->getType()->isPointerType() ? text.rfind('*') : std::string::npos;
  const std::size_t at = text.find("const", star == std::string::npos ? 0 : star);
  if (at != std::string::npos) context_.editor.replace(*from + static_cast<Offset>(at), 5, "     ");
}

std::string RoutineRewriter::store(int number, bool addresses) const {
  std::string code;
  const auto found = live_.find(number);
  if (found == live_.end()) return code;
  for (const std::size_t m : found->second) {
    const Member& member = members_[m];
    const std::string variable = member.variable->getNameAsString();
    if (!member.in_memory) {
      if (addresses) continue;
      const clang::QualType type = member.variable->getType();
      const bool data = type->isPointerType() && !type->isFunctionPointerType() && handle(type) == nullptr;
      code += "cppc_live." + member.name + " = " + (data ? "(void*)" : "") +
              (type->isFunctionPointerType() ? "(void (*)(void))" : "") + variable + "; ";
      continue;
    }
    if (!addresses) continue;
    const bool array = member.variable->getType()->isArrayType();
    code += "cppc_live." + member.name + "_at = (void*)" + (array ? "" : "&") + variable + "; ";
    if (member.variable_length) {
      std::string element = variable;
      for (clang::QualType t = member.variable->getType(); const auto* a = context_.ast.getAsArrayType(t);
           t = a->getElementType())
        element += "[0]";
      code += "cppc_live." + member.name + "_length = sizeof(" + variable + ") / sizeof(" + element + "); ";
    }
  }
  return code;
}

std::string RoutineRewriter::load(int number) const {
  std::string code;
  const auto found = live_.find(number);
  if (found == live_.end()) return code;
  for (const std::size_t m : found->second) {
    const Member& member = members_[m];
    if (member.in_memory) continue;
    const std::string variable = member.variable->getNameAsString();
    const bool function = member.variable->getType()->isFunctionPointerType();
    code += variable + " = " + (function ? "(__typeof__(" + variable + "))" : "") + "cppc_live." + member.name + "; ";
  }
  return code;
}

std::string RoutineRewriter::dispatch(const std::map<int, std::string>& onward, bool guarded) const {
  std::set<std::string> labels;
  for (const auto& [place, to] : onward) labels.insert(to);
  if (labels.size() == 1)
    return (guarded ? "if (cppc_resuming(&cppc_frame_)) " : "") + ("goto " + *labels.begin() + "; ");
  std::string code = guarded ? "if (cppc_resuming(&cppc_frame_)) " : "";
  code += "switch (cppc_frame_.resume) { ";
  for (const auto& [place, to] : onward) code += "case " + std::to_string(place) + ": goto " + to + "; ";
  return code + "} ";
}

/// Declares a member that holds a scalar; pointers lose what they point to.
std::string RoutineRewriter::plain(clang::QualType type, const std::string& name) const {
  if (type->isFunctionPointerType()) return "void (*" + name + ")(void)";
  if (type->isPointerType() && handle(type) == nullptr) return "void* " + name;
  const clang::QualType spelled = handle(type) != nullptr ? type : clang::QualType(context_.ast.getCanonicalType(type));
  std::string text;
  llvm::raw_string_ostream out(text);
  spelled.getAtomicUnqualifiedType().print(out, context_.ast.getPrintingPolicy(), name);
  return text;
}

void RoutineRewriter::write_shadow(Offset begin) {
  std::string members;
  for (const Member& member : members_) {
    if (member.in_memory) {
      members += "  void* " + member.name + "_at;\n";
      if (member.variable_length) members += "  size_t " + member.name + "_length;\n";
      continue;
    }
    members += "  " + plain(member.variable->getType(), member.name) + ";\n";
  }
  std::set<std::string> lengths;
  for (const auto& [place, names] : lengths_) lengths.insert(names.begin(), names.end());
  for (const std::string& length : lengths) members += "  size_t " + length + ";\n";
  for (std::size_t k = 0; k < routine_.places.size(); ++k) {
    if (!routine_.places[k].apart) continue;
    const clang::QualType type =
        context_.source.calls[context_.program.calls[routine_.places[k].call].handle].call->getType();
    members += "  " + plain(type, "cppc_value_" + std::to_string(k + 1)) + ";\n";
  }
  if (members.empty()) members = "  char nothing;\n";
  context_.editor.open(begin, "\nstruct cppc_live_" + name_ + " {\n" + members +
                                  "};\nstatic const cppc_routine cppc_routine_" + name_ + ";\n#line " +
                                  std::to_string(context_.editor.line(begin)) + "\n");
}

void RoutineRewriter::write_entry(Offset body) {
  std::string code =
      " struct cppc_live_" + name_ + " cppc_live; cppc_frame cppc_frame_ __attribute__((cleanup(cppc_leave))); ";
  if (function_->isMain()) {
    code += "cppc_declare(&cppc_program_records); ";
    const bool arguments = function_->getNumParams() >= 2;
    code += arguments ? "cppc_start(&" + function_->getParamDecl(0)->getNameAsString() + ", (char***)&" +
                            function_->getParamDecl(1)->getNameAsString() + "); "
                      : "cppc_start(NULL, NULL); ";
  }
  code += "if (cppc_enter(&cppc_frame_, &cppc_routine_" + name_ + ", &cppc_live) != 0) ";
  code += "{ " + dispatch(first_, false) + "}";
  context_.editor.open(body, code);
}

/// A process that takes over does not initialise again.
void RoutineRewriter::write_init(const clang::ForStmt* loop) {
  if (const auto* expression = llvm::dyn_cast_or_null<clang::Expr>(loop->getInit()))
    return context_.enclose(expression, "(void)(cppc_resuming(&cppc_frame_) || ((void)(", "), 0))");
  const auto* declaration = llvm::dyn_cast_or_null<clang::DeclStmt>(loop->getInit());
  if (declaration == nullptr) return;
  for (const clang::Decl* d : declaration->decls())
    if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(d); variable != nullptr && has_call(variable->getInit()))
      context_.enclose(variable->getInit(), "cppc_resuming(&cppc_frame_) ? 0 : (", ")");
}

/// A process that takes over enters the body whatever the condition; one with a call on the path moves to there.
bool RoutineRewriter::write_condition(const clang::Stmt* loop, const Range& condition, const std::string& moved) {
  const bool at_end = llvm::isa<clang::DoStmt>(loop);
  if (moved.empty()) {
    if (!at_end) context_.editor.enclose(condition, "cppc_resuming(&cppc_frame_) || (", ")");
    return true;
  }
  if (at_end) {
    const auto* block = llvm::dyn_cast<clang::CompoundStmt>(frontend::body_of(loop));
    if (block == nullptr || has_continue(block)) {
      context_.refuse(loop, "a call in the condition of a do loop with 'continue' can reach a safe point",
                      "write a while loop");
      return false;
    }
    const auto end = context_.editor.begin(block->getRBracLoc());
    if (end) context_.editor.open(*end, moved);  // else refused with the block's beginning
  }
  context_.editor.replace(condition, llvm::isa<clang::ForStmt>(loop) ? "" : "1");
  return true;
}

void RoutineRewriter::write_body(const clang::Stmt* loop, const std::string& code) {
  const clang::Stmt* body = frontend::body_of(loop);
  const auto refuse = [&] { context_.refuse(loop, "the loop's body comes from a macro", "write it out"); };
  if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(body)) {
    const auto inside = context_.editor.end(block->getLBracLoc());
    if (!inside || !context_.editor.begin(block->getRBracLoc()) || block->getLBracLoc().isMacroID()) return refuse();
    return context_.editor.open(*inside, " " + code);
  }
  const auto begin = context_.editor.begin(body->getBeginLoc()), end = context_.editor.end_of(body);
  if (!begin || !end) return refuse();
  context_.editor.enclose({*begin, *end}, "{ " + code, " }");
}

void RoutineRewriter::write_loop(const Waypoint& waypoint) {
  const clang::Stmt* s = waypoint.statement;
  context_.wrap(s, label("way", waypoint.number) + ":; ");
  if (const auto* loop = llvm::dyn_cast<clang::ForStmt>(s)) write_init(loop);
  std::string moved;
  if (const clang::Expr* condition = frontend::condition_of(s)) {
    const auto range = context_.editor.range(condition);
    if (!range) return context_.refuse(s, "the loop's header comes from a macro", "write it out");
    moved = condition_code(s, *range);
    if (!write_condition(s, *range, moved)) return;
  }
  write_body(
      s, dispatch(waypoint.onward, true) + (llvm::isa<clang::DoStmt>(s) ? std::string() : moved) + safe_points_of(s));
}

void RoutineRewriter::write_array(const Waypoint& waypoint) {
  const auto* s = llvm::cast<clang::DeclStmt>(waypoint.statement);
  context_.wrap(s, label("way", waypoint.number) + ":; ", " " + dispatch(waypoint.onward, true));
  for (const clang::Decl* d : s->decls()) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(d);
    if (variable == nullptr) {
      context_.refuse(s, "a type of variable size is in scope at a safe point", "write the size where it is used");
      continue;
    }
    if (variable->hasInit() && !variable->getType()->isVariableArrayType())
      context_.enclose(variable->getInit(), "cppc_resuming(&cppc_frame_) ? 0 : (", ")");
    write_extents(variable);
  }
}

/// A process that takes over gives arrays the length that they had.
void RoutineRewriter::write_extents(const clang::VarDecl* variable) {
  std::size_t extent = 0;
  for (const auto* array : frontend::variable_arrays(context_.ast, variable->getType())) {
    const std::string member = "cppc_live." + extents(variable)[extent++];
    context_.enclose(array->getSizeExpr(), "cppc_resuming(&cppc_frame_) ? " + member + " : (" + member + " = (size_t)(",
                     "))");
  }
}

/// Static objects that are saved at another safe point and not at this one.
std::string RoutineRewriter::dead_objects(ir::Index point) const {
  std::string code;
  for (const unsigned object : context_.declared) {
    if (context_.plan.live[point].test(object)) continue;
    const ir::Object& o = context_.program.objects[object];
    const auto& site = context_.source.variables[o.handle];
    const auto* variable = site.declaration;
    if (site.unit != context_.source.functions[context_.program.functions[routine_.function].handle].unit) continue;
    if (variable->isStaticLocal()) continue;
    code += std::string("cppc_dead(") + (variable->getType()->isArrayType() ? "" : "&") + variable->getNameAsString() +
            "); ";
  }
  return code;
}

std::string RoutineRewriter::safe_points_of(const clang::Stmt* loop) const {
  std::string code;
  for (std::size_t k = 0; k < routine_.places.size(); ++k) {
    const analysis::Place& place = routine_.places[k];
    if (place.point == ir::none) continue;
    if (context_.source.markers[context_.program.markers[place.marker].handle].statement != loop) continue;
    const auto number = static_cast<int>(k + 1);
    code += "if (cppc_safe_point(" + std::to_string(place.point + 1) + ")) { " + store(number, false) +
            label("place", static_cast<unsigned>(number)) + ": " + store(number, true) + dead_objects(place.point) +
            dead_ranges(place.point, loop) + "cppc_stop(&cppc_frame_, " + std::to_string(number) + "); " +
            load(number) + "} ";
  }
  return code;
}

/// What goes in front of a call on the path: its place, and the way back to it.
std::string RoutineRewriter::call_code(int number) const {
  const std::string k = std::to_string(number), addresses = store(number, true);
  return store(number, false) + addresses + "cppc_at(&cppc_frame_, " + k + "); if (0) { cppc_place_" + k + ": " +
         addresses + "cppc_resumed(&cppc_frame_); " + load(number) + "} ";
}

/// Arguments with effects are not evaluated again: the function called has its parameters from its own frame.
bool RoutineRewriter::guard_arguments(int number, const analysis::Place& place) {
  const ir::Call& call = context_.program.calls[place.call];
  const auto* site = context_.source.calls[call.handle].call;
  bool guarded = false;
  for (unsigned i = 0; i < site->getNumArgs(); ++i) {
    const clang::Expr* argument = site->getArg(i);
    if (call.plain[i] || !(has_call(argument) || changes(argument))) continue;
    const auto range = context_.editor.range(argument);
    if (!argument->getType()->isScalarType() || place.apart || !range || argument->getBeginLoc().isMacroID()) {
      context_.refuse(argument, "an argument of a call that can reach a safe point has effects",
                      "evaluate it in a statement before");
      continue;
    }
    context_.editor.enclose(*range, "cppc_again_" + std::to_string(number) + " ? 0 : (", ")");
    guarded = true;
  }
  return guarded;
}

void RoutineRewriter::write_call(int number, const analysis::Place& place) {
  const auto& site = context_.source.markers[context_.program.markers[place.marker].handle];
  if (site.part == frontend::Part::increment)
    return context_.refuse(site.statement, "a call in the loop's header can reach a safe point",
                           "move the call into the loop's body");
  std::string code = call_code(number);
  if (guard_arguments(number, place)) {
    if (site.part != frontend::Part::statement)
      return context_.refuse(site.statement,
                             "an argument of a call in the loop's header, which can reach a safe point, has effects",
                             "evaluate it in a statement before");
    const std::string flag = "cppc_again_" + std::to_string(number);
    const std::string resumed = "cppc_resumed(&cppc_frame_);";
    code.replace(code.find(resumed), resumed.size(), resumed + " " + flag + " = 1;");
    code = "int " + flag + " = 0; " + code;
  }
  if (site.part == frontend::Part::statement) context_.wrap(site.statement, code);
}

bool RoutineRewriter::always_evaluated(const clang::Expr* call, const clang::Stmt* statement) const {
  for (const clang::Stmt *child = call, *up = context_.parent(call); child != statement;
       child = up, up = context_.parent(up)) {
    if (up == nullptr || llvm::isa<clang::StmtExpr>(up)) return false;
    if (const auto* both = llvm::dyn_cast<clang::BinaryOperator>(up);
        both != nullptr && both->isLogicalOp() && both->getRHS() == child)
      return false;
    if (const auto* choice = llvm::dyn_cast<clang::AbstractConditionalOperator>(up);
        choice != nullptr && choice->getCond() != child)
      return false;
  }
  return true;
}

/// The text there, with calls in it that were made before replaced by their values.
std::string RoutineRewriter::text_of(const Range& range) const {
  std::map<Offset, const Value*> inner;
  for (const Value& value : values_)
    if (range.contains(value.range)) inner[value.range.begin] = &value;
  std::string text = context_.editor.original(range);
  for (auto each = inner.rbegin(); each != inner.rend(); ++each) {
    const auto& [of, member] = *each->second;
    text.replace(of.begin - range.begin, of.end - of.begin, "cppc_live." + member);
  }
  return text;
}

/// Several calls on the path in one statement: each is made on its own before it, and leaves its value in the shadow.
void RoutineRewriter::write_apart(const std::vector<int>& numbers) {
  std::string code;
  const clang::Stmt* statement = nullptr;
  values_.clear();
  for (const int number : numbers) {
    const analysis::Place& place = routine_.places[static_cast<std::size_t>(number - 1)];
    const auto& site = context_.source.markers[context_.program.markers[place.marker].handle];
    const clang::CallExpr* call = context_.source.calls[context_.program.calls[place.call].handle].call;
    statement = site.statement;
    const auto range = context_.editor.range(call);
    if (site.part != frontend::Part::statement || call->getBeginLoc().isMacroID() || call->getEndLoc().isMacroID() ||
        !range || !call->getType()->isScalarType() || handle(call->getType()) != nullptr ||
        !always_evaluated(call, statement))
      return context_.refuse(statement, "several calls that can reach a safe point stand in one statement",
                             "make each a statement of its own");
    const std::string value = "cppc_value_" + std::to_string(number);
    code += call_code(number) + "cppc_live." + value + " = " + text_of(*range) + "; ";
    values_.push_back({*range, value});
  }
  for (const Value& value : values_) {
    const auto around = [&](const Value& other) { return &other != &value && other.range.contains(value.range); };
    if (std::ranges::none_of(values_, around)) context_.editor.replace(value.range, "cppc_live." + value.member);
  }
  context_.wrap(statement, code);
}

/// Of a loop whose condition has a call on the path: the place, and the condition as a statement of the body.
std::string RoutineRewriter::condition_code(const clang::Stmt* loop, const Range& condition) const {
  for (std::size_t k = 0; k < routine_.places.size(); ++k) {
    const analysis::Place& place = routine_.places[k];
    const auto& site = context_.source.markers[context_.program.markers[place.marker].handle];
    if (place.call == ir::none || site.statement != loop || site.part != frontend::Part::condition) continue;
    return call_code(static_cast<int>(k + 1)) + "if (!(" + context_.editor.original(condition) + ")) break; ";
  }
  return {};
}

/// Memory that is overwritten before it is read: where it is, said in variables of this function.
std::string RoutineRewriter::dead_ranges(ir::Index point, const clang::Stmt* loop) const {
  const auto here = [&](const clang::VarDecl* variable) {
    return variable->hasGlobalStorage() ? !variable->isStaticLocal() : visible(variable, loop, true);
  };
  std::set<std::string> ranges;
  for (const analysis::Ahead& ahead : context_.plan.ahead[point])
    ranges.insert(dead_range(context_.program, context_.source, context_.ast, ahead, here));
  std::string code;
  for (const std::string& range : ranges) code += range;
  return code;
}

void RoutineRewriter::write_tables() {
  std::string places;
  for (std::size_t k = 1; k <= routine_.places.size(); ++k) {
    const auto number = static_cast<int>(k);
    const std::string id = name_ + "_" + std::to_string(k), live = "struct cppc_live_" + name_;
    std::string fields, variables;
    for (const std::size_t m : live_[number]) {
      const Member& member = members_[m];
      const std::string shown = member.variable->getNameAsString();
      const Shape shape =
          context_.types.shape(member.variable->getType(), "__typeof__(((" + live + "*)0)->" + member.name + ")");
      if (!member.in_memory)
        fields += "  {\"" + shown + "\", offsetof(" + live + ", " + member.name + "), " + shape.type + ", 1},\n";
      else
        variables += "  {\"" + member.name + "\", " + shape.type + ", " + (member.variable_length ? "0" : shape.count) +
                     ", offsetof(" + live + ", " + member.name + "_at), " +
                     (member.variable_length ? "offsetof(" + live + ", " + member.name + "_length)" : "0") + "},\n";
    }
    for (const std::string& value : values_before_[number]) {
      const analysis::Place& earlier = routine_.places[static_cast<std::size_t>(std::stoi(value.substr(11)) - 1)];
      const auto type = context_.source.calls[context_.program.calls[earlier.call].handle].call->getType();
      fields +=
          "  {\"" + value + "\", offsetof(" + live + ", " + value + "), " + context_.types.shape(type).type + ", 1},\n";
    }
    for (const std::string& length : lengths_[number])
      fields += "  {\"" + length + "\", offsetof(" + live + ", " + length + "), &cppc_type_unsigned_long, 1},\n";
    if (!fields.empty()) {
      tables_ += "static const cppc_field cppc_fields_" + id + "[] = {\n" + fields + "};\n";
      tables_ += "static const cppc_type cppc_shadow_" + id + " = {CPPC_STRUCT, sizeof(" + live + "), \"" + live +
                 "\", cppc_fields_" + id + ", sizeof cppc_fields_" + id + " / sizeof *cppc_fields_" + id + "};\n";
    }
    if (!variables.empty())
      tables_ += "static const cppc_variable cppc_variables_" + id + "[] = {\n" + variables + "};\n";
    places += "  {" + (fields.empty() ? "NULL" : "&cppc_shadow_" + id) + ", " +
              (variables.empty()
                   ? "NULL, 0"
                   : "cppc_variables_" + id + ", sizeof cppc_variables_" + id + " / sizeof *cppc_variables_" + id) +
              "},\n";
  }
  tables_ += "static const cppc_place cppc_places_" + name_ + "[] = {\n" + places + "};\n";
  tables_ += "static const cppc_routine cppc_routine_" + name_ + " = {\"" + name_ + "\", cppc_places_" + name_ + ", " +
             std::to_string(routine_.places.size()) + "};\n";
}

void RoutineRewriter::run() {
  const auto begin = context_.editor.begin(function_->getSourceRange().getBegin());
  const auto body = context_.editor.end(llvm::cast<clang::CompoundStmt>(function_->getBody())->getLBracLoc());
  if (!begin || !body)
    return context_.refuse(function_->getBody(),
                           name_ + "() leads to a safe point and is not in the file that is translated",
                           "move it out of the header");
  for (std::size_t k = 0; k < routine_.places.size(); ++k) collect_place(static_cast<int>(k + 1), routine_.places[k]);
  std::map<ir::Index, std::vector<int>> apart;
  for (std::size_t k = 0; k < routine_.places.size(); ++k) {
    if (!routine_.places[k].apart) continue;
    auto& numbers = apart[routine_.places[k].marker];
    for (const int earlier : numbers)
      values_before_[static_cast<int>(k + 1)].insert("cppc_value_" + std::to_string(earlier));
    numbers.push_back(static_cast<int>(k + 1));
  }
  write_shadow(*begin);
  write_entry(*body);
  for (const Waypoint& waypoint : waypoints_)
    is_loop(waypoint.statement) ? write_loop(waypoint) : write_array(waypoint);
  for (std::size_t k = 0; k < routine_.places.size(); ++k) {
    const analysis::Place& place = routine_.places[k];
    if (place.call != ir::none && !place.apart) write_call(static_cast<int>(k + 1), place);
  }
  for (const auto& [marker, numbers] : apart) write_apart(numbers);
  write_tables();
}

}  // namespace cppc::rewrite
