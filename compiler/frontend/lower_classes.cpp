/// C++: member functions, references, constructors, new and delete, lambdas.
#include <algorithm>

#include "cxx.hpp"
#include "lowering.hpp"

namespace cppc::frontend {

using ir::Op;

namespace {

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

/// What a lambda without captures is as a pointer to a function: it calls the lambda.
void Lowering::invoke_lambda(const clang::CXXMethodDecl* invoker) {
  const clang::CXXMethodDecl* lambda = invoker->getParent()->getLambdaCallOperator();
  if (auto* made_for = lambda->getDescribedFunctionTemplate(); made_for != nullptr) {  // of parameters that are auto
    void* place = nullptr;
    const auto* types = invoker->getTemplateSpecializationArgs();
    const auto* one = types != nullptr ? made_for->findSpecialization(types->asArray(), place) : nullptr;
    lambda = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(one);
  }
  std::vector<ir::Node> arguments{ir::nothing};
  for (const clang::ParmVarDecl* parameter : invoker->parameters())
    arguments.push_back(get({.object = symbols_.variable(parameter)}, true));
  const ir::Index callee = lambda != nullptr ? symbols_.function(lambda) : symbols_.program().elsewhere;
  emit(Op::copy, function().result, made_call(nullptr, callee, std::move(arguments), ir::nothing));
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
    if (aside_ != nullptr && locals_ != nullptr)
      if (const auto local = locals_->find(variable); local != locals_->end()) return place(local->second);
    return {.pointer = get({.object = symbols_.variable(variable)}, true)};
  }
  return {.object = symbols_.variable(variable), .whole = true};
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
  const bool throws = symbols_.exceptions.may_come_from(constructor);
  if (!is_of_system(constructor)) {
    const std::size_t before = clean_ups_.size();
    if (e->getType()->isArrayType() && throws) add_unwinding({.pointer = arguments[0]}, e->getType(), true);
    made_call(e, symbols_.function(constructor), std::move(arguments), ir::nothing, throws);
    clean_ups_.resize(before);
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
  made_call(e, symbols_.helper(name), std::move(arguments), ir::nothing, throws);
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
    const LValue made{.pointer = part.pointer, .member = part.member};
    if (const clang::FieldDecl* field = one->getAnyMember())
      add_unwinding(made, field->getType());
    else
      add_unwinding(made, one->getTypeSourceInfo()->getType());  // a base, or all when another constructor has made it
  }
}

/// What is destroyed behind the body, or when that throws: in the end what comes last.
void Lowering::add_members(const clang::CXXDestructorDecl* destructor) {
  const clang::CXXRecordDecl* record = destructor->getParent();
  const auto own = [&] { return get({.object = symbols_.object_parameter(destructor)}, true); };
  for (const auto& base : record->vbases()) add_unwinding({.pointer = own()}, base.getType());
  for (const auto& base : record->bases())
    if (!base.isVirtual()) add_unwinding({.pointer = own()}, base.getType());
  for (const clang::FieldDecl* field : record->fields())
    add_unwinding({.pointer = own(), .member = symbols_.member(field)}, field->getType());
}

void Lowering::destroy_members() {
  while (!clean_ups_.empty()) {
    const CleanUp one = clean_ups_.back();
    clean_ups_.pop_back();
    destroy(one);
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

}  // namespace cppc::frontend
