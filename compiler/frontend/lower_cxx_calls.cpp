/// C++: calls, those that the compiler makes and those of functions of the library, too.
#include <clang/AST/DeclTemplate.h>

#include <algorithm>

#include "cxx.hpp"
#include "lowering.hpp"
#include "syntax.hpp"

namespace cppc::frontend {

using ir::Op;

namespace {

/// Of an algorithm that may use threads: its other arguments are not where the tables say.
bool is_policy(clang::QualType type) {
  const auto* record = type.getNonReferenceType()->getAsCXXRecordDecl();
  return record != nullptr && record->getIdentifier() != nullptr && record->getName().ends_with("_policy") &&
         is_of_system(record);
}

}  // namespace

/// As functions get it: of what a reference refers to, the address.
ir::Node Lowering::argument(const clang::Expr* e) {
  return is_cxx() && e->isGLValue() ? address_of(place(e)) : value(e);
}

ir::Node Lowering::made_call(const clang::Expr* e, ir::Index callee, std::vector<ir::Node> arguments, ir::Node pointer,
                             bool throws) {
  auto& program = symbols_.program();
  ir::Call made{.caller = index_, .callee = callee, .pointer = pointer};
  if (callee != ir::none && callee != program.elsewhere) made.name = program.functions[callee].name;
  made.texts.resize(arguments.size());
  made.argument_reads.resize(arguments.size());
  made.plain.resize(arguments.size());
  made.arguments = std::move(arguments);
  made.result = temporary();
  made.loop = loop_;
  made.condition = condition_;
  made.in_team = in_team_;
  made.order = ++order_;
  if (e != nullptr) made.where = position(manager(), e->getBeginLoc(), program);
  made.handle = static_cast<ir::Index>(symbols_.source().calls.size());
  symbols_.source().calls.push_back({symbols_.unit, nullptr, {}});
  const ir::Node result = made.result;
  const auto index = static_cast<ir::Index>(program.calls.size());
  program.calls.push_back(std::move(made));
  emit(Op::arguments, ir::nothing, ir::nothing, index);
  emit(Op::call, ir::nothing, ir::nothing, index);
  if (throws) may_throw();
  return result;
}

ir::Node Lowering::unknown_call(const clang::Expr* e, std::vector<ir::Node> arguments) {
  return made_call(e, symbols_.program().elsewhere, std::move(arguments));
}

/// Functions of the library that do no more than to hand on what they are given, and those of containers. Nothing for
/// any other.
std::optional<ir::Node> Lowering::known_call(const clang::CallExpr* e, const clang::FunctionDecl* callee) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(callee);
  if (method != nullptr && method->isTrivial() &&
      (method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator())) {
    const auto operands = operands_of(e);
    const clang::Expr* from = operands.back();
    const ir::Node contents = from->isGLValue() ? get(place(from), true) : value(from);
    const clang::Expr* object = operands.front();
    const LValue to = object->isGLValue() ? place(object) : LValue{.pointer = value(object)};
    put(to, contents);
    return address_of(to);
  }
  if (auto made = container_call(e, callee)) return made;
  if (!is_of_system(callee)) return {};
  const unsigned count = e->getNumArgs();
  if (library_name(callee).starts_with("__gnu_cxx::operator")) {  // comparisons and differences of iterators
    ir::Node result = ir::nothing;
    for (unsigned i = 0; i < count; ++i) result = join(result, contents(e->getArg(i)));
    return result;
  }
  if (callee->getIdentifier() == nullptr) return {};
  const llvm::StringRef name = callee->getName();
  if (name == "__builtin_addressof" || name == "__builtin_launder") return argument(e->getArg(0));
  if (!callee->isInStdNamespace()) return {};
  static constexpr const char* kHandedOn[] = {"move",      "forward", "as_const",
                                              "addressof", "launder", "move_if_noexcept"};
  if (count == 1 && std::ranges::find(kHandedOn, name) != std::end(kHandedOn)) return argument(e->getArg(0));
  static constexpr const char* kLocate[] = {"begin", "end", "cbegin", "cend", "data"};
  if (count == 1 && (name == "size" || std::ranges::find(kLocate, name) != std::end(kLocate))) {
    const clang::QualType type = e->getArg(0)->getType();
    const bool array = type->isArrayType() || kind_of(type.getUnqualifiedType()) == Kind::array;
    if (!e->getArg(0)->isGLValue() || (!array && !is_vector(type))) return {};
    const LValue container = place(e->getArg(0));
    const ir::Node block = array ? address_of(container) : get(container, true);
    return name == "size" ? ir::nothing : block;
  }
  if (count == 2 && name == "swap" && (is_simple(e->getArg(0)->getType()) || is_one_value(e->getArg(0)->getType()))) {
    const LValue one = place(e->getArg(0)), other = place(e->getArg(1));
    const ir::Node left = get(one, true), right = get(other, true);
    put(one, right);
    put(other, left);
    return ir::nothing;
  }
  if (count == 2 && (name == "min" || name == "max") && is_one_value(e->getArg(0)->getType())) {
    ir::Node either = ir::nothing;
    for (const clang::Expr* one : e->arguments()) {
      get(place(one), false);
      either = join(either, argument(one));
    }
    return either;
  }
  return {};
}

/// Of a function that the tables have, if it does not call the program: what it may return, the memory that it is given
/// or that its object keeps.
ir::Node Lowering::see_library_call(ir::Call& made, const clang::CallExpr* e) {
  auto& program = symbols_.program();
  const ir::Node result = temporary();
  const auto* callee = e->getDirectCallee();
  bool calls = false;
  for (const clang::Expr* one : operands_of(e)) {
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(one->IgnoreParenImpCasts());
    const bool of_library =
        name != nullptr && llvm::isa<clang::FunctionDecl>(name->getDecl()) && is_of_system(name->getDecl());
    calls = calls || (calls_program(one->getType()) && !of_library) || is_policy(one->getType());
  }
  if (const auto* arguments = callee->getTemplateSpecializationArgs())
    for (const clang::TemplateArgument& one : arguments->asArray())
      calls = calls || (one.getKind() == clang::TemplateArgument::Type && calls_program(one.getAsType()));
  const models::Model* model = symbols_.models().find(made.name);
  if (model == nullptr || calls) {
    made.callee = program.elsewhere;
    made.name.clear();
    return result;
  }
  const bool returns = !callee->getReturnType()->isArithmeticType() && !callee->getReturnType()->isVoidType();
  const bool member = object_of(e) != nullptr;
  if (!model->fills.empty()) return result;  // the table says what it returns
  for (std::size_t i = 0; i < made.arguments.size(); ++i) {
    const ir::Node argument = made.arguments[i];
    if (argument == ir::nothing) continue;
    if (returns) {
      emit(Op::copy, result, argument);
      emit(Op::load, result, argument);
    }
    if (member && i > 0) emit(Op::store, made.arguments[0], argument);
  }
  return result;
}

}  // namespace cppc::frontend
