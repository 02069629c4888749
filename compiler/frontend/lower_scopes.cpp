/// C++: what happens at the end of scopes, where exceptions go, and statements that C has not.
#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <utility>

#include "cxx.hpp"
#include "lowering.hpp"
#include "syntax.hpp"

namespace cppc::frontend {

using ir::Op;

void Lowering::add_clean_up(const LValue& object, clang::QualType type, bool perhaps) {
  if (static_only_ || aside_ != nullptr || destructor_of(type) == nullptr) return;
  clean_ups_.push_back({object, type, perhaps});
}

/// One that a constructor or destructor leaves behind, or an array or a `new` when one of its elements throws.
void Lowering::add_unwinding(const LValue& object, clang::QualType type, bool perhaps) {
  const std::size_t before = clean_ups_.size();
  add_clean_up(object, type, perhaps);
  if (clean_ups_.size() > before) clean_ups_.back().unwinding = true;
}

void Lowering::destroy(const CleanUp& one) {
  if (!one.perhaps) return destroy(one.object, one.type);
  const ir::Index from = block_, there = block(), after = block();
  function().blocks[from].successors = {there, after};
  at(there);
  destroy(one.object, one.type);
  function().blocks[block_].successors.push_back(after);
  at(after);
}

/// Destroys all objects but the first ones, on a way out of their scopes. What a destructor throws leaves the rest to
/// be destroyed.
void Lowering::clean_up_to(std::size_t count) {
  std::vector<CleanUp> gone;
  while (clean_ups_.size() > count) {
    gone.push_back(clean_ups_.back());
    clean_ups_.pop_back();
    if (!gone.back().unwinding) destroy(gone.back());
  }
  clean_ups_.insert(clean_ups_.end(), gone.rbegin(), gone.rend());
}

/// The end of a scope, or of a full expression, which some temporary objects outlive.
void Lowering::end_scope(std::size_t count) {
  if (clean_ups_.size() <= count) return;
  std::vector<CleanUp> kept;
  for (std::size_t i = count; i < clean_ups_.size(); ++i)
    if (clean_ups_[i].extended) kept.push_back(clean_ups_[i]);
  std::erase_if(clean_ups_, [](const CleanUp& one) { return one.extended; });
  // Those that stay come first: they are destroyed later.
  clean_up_to(std::min(count, clean_ups_.size()));
  clean_ups_.resize(std::min(count, clean_ups_.size()));
  for (CleanUp& one : kept) {
    one.extended = false;
    one.landing = ir::none;
    clean_ups_.push_back(one);
  }
}

void Lowering::destroy(const LValue& object, clang::QualType type, const clang::Expr* where) {
  if (type->isArrayType()) {
    const clang::QualType element = type->getAsArrayTypeUnsafe()->getElementType();
    const ir::Index from = block_, some = block(), after = block();
    function().blocks[from].successors = {some, after};
    at(some);
    destroy({.object = object.object, .pointer = object.pointer}, element, where);
    function().blocks[block_].successors.push_back(after);
    return at(after);
  }
  const clang::CXXDestructorDecl* destructor = destructor_of(type);
  if (destructor == nullptr) return;
  const Kind kind = kind_of(type.getUnqualifiedType());
  if (kind == Kind::owner) {
    const ir::Node block_of_it = get(object, true);
    const clang::QualType element = element_of(type);
    if (const auto* of_element = destructor_of(element)) {
      const ir::Index from = block_, some = block(), after = block();
      function().blocks[from].successors = {some, after};
      at(some);
      if (of_element->isVirtual())
        made_call(where, ir::none, {block_of_it}, symbols_.overriders(of_element), false);
      else
        destroy({.pointer = block_of_it}, element, where);
      function().blocks[block_].successors.push_back(after);
      at(after);
    }
    free_block(where, block_of_it);
    return put(object, ir::nothing);
  }
  const ir::Node address = address_of(object);
  if (!is_of_system(destructor)) {
    const bool throws = !unwinds_ && may_throw_from(destructor);
    made_call(where, symbols_.function(destructor), {address}, ir::nothing, throws);
    return;
  }
  const std::string name = library_name(destructor);
  if (symbols_.models().find(name) != nullptr && !calls_program(type))
    made_call(where, symbols_.helper(name), {address}, ir::nothing, false);
  else
    made_call(where, symbols_.program().elsewhere, {address}, ir::nothing, false);
}

/// Where an exception goes from here, when so many objects are to be destroyed: to a handler in this function or out of
/// it.
ir::Index Lowering::landing(std::size_t count) {
  const auto within = [count](const Try& one) { return one.clean_ups <= count; };
  const auto innermost = std::find_if(tries_.rbegin(), tries_.rend(), within);
  if (innermost != tries_.rend() && innermost->clean_ups == count) return innermost->handlers;
  if (count == 0) return ir::exit_block;
  if (clean_ups_[count - 1].landing != ir::none) return clean_ups_[count - 1].landing;
  const ir::Index before = block_, start = block();
  clean_ups_[count - 1].landing = start;
  at(start);
  const bool around = std::exchange(unwinds_, true);
  destroy(CleanUp(clean_ups_[count - 1]));
  unwinds_ = around;
  const ir::Index end = block_;
  const ir::Index next = landing(count - 1);
  function().blocks[end].successors.push_back(next);
  at(before);
  return start;
}

/// Behind a call from which an exception may come.
void Lowering::may_throw() {
  if (!symbols_.catches || static_only_ || aside_ != nullptr) return;
  const ir::Index from = block_;
  const ir::Index out = landing(clean_ups_.size()), next = block();
  function().blocks[from].successors.push_back(next);
  function().blocks[from].successors.push_back(out);
  at(next);
}

void Lowering::throw_it(const clang::CXXThrowExpr* e) {
  if (const clang::Expr* thrown = e->getSubExpr()) {
    const ir::Node object = symbols_.compound(e, index_);
    initialise({.object = object, .whole = true}, thrown);
    escape(address_of({.object = object}));
  }
  if (symbols_.catches) function().blocks[block_].successors.push_back(landing(clean_ups_.size()));
  block_ = block();
}

void Lowering::attempt(const clang::CXXTryStmt* s) {
  const ir::Index handlers = block(), after = block();
  tries_.push_back({handlers, clean_ups_.size()});
  const auto* constructor = llvm::dyn_cast_or_null<clang::CXXConstructorDecl>(declaration_);
  if (constructor != nullptr && constructor->getBody() == s) construct_members(constructor);
  statement(s->getTryBlock());
  clean_ups_.resize(tries_.back().clean_ups);
  tries_.pop_back();
  function().blocks[block_].successors.push_back(after);
  bool all = false;
  for (unsigned i = 0; i < s->getNumHandlers(); ++i) {
    const clang::CXXCatchStmt* handler = s->getHandler(i);
    const ir::Index here = block();
    function().blocks[handlers].successors.push_back(here);
    at(here);
    const std::size_t before = clean_ups_.size();
    if (const clang::VarDecl* caught = handler->getExceptionDecl()) {
      const ir::Node node = symbols_.variable(caught);
      if (symbols_.throws_objects) unknown_effect(handler, {});  // the copy that it is
      put({.object = node, .whole = true}, from_outside());
      add_clean_up({.object = node, .whole = true}, caught->getType());
    }
    all = all || handler->getExceptionDecl() == nullptr;
    statement(handler->getHandlerBlock());
    end_scope(before);
    if (symbols_.throws_objects) unknown_effect(handler, {});  // the exception is destroyed
    function().blocks[block_].successors.push_back(after);
  }
  if (!all) {
    const ir::Index out = landing(clean_ups_.size());
    function().blocks[handlers].successors.push_back(out);
  }
  at(after);
}

/// Initialised when control comes by for the first time.
void Lowering::static_local(const clang::VarDecl* variable) {
  sizes_in(variable->getType());
  if (!variable->hasInit() || has_value_from_start(variable)) return;
  const ir::Index from = block_, first = block(), after = block();
  function().blocks[from].successors = {first, after};
  at(first);
  const ir::Node node = symbols_.variable(variable);
  const clang::Expr* init = variable->getInit();
  const std::size_t before = clean_ups_.size();
  if (variable->getType()->isReferenceType())
    put({.object = node, .whole = true}, address_of(place(init)));
  else
    initialise({.object = node}, init);
  end_scope(before);
  function().blocks[block_].successors.push_back(after);
  at(after);
}

void Lowering::range_for(const clang::CXXForRangeStmt* s) {
  const std::size_t before = clean_ups_.size();
  statement(s->getInit());
  for (const clang::DeclStmt* one : {s->getRangeStmt(), s->getBeginStmt(), s->getEndStmt()})
    if (one != nullptr) declaration(one);
  loop(s, nullptr, s->getCond(), s->getInc(), s->getBody(), false);
  end_scope(before);
}

/// False when it is no statement of C++ alone.
bool Lowering::cxx_statement(const clang::Stmt* s) {
  if (const auto* range = llvm::dyn_cast<clang::CXXForRangeStmt>(s)) {
    range_for(range);
    return true;
  }
  if (const auto* attempted = llvm::dyn_cast<clang::CXXTryStmt>(s)) {
    attempt(attempted);
    return true;
  }
  return false;
}

}  // namespace cppc::frontend
