#include "cxx.hpp"
#include "lowering.hpp"
#include "plain.hpp"
#include "syntax.hpp"

namespace cppc::frontend {

using ir::Op;

namespace {

/// Whether values of the type may lead to an object.
bool may_refer(clang::QualType type) {
  return type->isPointerType() || type->isRecordType() || type->isArrayType() || type->isIntegerType() ||
         type->isFunctionType() || type->isAtomicType() || type->isVectorType();
}

bool is_narrow(clang::QualType type, const clang::ASTContext& context) {
  return type->isIntegerType() && context.getTypeSize(type) < context.getTypeSize(context.VoidPtrTy);
}

/// Stands for all pointers that were converted to integers.
ir::Node any_number(ir::Program& program) {
  auto& numbers = program.addresses_as_numbers;
  if (numbers.empty()) numbers.push_back(program.add({}));
  return numbers.front();
}

/// Whether an expression's value leads nowhere, and it does no more than its operands do.
bool is_only_operands(const clang::Expr* e) {
  using clang::Stmt;
  switch (e->getStmtClass()) {
    case Stmt::IntegerLiteralClass:
    case Stmt::FloatingLiteralClass:
    case Stmt::CharacterLiteralClass:
    case Stmt::ImaginaryLiteralClass:
    case Stmt::StringLiteralClass:
    case Stmt::DeclRefExprClass:
    case Stmt::ImplicitValueInitExprClass:
    case Stmt::NoInitExprClass:
    case Stmt::OffsetOfExprClass:
    case Stmt::CXXBoolLiteralExprClass:
    case Stmt::CXXNullPtrLiteralExprClass:
    case Stmt::GNUNullExprClass:
    case Stmt::TypeTraitExprClass:
    case Stmt::SourceLocExprClass:
    case Stmt::ConvertVectorExprClass:
    case Stmt::ShuffleVectorExprClass:
      return true;
    default:
      return false;
  }
}

}  // namespace

ir::Node Lowering::value(const clang::Expr* e) {
  if (e->isGLValue()) {  // evaluated, its contents not read
    place(e);
    return ir::nothing;
  }
  return value_of(e);
}

/// Where state is kept by types, an integer that is too narrow for an address is taken for none.
ir::Node Lowering::value_of(const clang::Expr* e) {
  const ir::Node node = full_value_of(e);
  return by_address() || !is_narrow(e->getType(), *context_) ? node : ir::nothing;
}

ir::Node Lowering::full_value_of(const clang::Expr* e) {
  using clang::Stmt;
  switch (e->getStmtClass()) {
    case Stmt::ParenExprClass:
      return value_of(llvm::cast<clang::ParenExpr>(e)->getSubExpr());
    case Stmt::ImplicitCastExprClass:
    case Stmt::CStyleCastExprClass:
    case Stmt::CXXStaticCastExprClass:
    case Stmt::CXXConstCastExprClass:
    case Stmt::CXXReinterpretCastExprClass:
    case Stmt::CXXDynamicCastExprClass:
    case Stmt::CXXFunctionalCastExprClass:
    case Stmt::BuiltinBitCastExprClass:
      return converted(llvm::cast<clang::CastExpr>(e));
    case Stmt::UnaryOperatorClass:
      return unary(llvm::cast<clang::UnaryOperator>(e));
    case Stmt::BinaryOperatorClass:
    case Stmt::CompoundAssignOperatorClass:
      return binary(llvm::cast<clang::BinaryOperator>(e));
    case Stmt::ConditionalOperatorClass:
    case Stmt::BinaryConditionalOperatorClass:
      return choice(llvm::cast<clang::AbstractConditionalOperator>(e));
    case Stmt::OpaqueValueExprClass:
      return value(llvm::cast<clang::OpaqueValueExpr>(e)->getSourceExpr());
    case Stmt::CallExprClass:
    case Stmt::CXXMemberCallExprClass:
    case Stmt::CXXOperatorCallExprClass:
    case Stmt::UserDefinedLiteralClass: {
      const auto* made = llvm::cast<clang::CallExpr>(e);
      const clang::Expr* result = aside_ != nullptr ? plain_result(made) : nullptr;
      return result != nullptr ? look_into(made, result) : call(made);
    }
    case Stmt::MemberExprClass: {  // of a value that a function returned
      const LValue member = place(e);
      return e->getType()->isArrayType() ? address_of(member) : get(member, may_refer(e->getType()));
    }
    case Stmt::InitListExprClass:
      return value_of_object(e);
    case Stmt::AtomicExprClass:
      return atomic(llvm::cast<clang::AtomicExpr>(e));
    default:
      return rare_value(e);
  }
}

/// Of expressions that are not in every program.
ir::Node Lowering::rare_value(const clang::Expr* e) {
  using clang::Stmt;
  switch (e->getStmtClass()) {
    case Stmt::ConstantExprClass:
      return ir::nothing;
    case Stmt::UnaryExprOrTypeTraitExprClass: {
      const auto* size = llvm::cast<clang::UnaryExprOrTypeTraitExpr>(e);
      if (size->isArgumentType())
        sizes_in(size->getArgumentType());
      else if (size->getArgumentExpr()->getType()->isVariableArrayType())
        place(size->getArgumentExpr());
      return ir::nothing;
    }
    case Stmt::StmtExprClass:
      return last_value(llvm::cast<clang::StmtExpr>(e)->getSubStmt());
    case Stmt::VAArgExprClass: {
      const ir::Node result = temporary();
      sizes_in(e->getType());
      emit(Op::copy, result, symbols_.variable_arguments());
      return result;
    }
    case Stmt::AddrLabelExprClass:  // of a static table: the function has a computed goto
      if (!static_only_) function().obstacle = "it takes a label's address";
      return ir::nothing;
    case Stmt::GenericSelectionExprClass:
      return value(llvm::cast<clang::GenericSelectionExpr>(e)->getResultExpr());
    case Stmt::ChooseExprClass:
      return value(llvm::cast<clang::ChooseExpr>(e)->getChosenSubExpr());
    default:
      break;
  }
  if (is_only_operands(e)) {
    for (const clang::Stmt* child : e->children())
      if (const auto* sub = llvm::dyn_cast_or_null<clang::Expr>(child)) value(sub);
    return ir::nothing;
  }
  if (is_cxx())
    if (const auto made = cxx_value(e)) return *made;
  return not_understood(e);
}

ir::Node Lowering::converted(const clang::CastExpr* cast) {
  const clang::Expr* sub = cast->getSubExpr();
  if (const auto* written = llvm::dyn_cast<clang::CStyleCastExpr>(cast)) sizes_in(written->getTypeAsWritten());
  switch (cast->getCastKind()) {
    case clang::CK_LValueToRValue:
      if (const auto node = known(sub)) return *node;
      return get(place(sub), may_refer(sub->getType()));
    case clang::CK_LValueToRValueBitCast:
      return get(place(sub), true);
    case clang::CK_ArrayToPointerDecay:
      return sub->isGLValue() ? address_of(place(sub)) : value_of(sub);
    case clang::CK_FunctionToPointerDecay:
    case clang::CK_BuiltinFnToFnPtr:
      return address_of(place(sub));
    case clang::CK_IntegralToPointer:
      if (!cast->isEvaluatable(*context_))
        return join(value(sub), by_address() ? from_outside() : any_number(symbols_.program()));
      return address_of({.object = symbols_.program().nowhere});
    default:
      break;
  }
  if (const auto* inner = llvm::dyn_cast<clang::CallExpr>(sub->IgnoreParens());
      inner != nullptr && cast->getType()->isPointerType() && !cast->getType()->isVoidPointerType())
    conversions_.emplace(inner, cast->getType()->getPointeeType());
  if (sub->isGLValue()) {
    place(sub);
    return ir::nothing;
  }
  const ir::Node from = value_of(sub);
  const bool is_address = cast->getCastKind() == clang::CK_PointerToIntegral && from != ir::nothing;
  return is_address ? as_number(from) : from;
}

/// An address as an integer, which may become a pointer again in any way.
ir::Node Lowering::as_number(ir::Node address) {
  const ir::Node number = temporary();
  emit(Op::copy, number, address);
  if (by_address())
    escape(number);
  else
    emit(Op::copy, any_number(symbols_.program()), number);
  symbols_.program().addresses_as_numbers.push_back(number);
  return number;
}

/// Of a statement expression.
ir::Node Lowering::last_value(const clang::CompoundStmt* body) {
  ir::Node last = ir::nothing;
  for (const clang::Stmt* child : body->body()) {
    const auto* expression = llvm::dyn_cast<clang::Expr>(child);
    if (expression != nullptr && child == body->body_back())
      last = value(expression);
    else
      statement(child);
  }
  return last;
}

/// Of an object without a name, which the expression initialises.
ir::Node Lowering::value_of_object(const clang::Expr* e) {
  const ir::Node object = symbols_.compound(e, static_only_ ? ir::none : index_);
  initialise({.object = object, .whole = true}, e);
  return get({.object = object}, true);
}

/// What says how long arrays of a type are is evaluated where the type is written.
void Lowering::sizes_in(clang::QualType type) {
  if (static_only_ || !type->isVariablyModifiedType()) return;
  for (const clang::Expr* evaluated : evaluated_in(type))
    if (evaluated->isGLValue())
      place(evaluated);
    else
      value(evaluated);
}

ir::Node Lowering::join(ir::Node left, ir::Node right) {
  if (left == ir::nothing || left == right) return right;
  if (right == ir::nothing) return left;
  const ir::Node both = temporary();
  emit(Op::copy, both, left);
  emit(Op::copy, both, right);
  return both;
}

ir::Node Lowering::unary(const clang::UnaryOperator* e) {
  switch (e->getOpcode()) {
    case clang::UO_AddrOf:
      return address_of(place(e->getSubExpr()));
    case clang::UO_PreInc:
    case clang::UO_PreDec:
    case clang::UO_PostInc:
    case clang::UO_PostDec: {
      const LValue target = place(e->getSubExpr());
      const ir::Node old = get(target, e->getType()->isPointerType());
      put(target, old);
      return old;
    }
    default:
      return value(e->getSubExpr());
  }
}

ir::Node Lowering::binary(const clang::BinaryOperator* e) {
  switch (e->getOpcode()) {
    case clang::BO_LAnd:
    case clang::BO_LOr:
      return shortcut(e);
    case clang::BO_Comma:
      discarded(e->getLHS());
      return value(e->getRHS());
    case clang::BO_Assign: {
      if (const auto* from = llvm::dyn_cast<clang::CallExpr>(e->getRHS()->IgnoreParens());
          from != nullptr && e->getLHS()->getType()->isPointerType() && !e->getLHS()->getType()->isVoidPointerType())
        conversions_.emplace(from, e->getLHS()->getType()->getPointeeType());
      const ir::Node from = value(e->getRHS());
      put(place(e->getLHS()), from);
      return from;
    }
    default:
      break;
  }
  if (e->isCompoundAssignmentOp()) {
    const ir::Node change = value(e->getRHS());
    const LValue target = place(e->getLHS());
    const ir::Node old = get(target, may_refer(e->getLHS()->getType()));
    const ir::Node made = join(old, change);
    put(target, made);
    return made;
  }
  const ir::Node left = value(e->getLHS()), right = value(e->getRHS());
  switch (e->getOpcode()) {  // of numbers, these may still be an address
    case clang::BO_Add:
    case clang::BO_And:
    case clang::BO_Or:
    case clang::BO_Xor:
      return join(left, right);
    default:
      return e->getType()->isPointerType() || by_address() ? join(left, right) : ir::nothing;
  }
}

ir::Node Lowering::shortcut(const clang::BinaryOperator* e) {
  if (static_only_) return ir::nothing;
  value(e->getLHS());
  const ir::Index from = block_, more = block(), after = block();
  function().blocks[from].successors = {more, after};
  at(more);
  value(e->getRHS());
  function().blocks[block_].successors.push_back(after);
  at(after);
  return ir::nothing;
}

ir::Node Lowering::choice(const clang::AbstractConditionalOperator* e) {
  const ir::Node shared = value(e->getCond());
  if (static_only_) return join(value(e->getTrueExpr()), value(e->getFalseExpr()));
  const ir::Index from = block_, left = block(), right = block(), after = block();
  function().blocks[from].successors = {left, right};
  const ir::Node result = temporary();
  for (const auto& [way, expression] : {std::pair{left, e->getTrueExpr()}, std::pair{right, e->getFalseExpr()}}) {
    at(way);
    const bool same = llvm::isa<clang::OpaqueValueExpr>(expression->IgnoreParenImpCasts());
    emit(Op::copy, result, same ? shared : value(expression));  // perhaps of nothing: then it may lead nowhere
    function().blocks[block_].successors.push_back(after);
  }
  at(after);
  return result;
}

void Lowering::set_callee(ir::Call& made, const clang::CallExpr* e) {
  const clang::FunctionDecl* named = e->getDirectCallee();
  if (named != nullptr && is_virtual_call(e)) {
    made.pointer = symbols_.overriders(llvm::cast<clang::CXXMethodDecl>(named));
  } else if (named != nullptr) {
    made.callee = symbols_.function(named);
    made.name = symbols_.program().functions[made.callee].name;
  } else {
    made.pointer = argument(e->getCallee());
  }
}

/// It is plain when nothing but reads are done for it.
void Lowering::add_argument(ir::Call& made, const clang::Expr* argument) {
  const ir::Index before = block_;
  const std::size_t first = static_only_ || aside_ != nullptr ? 0 : function().blocks[block_].instructions.size();
  made.arguments.push_back(this->argument(argument));
  std::vector<ir::Node> reads;
  bool plain = block_ == before && !static_only_ && aside_ == nullptr;
  if (plain)
    for (std::size_t i = first; i < function().blocks[block_].instructions.size(); ++i) {
      const auto& instruction = function().blocks[block_].instructions[i];
      plain = plain && (instruction.op == Op::read || instruction.op == Op::address || instruction.op == Op::copy);
      if (instruction.op == Op::read) reads.push_back(instruction.b);
    }
  made.argument_reads.push_back(std::move(reads));
  made.plain.push_back(plain);
  made.texts.push_back(made.name.starts_with("MPI_") ? spelling(argument, *context_) : std::string());
}

ir::Node Lowering::call(const clang::CallExpr* e) {
  const ir::Index marker = marker_, loop = loop_, inside = condition_;
  ir::Call made{.caller = index_};
  const clang::FunctionDecl* named = e->getDirectCallee();
  if (is_cxx() && named != nullptr)
    if (const auto known = known_call(e, named)) return *known;
  set_callee(made, e);
  // Its number first: calls among the arguments get later ones.
  const auto index = static_cast<ir::Index>(symbols_.program().calls.size());
  symbols_.program().calls.emplace_back();
  emit(Op::arguments, ir::nothing, ir::nothing, index);
  for (const clang::Expr* argument : operands_of(e)) add_argument(made, argument);
  auto& program = symbols_.program();
  made.result = temporary();
  made.loop = loop;
  made.marker = marker;
  made.in_team = in_team_;
  made.condition = inside;
  made.order = ++order_;
  made.where = position(manager(), e->getBeginLoc(), program);
  made.handle = static_cast<ir::Index>(symbols_.source().calls.size());
  const auto converted = conversions_.find(e);
  symbols_.source().calls.push_back(
      {symbols_.unit, e, converted != conversions_.end() ? converted->second : clang::QualType()});
  ir::Node result = made.result;
  const bool library = made.callee != ir::none && made.name.find("::") != std::string::npos;
  if (library) result = see_library_call(made, e);
  take_variable_arguments(e);
  const auto overwrite = overwrite_of(e, made.name);
  const bool fills = overwrite && overwrite->count != nullptr;
  made.fills = fills;
  program.calls[index] = std::move(made);
  std::vector<ir::Index> overwrites;
  if (overwrite) overwrites = add_overwrites(*overwrite);
  for (const ir::Index one : overwrites) program.overwrites[one].call = fills ? index : ir::none;
  for (const ir::Index one : overwrites) emit(Op::overwrite_begin, ir::nothing, ir::nothing, one);
  emit(Op::call, ir::nothing, ir::nothing, index);
  for (const ir::Index one : overwrites) emit(Op::overwrite, ir::nothing, ir::nothing, one);
  if (library) emit(Op::copy, result, symbols_.program().calls[index].result);
  if (is_cxx() && !overwrite && symbols_.exceptions.may_come_from(e)) may_throw();
  return result;
}

}  // namespace cppc::frontend
