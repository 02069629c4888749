#include "ways.hpp"

#include <algorithm>

#include "frontend/syntax.hpp"
#include "scope.hpp"

namespace cppc::rewrite {

namespace {

constexpr const char* kResuming = "if (cppc_resuming(&cppc_frame_)) ";

/// Declarations of variable size in the block before the statement, last first.
std::vector<const clang::Stmt*> declared_before(const clang::CompoundStmt* block, const clang::Stmt* statement) {
  std::vector<const clang::Stmt*> before;
  for (const clang::Stmt* sibling : block->body()) {
    if (sibling == statement) break;
    if (frontend::variably_modified(sibling)) before.insert(before.begin(), sibling);
  }
  return before;
}

}  // namespace

/// Loops around a statement and declarations of variable-length arrays before it that are in scope, outermost first.
std::vector<const clang::Stmt*> Ways::around(const clang::Stmt* s) const {
  std::vector<const clang::Stmt*> way;
  for (const clang::Stmt *child = s, *up = context_.parent(s); up != nullptr; child = up, up = context_.parent(up)) {
    if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(up))
      std::ranges::copy(declared_before(block, child), std::back_inserter(way));
    if (frontend::is_loop(up)) way.push_back(up);
  }
  std::ranges::reverse(way);
  return way;
}

Ways::Waypoint& Ways::waypoint(const clang::Stmt* s) {
  const auto found = std::ranges::find(waypoints_, s, &Waypoint::statement);
  if (found != waypoints_.end()) return *found;
  return waypoints_.emplace_back(Waypoint{s, static_cast<unsigned>(waypoints_.size() + 1), {}});
}

void Ways::add(int place, bool inside) {
  const clang::Stmt* statement = function_.site(place).statement;
  auto way = around(statement);
  if (inside) way.push_back(statement);
  Onward* onward = &first_;
  for (const clang::Stmt* s : way) {
    Waypoint& next = waypoint(s);
    (*onward)[place] = way_label(next.number);
    onward = &next.onward;
    if (const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(s))
      for (const clang::Decl* d : declaration->decls())
        if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(d)) shadow_.add_extents(place, variable);
  }
  (*onward)[place] = place_label(place);
}

std::string Ways::dispatch(const Onward& onward) {
  std::set<std::string> labels;
  for (const auto& [place, to] : onward) labels.insert(to);
  if (labels.size() == 1) return "goto " + *labels.begin() + "; ";
  std::string code = "switch (cppc_frame_.resume) { ";
  for (const auto& [place, to] : onward) code += "case " + std::to_string(place) + ": goto " + to + "; ";
  return code + "} ";
}

/// A process that takes over does not initialise again.
void Ways::write_init(const clang::ForStmt* loop) const {
  if (const auto* expression = llvm::dyn_cast_or_null<clang::Expr>(loop->getInit()))
    return context_.enclose(expression, "(void)(cppc_resuming(&cppc_frame_) || ((void)(", "), 0))");
  const auto* declaration = llvm::dyn_cast_or_null<clang::DeclStmt>(loop->getInit());
  if (declaration == nullptr) return;
  for (const clang::Decl* d : declaration->decls())
    if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(d);
        variable != nullptr && frontend::has_call(variable->getInit()))
      context_.enclose(variable->getInit(), "cppc_resuming(&cppc_frame_) ? 0 : (", ")");
}

/// A process that takes over enters the body whatever the condition; one with a call on the path moves to there.
bool Ways::write_condition(const clang::Stmt* loop, const Range& condition, const std::string& moved) const {
  const bool at_end = llvm::isa<clang::DoStmt>(loop);
  if (moved.empty()) {
    context_.editor.enclose(condition, "cppc_resuming(&cppc_frame_) || (", ")");
    return true;
  }
  if (at_end) {
    const auto* block = llvm::dyn_cast<clang::CompoundStmt>(frontend::body_of(loop));
    if (block == nullptr || frontend::has_continue(block)) {
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

void Ways::write_body(const clang::Stmt* loop, const std::string& code) const {
  if (!insert_in_body(context_.editor, loop, code))
    context_.refuse(loop, "the loop's body comes from a macro", "write it out");
}

void Ways::write_loop(const Waypoint& waypoint) const {
  const clang::Stmt* s = waypoint.statement;
  context_.wrap(s, way_label(waypoint.number) + ":; ");
  if (const auto* loop = llvm::dyn_cast<clang::ForStmt>(s)) write_init(loop);
  std::string moved;
  const int call = calls_.place_in_condition(s);
  const clang::Expr* condition = frontend::condition_of(s);
  if (condition != nullptr && (call != 0 || !llvm::isa<clang::DoStmt>(s))) {
    const auto range = context_.editor.whole(condition);
    if (!range) return context_.refuse(s, "the loop's header comes from a macro", "write it out");
    if (call != 0) moved = calls_.condition_code(call, *range);
    if (!write_condition(s, *range, moved)) return;
  }
  write_body(s, kResuming + dispatch(waypoint.onward) + (llvm::isa<clang::DoStmt>(s) ? std::string() : moved) +
                    stops_.code(s));
}

void Ways::write_array(const Waypoint& waypoint) const {
  const auto* s = llvm::cast<clang::DeclStmt>(waypoint.statement);
  context_.wrap(s, way_label(waypoint.number) + ":; ", std::string(" ") + kResuming + dispatch(waypoint.onward));
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
void Ways::write_extents(const clang::VarDecl* variable) const {
  std::size_t extent = 0;
  for (const auto* array : frontend::variable_arrays(context_.ast, variable->getType())) {
    const std::string member = "cppc_live." + shadow_.extents(variable)[extent++];
    context_.enclose(array->getSizeExpr(), "cppc_resuming(&cppc_frame_) ? " + member + " : (" + member + " = (size_t)(",
                     "))");
  }
}

void Ways::run() {
  for (const Waypoint& waypoint : waypoints_)
    frontend::is_loop(waypoint.statement) ? write_loop(waypoint) : write_array(waypoint);
}

}  // namespace cppc::rewrite
