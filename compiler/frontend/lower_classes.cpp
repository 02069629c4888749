/// C++: member functions, references, constructors, new and delete, lambdas.
#include <clang/AST/DeclTemplate.h>

#include <algorithm>

#include "cxx.hpp"
#include "lowering.hpp"
#include "syntax.hpp"

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

const clang::CXXRecordDecl* lambda_of(const clang::FunctionDecl* function) {
  const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(function);
  return method != nullptr && method->getParent()->isLambda() ? method->getParent() : nullptr;
}

}  // namespace

// ---- What functions share ----

std::string Symbols::key(const clang::NamedDecl* declaration) const {
  const std::string name = linker_name(declaration);
  return declaration->isExternallyVisible() ? name : std::to_string(unit) + ":" + name;
}

ir::Node Symbols::object_parameter(const clang::CXXMethodDecl* method) {
  const ir::Index index = function(method);
  const auto [found, fresh] = object_parameters_.try_emplace(index, ir::nothing);
  if (!fresh) return found->second;
  const auto& manager = source_.units[unit].ast->getSourceManager();
  const ir::Node node = program_.add({.storage = ir::Storage::local, .scalar = true, .function = index}, "this",
                                     position(manager, method->getLocation(), program_));
  program_.types.emplace(node, "this");
  find_pointers(node, method->getThisType());
  return object_parameters_[index] = node;
}

ir::Node Symbols::overriders(const clang::CXXMethodDecl* method) {
  const auto [found, fresh] = virtual_.try_emplace(key(method->getCanonicalDecl()), ir::nothing);
  if (fresh) {
    found->second = program_.add({});
    if (is_of_system(method)) program_.initial.push_back({Op::read, found->second, program_.unknown});
  }
  return found->second;
}

/// A function is one of those that its own name and those that it overrides stand for.
void Symbols::see_virtual(const clang::CXXMethodDecl* method) {
  if (!method->isVirtual() || method->isDeleted()) return;
  const bool defined_somewhere = !method->isPureVirtual();
  std::vector<const clang::CXXMethodDecl*> work{method};
  while (!work.empty()) {
    const clang::CXXMethodDecl* one = work.back();
    work.pop_back();
    if (defined_somewhere) overriders_[key(one->getCanonicalDecl())].insert(function_object(method));
    if (one != method && is_of_system(one) && !is_of_system(method)) {
      escape(function_object(method));
      library_calls_back = library_calls_back || !llvm::isa<clang::CXXDestructorDecl>(method);
    }
    for (const clang::CXXMethodDecl* base : one->overridden_methods()) work.push_back(base);
  }
}

void Symbols::bind_virtual(bool has_other_parts) {
  for (const auto& [name, node] : virtual_) {
    for (const ir::Node function : overriders_[name]) program_.initial.push_back({Op::address, node, function});
    if (has_other_parts) program_.initial.push_back({Op::read, node, program_.unknown});
  }
}

ir::Index Symbols::helper(const std::string& name) {
  const auto [found, fresh] = helpers_.try_emplace(name, static_cast<ir::Index>(program_.functions.size()));
  if (fresh) program_.functions.push_back({.name = name});
  return found->second;
}

ir::Index Symbols::start_up(const clang::VarDecl* variable) {
  const auto index = static_cast<ir::Index>(program_.functions.size());
  ir::Function made{.name = "(initialisation of " + variable->getNameAsString() + ")", .defined = true};
  made.result = program_.add({});
  made.rest = program_.add({});
  made.blocks.resize(2);
  program_.functions.push_back(std::move(made));
  return index;
}

// ---- Names ----

ir::Node Lowering::this_pointer() {
  if (aside_ != nullptr && given_this_) return *given_this_;
  const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(declaration_);
  if (method == nullptr || method->isStatic()) return from_outside();
  const ir::Node own = get({.object = symbols_.object_parameter(method)}, true);
  return lambda_of(method) == nullptr ? own : get({.pointer = own}, true);
}

/// A variable of the function around a lambda: itself when the lambda refers to it, else the copy.
std::optional<LValue> Lowering::captured(const clang::DeclRefExpr* e, const clang::VarDecl* variable) {
  const clang::CXXRecordDecl* lambda = lambda_of(declaration_);
  if (lambda == nullptr || !e->refersToEnclosingVariableOrCapture()) return {};
  llvm::DenseMap<const clang::ValueDecl*, clang::FieldDecl*> fields;
  clang::FieldDecl* of_this = nullptr;
  lambda->getCaptureFields(fields, of_this);
  const auto field = fields.find(variable);
  if (field == fields.end()) return {};
  const ir::Node closure =
      get({.object = symbols_.object_parameter(llvm::cast<clang::CXXMethodDecl>(declaration_))}, true);
  if (!field->second->getType()->isReferenceType()) return LValue{.pointer = closure};
  if (variable->getDeclContext() != lambda->getDeclContext() || variable->isInitCapture())
    return LValue{.pointer = get({.pointer = closure}, true)};
  const ir::Node node = symbols_.variable(variable);
  symbols_.program().objects[node].address_taken = true;
  if (variable->getType()->isReferenceType()) return LValue{.pointer = get({.object = node}, true)};
  return LValue{.object = node};  // of one of perhaps several calls of that function
}

LValue Lowering::name(const clang::DeclRefExpr* e) {
  const clang::ValueDecl* d = e->getDecl();
  if (const auto* binding = llvm::dyn_cast<clang::BindingDecl>(d)) {
    if (const auto* holding = binding->getHoldingVar())
      return {.pointer = get({.object = symbols_.variable(holding)}, true)};
    return binding->getBinding() != nullptr ? place(binding->getBinding()) : LValue{.pointer = not_understood(e)};
  }
  if (const auto* named = llvm::dyn_cast<clang::FunctionDecl>(d)) {
    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(named);
    if (method != nullptr && method->isVirtual()) return {.pointer = symbols_.overriders(method)};
    return {.object = symbols_.function_object(named)};
  }
  const auto* variable = llvm::dyn_cast<clang::VarDecl>(d);
  if (variable == nullptr) return {};
  if (const auto copy = captured(e, variable)) return *copy;
  if (variable->getType()->isReferenceType()) {
    if (aside_ != nullptr)
      if (const auto given = given_.find(variable); given != given_.end()) return {.pointer = given->second};
    return {.pointer = get({.object = symbols_.variable(variable)}, true)};
  }
  return {.object = symbols_.variable(variable), .whole = true};
}

// ---- Calls ----

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
  if (!is_of_system(callee) || callee->getIdentifier() == nullptr) return {};
  const llvm::StringRef name = callee->getName();
  const unsigned count = e->getNumArgs();
  if (name == "__builtin_addressof" || name == "__builtin_launder") return argument(e->getArg(0));
  if (!callee->isInStdNamespace()) {
    // Comparisons and differences of iterators.
    const bool iterators = library_name(callee).starts_with("__gnu_cxx::operator");
    if (!iterators) return {};
    ir::Node result = ir::nothing;
    for (unsigned i = 0; i < count; ++i) result = join(result, element_value(e->getArg(i)));
    return result;
  }
  static constexpr const char* kHandedOn[] = {"move",      "forward", "as_const",
                                              "addressof", "launder", "move_if_noexcept"};
  if (count == 1 && std::ranges::find(kHandedOn, name) != std::end(kHandedOn)) return argument(e->getArg(0));
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
    calls = calls || (calls_program(one->getType()) && !of_library);
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

// ---- Objects ----

void Lowering::construct(const LValue& to, const clang::CXXConstructExpr* e) {
  const clang::CXXConstructorDecl* constructor = e->getConstructor();
  if (construct_container(to, e)) return;
  if (e->requiresZeroInitialization()) put(to, ir::nothing);
  if (constructor->isTrivial() && constructor->isCopyOrMoveConstructor() && e->getNumArgs() > 0) {
    const clang::Expr* from = e->getArg(0);
    return put(to, from->isGLValue() ? get(place(from), true) : value(from));
  }
  if (constructor->isTrivial() && constructor->isDefaultConstructor()) return;
  std::vector<ir::Node> arguments{address_of(to)};
  for (const clang::Expr* one : e->arguments()) arguments.push_back(argument(one));
  const auto* throws = constructor->getType()->getAs<clang::FunctionProtoType>();
  const bool nothrow = throws != nullptr && throws->isNothrow();
  if (!is_of_system(constructor)) {
    made_call(e, symbols_.function(constructor), std::move(arguments), ir::nothing, !nothrow);
    return;
  }
  const std::string name = library_name(constructor);
  const auto calls = [](const clang::Expr* one) { return calls_program(one->getType()); };
  if (symbols_.models().find(name) == nullptr || calls_program(e->getType()) ||
      std::ranges::any_of(e->arguments(), calls)) {
    unknown_call(e, std::move(arguments));
    return;
  }
  for (std::size_t i = 1; i < arguments.size(); ++i) emit(Op::store, arguments[0], arguments[i]);
  made_call(e, symbols_.helper(name), std::move(arguments), ir::nothing, !nothrow);
}

/// What comes before the body.
void Lowering::construct_members(const clang::CXXConstructorDecl* constructor) {
  for (const clang::CXXCtorInitializer* one : constructor->inits()) {
    const clang::Expr* init = one->getInit();
    if (init == nullptr) continue;
    LValue part{.pointer = get({.object = symbols_.object_parameter(constructor)}, true)};
    if (const clang::FieldDecl* field = one->getAnyMember()) {
      part.member = symbols_.member(field);
      if (field->getType()->isReferenceType()) {
        put(part, address_of(place(init)));
        continue;
      }
    }
    initialise(part, init);
  }
}

/// What comes behind the body.
void Lowering::destroy_members(const clang::CXXDestructorDecl* destructor) {
  const clang::CXXRecordDecl* record = destructor->getParent();
  std::vector<const clang::FieldDecl*> fields(record->field_begin(), record->field_end());
  std::ranges::reverse(fields);
  const auto own = [&] { return get({.object = symbols_.object_parameter(destructor)}, true); };
  for (const clang::FieldDecl* field : fields)
    if (destructor_of(field->getType()) != nullptr)
      destroy({.pointer = own(), .member = symbols_.member(field)}, field->getType());
  for (const auto& base : record->bases())
    if (destructor_of(base.getType()) != nullptr) destroy({.pointer = own()}, base.getType());
  for (const auto& base : record->vbases())
    if (destructor_of(base.getType()) != nullptr) destroy({.pointer = own()}, base.getType());
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
    case Stmt::LambdaExprClass: {
      const auto* lambda = llvm::cast<clang::LambdaExpr>(e);
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
      return true;
    }
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
      for (const clang::Expr* one : llvm::cast<clang::CXXParenListInitExpr>(e)->getInitExprs())
        if (one->isGLValue())
          put({.object = to.object, .pointer = to.pointer}, join(address_of(place(one)), get(place(one), true)));
        else
          initialise({.object = to.object, .pointer = to.pointer}, one);
      return true;
    default:
      return false;
  }
}

ir::Node Lowering::allocate(const clang::CXXNewExpr* e) {
  const clang::FunctionDecl* with = e->getOperatorNew();
  if (const auto size = e->getArraySize(); size && *size != nullptr) value(*size);
  std::vector<ir::Node> placement;
  for (const clang::Expr* one : e->placement_arguments()) placement.push_back(argument(one));
  ir::Node made = ir::nothing;
  if (with != nullptr && with->isReservedGlobalPlacementOperator() && !placement.empty())
    made = placement.front();
  else if (with != nullptr && is_of_system(with))
    made = new_block(e);
  else
    made = unknown_call(e, std::move(placement));
  if (const clang::Expr* init = e->getInitializer()) initialise({.pointer = made}, init);
  return made;
}

void Lowering::deallocate(const clang::CXXDeleteExpr* e) {
  const ir::Node pointer = value(e->getArgument());
  const clang::QualType type = e->getDestroyedType();
  if (type.isNull()) {
    unknown_call(e, {pointer});
    return;
  }
  if (const clang::CXXDestructorDecl* destructor = destructor_of(type)) {
    const ir::Index from = block_, some = block(), after = block();  // of none, nothing
    function().blocks[from].successors = {some, after};
    at(some);
    if (destructor->isVirtual())
      made_call(e, ir::none, {pointer}, symbols_.overriders(destructor));
    else
      destroy({.pointer = pointer}, type, e);
    function().blocks[block_].successors.push_back(after);
    at(after);
  }
  if (e->getOperatorDelete() == nullptr || is_of_system(e->getOperatorDelete()))
    free_block(e, pointer);
  else
    unknown_call(e, {pointer});
}

// ---- Expressions ----

std::optional<ir::Node> Lowering::cxx_value(const clang::Expr* e) {
  using clang::Stmt;
  switch (e->getStmtClass()) {
    case Stmt::CXXThisExprClass:
      return this_pointer();
    case Stmt::ExprWithCleanupsClass: {
      const std::size_t before = clean_ups_.size();
      const ir::Node made = value(llvm::cast<clang::ExprWithCleanups>(e)->getSubExpr());
      end_scope(before);
      return made;
    }
    case Stmt::CXXDefaultArgExprClass:
      return value(llvm::cast<clang::CXXDefaultArgExpr>(e)->getExpr());
    case Stmt::CXXDefaultInitExprClass:
      return value(llvm::cast<clang::CXXDefaultInitExpr>(e)->getExpr());
    case Stmt::SubstNonTypeTemplateParmExprClass:
      return value(llvm::cast<clang::SubstNonTypeTemplateParmExpr>(e)->getReplacement());
    case Stmt::CXXRewrittenBinaryOperatorClass:
      return value(llvm::cast<clang::CXXRewrittenBinaryOperator>(e)->getSemanticForm());
    case Stmt::CXXConstructExprClass:
    case Stmt::CXXTemporaryObjectExprClass:
    case Stmt::CXXBindTemporaryExprClass:
    case Stmt::LambdaExprClass:
    case Stmt::CXXStdInitializerListExprClass:
    case Stmt::CXXParenListInitExprClass:
    case Stmt::ArrayInitLoopExprClass: {
      const ir::Node object = symbols_.compound(e, static_only_ ? ir::none : index_);
      initialise({.object = object, .whole = true}, e);
      return get({.object = object}, true);
    }
    case Stmt::CXXNewExprClass:
      return allocate(llvm::cast<clang::CXXNewExpr>(e));
    case Stmt::CXXDeleteExprClass:
      deallocate(llvm::cast<clang::CXXDeleteExpr>(e));
      return ir::nothing;
    case Stmt::CXXThrowExprClass:
      throw_it(llvm::cast<clang::CXXThrowExpr>(e));
      return ir::nothing;
    case Stmt::CXXPseudoDestructorExprClass:
      return ir::nothing;
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
  switch (e->getStmtClass()) {
    case Stmt::DeclRefExprClass:
      return name(llvm::cast<clang::DeclRefExpr>(e));
    case Stmt::CallExprClass:
    case Stmt::CXXMemberCallExprClass:
    case Stmt::CXXOperatorCallExprClass:
    case Stmt::UserDefinedLiteralClass:
      return LValue{.pointer = full_value_of(e)};
    case Stmt::MemberExprClass: {
      const auto* member = llvm::cast<clang::MemberExpr>(e);
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
    case Stmt::ImplicitCastExprClass:
    case Stmt::CStyleCastExprClass:
    case Stmt::CXXStaticCastExprClass:
    case Stmt::CXXConstCastExprClass:
    case Stmt::CXXReinterpretCastExprClass:
    case Stmt::CXXDynamicCastExprClass:
    case Stmt::CXXFunctionalCastExprClass: {
      const auto* cast = llvm::cast<clang::CastExpr>(e);
      if (!is_transparent(cast)) return {};
      const clang::Expr* sub = cast->getSubExpr();
      if (!sub->isGLValue()) return LValue{.pointer = value(sub)};
      LValue object = place(sub);
      if (cast->getCastKind() == clang::CK_NoOp) return object;
      object.whole = false;
      object.member = ir::none;
      return object;
    }
    case Stmt::MaterializeTemporaryExprClass: {
      const auto* made = llvm::cast<clang::MaterializeTemporaryExpr>(e);
      const ir::Node object = symbols_.compound(e, static_only_ ? ir::none : index_);
      const LValue temporary{.object = object, .whole = true};
      initialise(temporary, made->getSubExpr());
      if (made->getStorageDuration() != clang::SD_Static && destructor_of(e->getType()) != nullptr) {
        add_clean_up(temporary, e->getType(), true);
        clean_ups_.back().extended = made->getStorageDuration() == clang::SD_Automatic;
      }
      return temporary;
    }
    case Stmt::ExprWithCleanupsClass: {
      const std::size_t before = clean_ups_.size();
      const LValue object = place(llvm::cast<clang::ExprWithCleanups>(e)->getSubExpr());
      end_scope(before);
      return object;
    }
    case Stmt::CXXDefaultArgExprClass:
      return place(llvm::cast<clang::CXXDefaultArgExpr>(e)->getExpr());
    case Stmt::CXXDefaultInitExprClass:
      return place(llvm::cast<clang::CXXDefaultInitExpr>(e)->getExpr());
    case Stmt::SubstNonTypeTemplateParmExprClass:
      return place(llvm::cast<clang::SubstNonTypeTemplateParmExpr>(e)->getReplacement());
    case Stmt::CXXRewrittenBinaryOperatorClass:
      return place(llvm::cast<clang::CXXRewrittenBinaryOperator>(e)->getSemanticForm());
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
      value(e);
      return LValue{.object = symbols_.program().text};
    case Stmt::UnaryOperatorClass: {
      const auto* unary = llvm::cast<clang::UnaryOperator>(e);
      if (unary->getOpcode() != clang::UO_PreInc && unary->getOpcode() != clang::UO_PreDec) return {};
      const LValue target = place(unary->getSubExpr());
      put(target, get(target, true));
      return target;
    }
    case Stmt::BinaryOperatorClass:
    case Stmt::CompoundAssignOperatorClass: {
      const auto* both = llvm::cast<clang::BinaryOperator>(e);
      if (both->getOpcode() == clang::BO_Comma) {
        value(both->getLHS());
        return place(both->getRHS());
      }
      if (both->isPtrMemOp()) {
        const clang::Expr* object = both->getLHS();
        value(both->getRHS());
        LValue whole = object->isGLValue() ? place(object) : LValue{.pointer = value(object)};
        whole.whole = false;
        return whole;
      }
      if (!both->isAssignmentOp()) return {};
      const ir::Node from = value(both->getRHS());
      const LValue target = place(both->getLHS());
      put(target, both->isCompoundAssignmentOp() ? join(get(target, true), from) : from);
      return target;
    }
    case Stmt::ConditionalOperatorClass:
    case Stmt::BinaryConditionalOperatorClass: {
      const auto* choice = llvm::cast<clang::AbstractConditionalOperator>(e);
      value(choice->getCond());
      if (static_only_ || aside_ != nullptr)
        return LValue{.pointer = join(argument(choice->getTrueExpr()), argument(choice->getFalseExpr()))};
      const ir::Index from = block_, left = block(), right = block(), after = block();
      function().blocks[from].successors = {left, right};
      const ir::Node result = temporary();
      for (const auto& [way, chosen] :
           {std::pair{left, choice->getTrueExpr()}, std::pair{right, choice->getFalseExpr()}}) {
        at(way);
        emit(Op::copy, result, argument(chosen));
        function().blocks[block_].successors.push_back(after);
      }
      at(after);
      return LValue{.pointer = result};
    }
    default:
      return {};
  }
}

}  // namespace cppc::frontend
