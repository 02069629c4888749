/// C++: expressions that C has not.
#include "cxx.hpp"
#include "lowering.hpp"

namespace cppc::frontend {

using ir::Op;

namespace {

/// Conversions after which a class object is the same, or a part of it.
bool is_transparent(const clang::CastExpr* cast) {
  switch (cast->getCastKind()) {
    case clang::CK_NoOp:
    case clang::CK_ConstructorConversion:
    case clang::CK_UserDefinedConversion:
    case clang::CK_DerivedToBase:
    case clang::CK_UncheckedDerivedToBase:
    case clang::CK_BaseToDerived:
    case clang::CK_Dynamic:
    case clang::CK_LValueBitCast:
      return true;
    default:
      return false;
  }
}

/// The expression that this one stands for; null: none but itself.
const clang::Expr* stands_for(const clang::Expr* e) {
  if (const auto* argument = llvm::dyn_cast<clang::CXXDefaultArgExpr>(e)) return argument->getExpr();
  if (const auto* init = llvm::dyn_cast<clang::CXXDefaultInitExpr>(e)) return init->getExpr();
  if (const auto* parameter = llvm::dyn_cast<clang::SubstNonTypeTemplateParmExpr>(e))
    return parameter->getReplacement();
  if (const auto* operation = llvm::dyn_cast<clang::CXXRewrittenBinaryOperator>(e)) return operation->getSemanticForm();
  return nullptr;
}

}  // namespace

void Lowering::initialise_captures(const LValue& to, const clang::LambdaExpr* lambda) {
  auto field = lambda->getLambdaClass()->field_begin();
  put(to, ir::nothing);
  for (const clang::Expr* init : lambda->capture_inits()) {
    const LValue part{.object = to.object, .pointer = to.pointer};
    if (init != nullptr && field->getType()->isReferenceType())
      put(part, address_of(place(init)));
    else if (init != nullptr)
      initialise(part, init);
    ++field;
  }
}

void Lowering::initialise_members(const LValue& to, const clang::CXXParenListInitExpr* list) {
  for (const clang::Expr* one : list->getInitExprs())
    if (one->isGLValue())
      put({.object = to.object, .pointer = to.pointer}, join(address_of(place(one)), get(place(one), true)));
    else
      initialise({.object = to.object, .pointer = to.pointer}, one);
}

/// In place, without a temporary object; false when it is no expression of those that make objects.
bool Lowering::cxx_initialise(const LValue& to, const clang::Expr* e) {
  using clang::Stmt;
  if (e->isGLValue()) return false;
  switch (e->getStmtClass()) {
    case Stmt::ParenExprClass:
      initialise(to, llvm::cast<clang::ParenExpr>(e)->getSubExpr());
      return true;
    case Stmt::ExprWithCleanupsClass: {
      const std::size_t before = clean_ups_.size();
      initialise(to, llvm::cast<clang::ExprWithCleanups>(e)->getSubExpr());
      end_scope(before);
      return true;
    }
    case Stmt::CXXBindTemporaryExprClass:
      initialise(to, llvm::cast<clang::CXXBindTemporaryExpr>(e)->getSubExpr());
      return true;
    case Stmt::CXXDefaultArgExprClass:
      initialise(to, llvm::cast<clang::CXXDefaultArgExpr>(e)->getExpr());
      return true;
    case Stmt::CXXDefaultInitExprClass:
      initialise(to, llvm::cast<clang::CXXDefaultInitExpr>(e)->getExpr());
      return true;
    case Stmt::CXXConstructExprClass:
    case Stmt::CXXTemporaryObjectExprClass:
      construct(to, llvm::cast<clang::CXXConstructExpr>(e));
      return true;
    case Stmt::ImplicitCastExprClass:
    case Stmt::CXXFunctionalCastExprClass:
    case Stmt::CXXStaticCastExprClass:
    case Stmt::CStyleCastExprClass: {
      const auto* cast = llvm::cast<clang::CastExpr>(e);
      if (!e->getType()->isRecordType() || !is_transparent(cast) || cast->getSubExpr()->isGLValue()) return false;
      initialise(to, cast->getSubExpr());
      return true;
    }
    case Stmt::LambdaExprClass:
      initialise_captures(to, llvm::cast<clang::LambdaExpr>(e));
      return true;
    case Stmt::ArrayInitLoopExprClass: {
      const auto* loop = llvm::cast<clang::ArrayInitLoopExpr>(e);
      initialise({.object = to.object, .pointer = to.pointer}, loop->getSubExpr());
      return true;
    }
    case Stmt::CXXStdInitializerListExprClass: {
      const clang::Expr* list = llvm::cast<clang::CXXStdInitializerListExpr>(e)->getSubExpr();
      put(to, argument(list));
      return true;
    }
    case Stmt::CXXParenListInitExprClass:
      initialise_members(to, llvm::cast<clang::CXXParenListInitExpr>(e));
      return true;
    default:
      return false;
  }
}

/// For what it does only. An object that it makes is destroyed at the end of the full expression; of a container it is
/// of no matter.
void Lowering::discarded(const clang::Expr* e) {
  const clang::Expr* bare = e->IgnoreParens();
  if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(bare);
      cast != nullptr && cast->getCastKind() == clang::CK_ToVoid)
    return discarded(cast->getSubExpr());
  if (const auto* whole = llvm::dyn_cast<clang::ExprWithCleanups>(bare); whole != nullptr) {
    const std::size_t before = clean_ups_.size();
    discarded(whole->getSubExpr());
    return end_scope(before);
  }
  const clang::QualType type = bare->getType();
  const bool dies = bare->isPRValue() && type->isRecordType() && destructor_of(type) != nullptr &&
                    kind_of(type.getUnqualifiedType()) != Kind::owner;
  if (!dies || static_only_) {
    value(e);
    return;
  }
  const LValue object{.object = symbols_.compound(bare, index_), .whole = true};
  initialise(object, bare);
  add_clean_up(object, type, true);
}

std::optional<ir::Node> Lowering::cxx_value(const clang::Expr* e) {
  using clang::Stmt;
  if (const clang::Expr* other = stands_for(e)) return value(other);
  switch (e->getStmtClass()) {
    case Stmt::CXXThisExprClass:
      return this_pointer();
    case Stmt::ExprWithCleanupsClass: {
      const std::size_t before = clean_ups_.size();
      const ir::Node made = value(llvm::cast<clang::ExprWithCleanups>(e)->getSubExpr());
      end_scope(before);
      return made;
    }
    case Stmt::CXXConstructExprClass:
    case Stmt::CXXTemporaryObjectExprClass:
    case Stmt::CXXBindTemporaryExprClass:
    case Stmt::LambdaExprClass:
    case Stmt::CXXStdInitializerListExprClass:
    case Stmt::CXXParenListInitExprClass:
    case Stmt::ArrayInitLoopExprClass:
      return value_of_object(e);
    case Stmt::CXXNewExprClass:
      return allocate(llvm::cast<clang::CXXNewExpr>(e));
    case Stmt::CXXDeleteExprClass:
      deallocate(llvm::cast<clang::CXXDeleteExpr>(e));
      return ir::nothing;
    case Stmt::CXXThrowExprClass:
      throw_it(llvm::cast<clang::CXXThrowExpr>(e));
      return ir::nothing;
    case Stmt::CXXPseudoDestructorExprClass:
    case Stmt::ArrayInitIndexExprClass:
    case Stmt::CXXScalarValueInitExprClass:
    case Stmt::CXXNoexceptExprClass:
    case Stmt::SizeOfPackExprClass:
    case Stmt::RequiresExprClass:
    case Stmt::ConceptSpecializationExprClass:
      return ir::nothing;
    case Stmt::CXXTypeidExprClass: {
      const auto* type = llvm::cast<clang::CXXTypeidExpr>(e);
      if (!type->isTypeOperand() && type->isPotentiallyEvaluated()) place(type->getExprOperand());
      return ir::nothing;
    }
    default:
      return {};
  }
}

std::optional<LValue> Lowering::cxx_place(const clang::Expr* e) {
  using clang::Stmt;
  if (const clang::Expr* other = stands_for(e)) return place(other);
  switch (e->getStmtClass()) {
    case Stmt::DeclRefExprClass:
      return name(llvm::cast<clang::DeclRefExpr>(e));
    case Stmt::CallExprClass:
    case Stmt::CXXMemberCallExprClass:
    case Stmt::CXXOperatorCallExprClass:
    case Stmt::UserDefinedLiteralClass:
      return LValue{.pointer = full_value_of(e)};
    case Stmt::MemberExprClass:
      return cxx_member(llvm::cast<clang::MemberExpr>(e));
    case Stmt::ImplicitCastExprClass:
    case Stmt::CStyleCastExprClass:
    case Stmt::CXXStaticCastExprClass:
    case Stmt::CXXConstCastExprClass:
    case Stmt::CXXReinterpretCastExprClass:
    case Stmt::CXXFunctionalCastExprClass:
      return converted_place(llvm::cast<clang::CastExpr>(e));
    case Stmt::CXXDynamicCastExprClass: {
      const auto object = converted_place(llvm::cast<clang::CastExpr>(e));
      may_throw();
      return object;
    }
    case Stmt::MaterializeTemporaryExprClass:
      return temporary_object(llvm::cast<clang::MaterializeTemporaryExpr>(e));
    case Stmt::ExprWithCleanupsClass: {
      const std::size_t before = clean_ups_.size();
      const LValue object = place(llvm::cast<clang::ExprWithCleanups>(e)->getSubExpr());
      end_scope(before);
      return object;
    }
    case Stmt::InitListExprClass: {
      const auto* list = llvm::cast<clang::InitListExpr>(e);
      if (list->getNumInits() == 1 && list->getInit(0)->isGLValue()) return place(list->getInit(0));
      return {};
    }
    case Stmt::OpaqueValueExprClass: {
      const clang::Expr* source = llvm::cast<clang::OpaqueValueExpr>(e)->getSourceExpr();
      if (source == nullptr) return {};
      return source->isGLValue() ? place(source)
                                 : LValue{.pointer = address_of({.object = symbols_.compound(e, index_)})};
    }
    case Stmt::CXXTypeidExprClass:
      (void)cxx_value(e);
      return LValue{.object = symbols_.program().text};
    default:
      return place_of_operator(e);
  }
}

/// Of members that are static or references.
std::optional<LValue> Lowering::cxx_member(const clang::MemberExpr* member) {
  if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(member->getMemberDecl())) {
    value(member->getBase());
    const ir::Node node = symbols_.variable(variable);
    if (variable->getType()->isReferenceType()) return LValue{.pointer = get({.object = node}, true)};
    return LValue{.object = node, .whole = true};
  }
  if (!member->getMemberDecl()->getType()->isReferenceType()) return {};
  LValue base = member->isArrow() ? LValue{.pointer = value(member->getBase())} : place(member->getBase());
  base.whole = false;
  base.member = symbols_.member(member->getMemberDecl());
  return LValue{.pointer = get(base, true)};
}

std::optional<LValue> Lowering::converted_place(const clang::CastExpr* cast) {
  if (!is_transparent(cast)) return {};
  const clang::Expr* sub = cast->getSubExpr();
  if (!sub->isGLValue()) return LValue{.pointer = value(sub)};
  LValue object = place(sub);
  if (cast->getCastKind() == clang::CK_NoOp) return object;
  object.whole = false;
  object.member = ir::none;
  return object;
}

LValue Lowering::temporary_object(const clang::MaterializeTemporaryExpr* e) {
  const ir::Node object = symbols_.compound(e, static_only_ ? ir::none : index_);
  const LValue temporary{.object = object, .whole = true};
  initialise(temporary, e->getSubExpr());
  if (e->getStorageDuration() != clang::SD_Static && destructor_of(e->getType()) != nullptr) {
    add_clean_up(temporary, e->getType(), true);
    clean_ups_.back().extended = e->getStorageDuration() == clang::SD_Automatic;
  }
  return temporary;
}

/// What operators give in C++ that give a value in C.
std::optional<LValue> Lowering::place_of_operator(const clang::Expr* e) {
  using clang::Stmt;
  switch (e->getStmtClass()) {
    case Stmt::UnaryOperatorClass: {
      const auto* unary = llvm::cast<clang::UnaryOperator>(e);
      if (unary->getOpcode() != clang::UO_PreInc && unary->getOpcode() != clang::UO_PreDec) return {};
      const LValue target = place(unary->getSubExpr());
      put(target, get(target, true));
      return target;
    }
    case Stmt::BinaryOperatorClass:
    case Stmt::CompoundAssignOperatorClass:
      return place_of_binary(llvm::cast<clang::BinaryOperator>(e));
    case Stmt::ConditionalOperatorClass:
    case Stmt::BinaryConditionalOperatorClass:
      return chosen_place(llvm::cast<clang::AbstractConditionalOperator>(e));
    default:
      return {};
  }
}

std::optional<LValue> Lowering::place_of_binary(const clang::BinaryOperator* e) {
  if (e->getOpcode() == clang::BO_Comma) {
    discarded(e->getLHS());
    return place(e->getRHS());
  }
  if (e->isPtrMemOp()) {
    const clang::Expr* object = e->getLHS();
    value(e->getRHS());
    LValue whole = object->isGLValue() ? place(object) : LValue{.pointer = value(object)};
    whole.whole = false;
    return whole;
  }
  if (!e->isAssignmentOp()) return {};
  const ir::Node from = value(e->getRHS());
  const LValue target = place(e->getLHS());
  put(target, e->isCompoundAssignmentOp() ? join(get(target, true), from) : from);
  return target;
}

LValue Lowering::chosen_place(const clang::AbstractConditionalOperator* e) {
  value(e->getCond());
  if (static_only_ || aside_ != nullptr)
    return LValue{.pointer = join(argument(e->getTrueExpr()), argument(e->getFalseExpr()))};
  const ir::Index from = block_, left = block(), right = block(), after = block();
  function().blocks[from].successors = {left, right};
  const ir::Node result = temporary();
  for (const auto& [way, chosen] : {std::pair{left, e->getTrueExpr()}, std::pair{right, e->getFalseExpr()}}) {
    at(way);
    emit(Op::copy, result, argument(chosen));
    function().blocks[block_].successors.push_back(after);
  }
  at(after);
  return LValue{.pointer = result};
}

}  // namespace cppc::frontend
