/// C++: std::vector and std::unique_ptr as pointers to a block of their own, iterators as pointers, std::array as an
/// array; by models/cxx.toml.
#include <clang/AST/DeclTemplate.h>

#include <algorithm>

#include "cxx.hpp"
#include "lowering.hpp"
#include "plain.hpp"

namespace cppc::frontend {

using ir::Op;
using models::Container;

namespace {

/// Whether the library calls constructors of the program for elements that it makes of nothing, or of other arguments.
bool makes_objects(clang::QualType element) {
  const auto* record = element->getAsCXXRecordDecl();
  return record != nullptr && kind_of(element) == Kind::other && !record->hasTrivialDefaultConstructor();
}

clang::QualType object_type(const clang::CallExpr* call, const clang::Expr* object) {
  const clang::QualType type = object->getType();
  const bool arrow = llvm::isa<clang::CXXMemberCallExpr>(call) && type->isPointerType();
  return (arrow ? type->getPointeeType() : type).getUnqualifiedType();
}

bool is_initializer_list(clang::QualType type) {
  const auto* record = type.getNonReferenceType()->getAsCXXRecordDecl();
  return record != nullptr && record->getIdentifier() != nullptr && record->getName() == "initializer_list";
}

bool locates_in_array(llvm::StringRef name) {
  static constexpr const char* kNames[] = {"operator[]", "at",  "front",  "back", "data",
                                           "begin",      "end", "cbegin", "cend"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

}  // namespace

ir::Node Lowering::new_block(const clang::Expr* where) { return made_call(where, symbols_.helper("operator new"), {}); }

void Lowering::free_block(const clang::Expr* where, ir::Node block) {
  made_call(where, symbols_.helper("operator delete"), {block}, ir::nothing, false);
}

/// What an element gets from an argument: its contents; of a pointer or list also those of what it leads to.
ir::Node Lowering::element_value(const clang::Expr* e) {
  const clang::QualType type = e->getType();
  ir::Node from = e->isGLValue() ? get(place(e), true) : value(e);
  if (kind_of(type) == Kind::owner && e->isLValue()) from = copy_of(e, type, from);
  if (kind_of(type) == Kind::pointer || is_initializer_list(type)) from = join(from, get({.pointer = from}, true));
  return from;
}

void Lowering::fill_block(ir::Node block, llvm::ArrayRef<const clang::Expr*> elements) {
  for (const clang::Expr* one : elements) emit(Op::store, block, element_value(one));
}

/// A value of a type that owns blocks as a copy of it has it.
ir::Node Lowering::copy_of(const clang::Expr* where, clang::QualType type, ir::Node from, int depth) {
  constexpr int kDepth = 4;
  if (kind_of(type) != Kind::owner) return from;
  const clang::QualType element = element_of(type);
  ir::Node elements = get({.pointer = from}, true);
  const ir::Node made = new_block(where);
  if (depth < kDepth) elements = copy_of(where, element, elements, depth + 1);
  emit(Op::store, made, elements);
  if (!is_simple(element)) unknown_call(where, {from, made});
  return made;
}

/// A vector that holds nothing any more of what it held, from here on. Where a copy may throw, that is behind it.
void Lowering::replaced(const clang::Expr* vector) {
  const clang::QualType type = vector != nullptr ? vector->getType() : clang::QualType();
  if (vector == nullptr || aside_ != nullptr || static_only_ || declaration_ == nullptr || !plain(vector)) return;
  if (!is_replaced(element_of(type->isPointerType() ? type->getPointeeType() : type))) return;
  for (const ir::Index overwrite : add_overwrites({.unit = symbols_.unit, .vector = vector})) {
    emit(Op::overwrite_begin, ir::nothing, ir::nothing, overwrite);
    emit(Op::overwrite, ir::nothing, ir::nothing, overwrite);
  }
}

/// `vector`: the object, when it is one.
bool Lowering::assign_container(const LValue& to, const clang::Expr* from, const clang::Expr* vector) {
  const clang::QualType type = from->getType().getUnqualifiedType();
  const ir::Node old = get(to, true);
  if (kind_of(type) == Kind::owner && !from->isLValue()) {  // moved
    const LValue other = from->isGLValue() ? place(from) : LValue{};
    const ir::Node block = from->isGLValue() ? get(other, true) : value(from);
    free_block(from, old);
    replaced(vector);
    put(to, block);
    put(other, ir::nothing);
    return true;
  }
  if (kind_of(type) == Kind::owner) {
    const ir::Node other = get(place(from), true), copy = copy_of(from, type, other);
    const bool copied = kind_of(element_of(type)) == Kind::owner;  // elements are copies that own others
    emit(Op::store, old, get({.pointer = copied ? copy : other}, true));
    replaced(vector);
    put(to, join(old, copy));
    return true;
  }
  if (type->isNullPtrType()) {
    free_block(from, old);
    put(to, ir::nothing);
    return true;
  }
  const ir::Node made = new_block(from), elements = element_value(from);
  emit(Op::store, made, elements);
  emit(Op::store, old, elements);
  replaced(vector);
  put(to, join(old, made));
  return true;
}

bool Lowering::construct_container(const LValue& to, const clang::CXXConstructExpr* e) {
  const clang::QualType type = e->getType().getUnqualifiedType();
  const Kind kind = kind_of(type);
  const llvm::ArrayRef<const clang::Expr*> arguments(e->getArgs(), e->getNumArgs());
  if (kind == Kind::pointer) {
    ir::Node from = ir::nothing;
    for (const clang::Expr* one : arguments) from = one->isGLValue() ? get(place(one), true) : value(one);
    put(to, from);
    return true;
  }
  if (kind != Kind::owner) return false;
  const bool no_argument = arguments.empty() || llvm::isa<clang::CXXDefaultArgExpr>(arguments.front());
  if (no_argument || arguments.front()->getType()->isNullPtrType()) {
    put(to, ir::nothing);
    return true;
  }
  const clang::Expr* first = arguments.front();
  const bool of_owner = kind_of(first->getType().getUnqualifiedType()) == Kind::owner;
  const bool unique = llvm::cast<clang::CXXRecordDecl>(e->getConstructor()->getParent())->getName() == "unique_ptr";
  if (of_owner && !first->isLValue()) {  // moved
    const LValue from = first->isGLValue() ? place(first) : LValue{};
    put(to, first->isGLValue() ? get(from, true) : value(first));
    put(from, ir::nothing);
    return true;
  }
  if (of_owner) {
    put(to, copy_of(e, type, get(place(first), true)));
    return true;
  }
  if (unique) {
    put(to, first->isGLValue() ? get(place(first), true) : value(first));
    return true;
  }
  const ir::Node made = new_block(e);
  fill_block(made, arguments);
  put(to, made);
  const clang::QualType element = element_of(type);
  if (!is_simple(element) || makes_objects(element)) unknown_call(e, {made});
  return true;
}

/// What a member function of a container does; nothing when it is none that the tables have.
std::optional<ir::Node> Lowering::container_call(const clang::CallExpr* e, const clang::FunctionDecl* callee) {
  const clang::Expr* object = object_of(e);
  if (object == nullptr || !is_of_system(callee)) return {};
  const clang::QualType type = object_type(e, object);
  const Kind kind = kind_of(type);
  if (kind == Kind::other || type->isPointerType()) return {};
  const auto arguments = arguments_of(e);
  if (const auto* made = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(object->IgnoreImpCasts());
      made != nullptr && kind == Kind::pointer && !callee->getReturnType()->isReferenceType()) {
    const ir::Node pointer = value(made->getSubExpr());
    for (const clang::Expr* one : arguments) element_value(one);
    return pointer;
  }
  const bool arrow = object->getType()->isPointerType();
  const LValue container = arrow ? LValue{.pointer = value(object)} : place(object);
  const ContainerCall call{e, callee, object, type, arguments, callee->getNameAsString(), container};
  if (kind == Kind::pointer) return call_of_iterator(call);
  const ir::Node result = kind == Kind::array ? call_of_array(call) : call_of_owner(call);
  if (call.name == "at") may_throw();
  return result;
}

ir::Node Lowering::call_of_iterator(const ContainerCall& c) {
  for (const clang::Expr* one : c.arguments) element_value(one);
  const ir::Node pointer = get(c.container, true);
  if (c.name == "operator++" || c.name == "operator--" || c.name == "operator+=" || c.name == "operator-=")
    put(c.container, pointer);
  const bool itself = c.callee->getReturnType()->isReferenceType() && c.name != "operator*" && c.name != "operator[]";
  return itself ? address_of(c.container) : pointer;
}

ir::Node Lowering::call_of_array(const ContainerCall& c) {
  ir::Node given = ir::nothing;
  for (const clang::Expr* one : c.arguments) given = join(given, element_value(one));
  if (locates_in_array(c.name)) return address_of(c.container);
  if (c.name == "size" || c.name == "empty" || c.name == "max_size") return ir::nothing;
  if (c.name != "fill" || !is_simple(element_of(c.type)))
    return unknown_call(c.expression, {address_of(c.container), given});
  put({.object = c.container.object, .pointer = c.container.pointer}, given);
  return ir::nothing;
}

ir::Node Lowering::call_of_owner(const ContainerCall& c) {
  if (c.name == "operator=") {
    assign_container(c.container, c.arguments.front(), is_vector(c.type) ? c.object : nullptr);
    return address_of(c.container);
  }
  const models::Model* model = symbols_.models().find(library_name(c.callee));
  const Container what = model != nullptr ? model->container : Container::none;
  const clang::QualType element = element_of(c.type);
  const ir::Node old = get(c.container, true);
  switch (what) {
    case Container::tells:
    case Container::locates:
      for (const clang::Expr* one : c.arguments) value(one);
      if (c.name == "clear" || c.name == "pop_back") {
        if (!is_simple(element)) unknown_call(c.expression, {old});
        if (c.name == "clear") replaced(c.object);
        put(c.container, old);  // of another size
      }
      return what == Container::locates ? old : ir::nothing;
    case Container::makes:
    case Container::grows:
      return block_made_by(c, old, what == Container::grows);
    case Container::swaps: {
      const LValue other = place(c.arguments.front());
      const ir::Node theirs = get(other, true);
      put(c.container, theirs);
      put(other, old);
      return ir::nothing;
    }
    case Container::takes: {
      const ir::Node taken = c.arguments.empty() ? ir::nothing : value(c.arguments.front());
      if (destructor_of(element) != nullptr) unknown_call(c.expression, {old});
      free_block(c.expression, old);
      put(c.container, taken);
      return ir::nothing;
    }
    case Container::releases:
      put(c.container, ir::nothing);
      return old;
    default: {
      std::vector<ir::Node> all{address_of(c.container)};
      for (const clang::Expr* one : c.arguments) all.push_back(argument(one));
      return unknown_call(c.expression, std::move(all));
    }
  }
}

/// The block that a container may have after it got elements, which is `old` or another one.
ir::Node Lowering::block_made_by(const ContainerCall& c, ir::Node old, bool keeps_elements) {
  const clang::QualType element = element_of(c.type);
  const ir::Node made = new_block(c.expression);
  if (keeps_elements) {
    const ir::Node elements = get({.pointer = old}, true);
    emit(Op::store, made, elements);
    emit(Op::store, old, elements);
  }
  for (const clang::Expr* one : c.arguments) {
    const ir::Node given = element_value(one);
    emit(Op::store, made, given);
    emit(Op::store, old, given);
  }
  if (!is_simple(element) || makes_objects(element)) {
    std::vector<ir::Node> all{old, made};
    for (const clang::Expr* one : c.arguments)
      if (calls_program(one->getType())) all.push_back(argument(one));
    unknown_call(c.expression, std::move(all));
  }
  const ir::Node block = join(old, made);
  if (!keeps_elements) replaced(c.object);
  put(c.container, block);
  return block;
}

}  // namespace cppc::frontend
