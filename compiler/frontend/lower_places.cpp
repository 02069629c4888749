#include "cxx.hpp"
#include "lowering.hpp"
#include "plain.hpp"
#include "syntax.hpp"

namespace cppc::frontend {

using ir::Op;

LValue Lowering::place_of_member(const clang::MemberExpr* member) {
  if (member->isArrow())
    return {.pointer = value(member->getBase()), .member = symbols_.member(member->getMemberDecl())};
  if (!member->getBase()->isGLValue()) {  // of a value that a function returned
    const ir::Node object = symbols_.compound(member, static_only_ ? ir::none : index_);
    put({.object = object, .whole = true}, value_of(member->getBase()));
    return {.object = object};
  }
  LValue base = place(member->getBase());
  base.whole = false;
  base.member = symbols_.member(member->getMemberDecl());
  return base;
}

LValue Lowering::place_of_element(const clang::ArraySubscriptExpr* subscript) {
  value(subscript->getIdx());
  const clang::Expr* base = subscript->getBase();
  if (const auto* decay = llvm::dyn_cast<clang::ImplicitCastExpr>(base->IgnoreParens());
      decay != nullptr && decay->getCastKind() == clang::CK_ArrayToPointerDecay && decay->getSubExpr()->isGLValue()) {
    LValue array = place(decay->getSubExpr());
    array.whole = false;
    return array;
  }
  if (base->isGLValue()) {  // an element of a vector
    LValue vector = place(base);
    vector.whole = false;
    return vector;
  }
  return {.pointer = value(base)};
}

LValue Lowering::place(const clang::Expr* e) {
  using clang::Stmt;
  if (is_cxx())
    if (const auto found = cxx_place(e)) return *found;
  switch (e->getStmtClass()) {
    case Stmt::ParenExprClass:
      return place(llvm::cast<clang::ParenExpr>(e)->getSubExpr());
    case Stmt::DeclRefExprClass: {
      const auto* d = llvm::cast<clang::DeclRefExpr>(e)->getDecl();
      if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(d))
        return {.object = symbols_.variable(variable), .whole = true};
      if (const auto* named = llvm::dyn_cast<clang::FunctionDecl>(d))
        return {.object = symbols_.function_object(named)};
      return {};
    }
    case Stmt::MemberExprClass:
      return place_of_member(llvm::cast<clang::MemberExpr>(e));
    case Stmt::ArraySubscriptExprClass:
      return place_of_element(llvm::cast<clang::ArraySubscriptExpr>(e));
    case Stmt::UnaryOperatorClass: {
      const auto* unary = llvm::cast<clang::UnaryOperator>(e);
      if (unary->getOpcode() == clang::UO_Deref) return {.pointer = value(unary->getSubExpr())};
      LValue part = unary->getSubExpr()->isGLValue() ? place(unary->getSubExpr()) : LValue{};
      part.whole = false;
      return part;  // __real, __imag, __extension__
    }
    case Stmt::CompoundLiteralExprClass: {
      const ir::Node object = symbols_.compound(e, static_only_ ? ir::none : index_);
      initialise({.object = object, .whole = true}, llvm::cast<clang::CompoundLiteralExpr>(e)->getInitializer());
      return {.object = object, .whole = true};
    }
    case Stmt::StringLiteralClass:
    case Stmt::PredefinedExprClass:
      return {.object = symbols_.program().text};
    case Stmt::GenericSelectionExprClass:
      return place(llvm::cast<clang::GenericSelectionExpr>(e)->getResultExpr());
    case Stmt::ChooseExprClass:
      return place(llvm::cast<clang::ChooseExpr>(e)->getChosenSubExpr());
    default:
      return {.pointer = not_understood(e)};
  }
}

ir::Node Lowering::get(const LValue& from, bool interesting) {
  const ir::Node result = interesting ? temporary() : ir::nothing;
  if (from.object != ir::nothing)
    emit(Op::read, result, from.object, ir::none, from.member);
  else if (from.pointer != ir::nothing)
    emit(Op::load, result, from.pointer, ir::none, from.member);
  return result;
}

void Lowering::put(const LValue& to, ir::Node from) {
  if (to.object != ir::nothing)
    emit(to.whole ? Op::write : Op::change, to.object, from, ir::none, to.member);
  else if (to.pointer != ir::nothing)
    emit(Op::store, to.pointer, from, ir::none, to.member);
}

ir::Node Lowering::address_of(const LValue& of) {
  if (of.object == ir::nothing) return of.pointer;
  const ir::Node result = temporary();
  emit(Op::address, result, of.object);
  symbols_.program().objects[of.object].address_taken = true;
  return result;
}

void Lowering::initialise(const LValue& to, const clang::Expr* init) {
  if (is_cxx() && cxx_initialise(to, init)) return;
  if (const auto* list = llvm::dyn_cast<clang::InitListExpr>(init)) {
    if (!list->isSemanticForm() && list->getSemanticForm() != nullptr) list = list->getSemanticForm();
    put(to, ir::nothing);
    const auto fields = fields_of(list);
    for (unsigned i = 0; i < list->getNumInits(); ++i) {
      const clang::Expr* element = list->getInit(i);
      if (element == nullptr || llvm::isa<clang::ImplicitValueInitExpr, clang::NoInitExpr>(element)) continue;
      const ir::Index member = i < fields.size() ? symbols_.member(fields[i]) : ir::none;
      const LValue part{.object = to.object, .pointer = to.pointer, .member = member};
      if (element->isGLValue() && refers(list, i)) {
        put(part, address_of(place(element)));
      } else if (const auto* update = llvm::dyn_cast<clang::DesignatedInitUpdateExpr>(element)) {
        initialise(part, update->getBase());
        initialise({.object = to.object, .pointer = to.pointer}, update->getUpdater());
      } else {
        initialise(part, element);
      }
    }
    if (is_cxx() && list->hasArrayFiller() && !llvm::isa<clang::ImplicitValueInitExpr>(list->getArrayFiller()))
      initialise({.object = to.object, .pointer = to.pointer}, list->getArrayFiller());
    return;
  }
  if (llvm::isa<clang::StringLiteral>(init->IgnoreParens())) return put(to, ir::nothing);
  if (const auto* from = llvm::dyn_cast<clang::CallExpr>(init->IgnoreParens());
      from != nullptr && init->getType()->isPointerType() && !init->getType()->isVoidPointerType())
    conversions_.emplace(from, init->getType()->getPointeeType());
  put(to, init->isGLValue() ? get(place(init), true) : value_of(init));
}

void Lowering::initialiser(Symbols& symbols, ir::Node object, const clang::Expr* value) {
  Lowering lowering(symbols, nullptr, ir::none);
  lowering.static_only_ = true;
  lowering.initialise({.object = object}, value);
}

}  // namespace cppc::frontend
