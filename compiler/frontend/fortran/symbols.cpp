#include <flang/Evaluate/tools.h>
#include <flang/Semantics/tools.h>
#include <llvm/Support/raw_ostream.h>

#include "convert.hpp"

namespace cppc::fortran {

namespace semantics = Fortran::semantics;
using semantics::Attr;

namespace {

std::string block_name(const semantics::Symbol& block) {
  const std::string name = block.name().ToString();
  return name.empty() ? "__BLNK__" : name + "_";
}

/// What two units have to say alike for their members to be the same.
std::string layout_of(const semantics::CommonBlockDetails& block) {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (const auto& object : block.objects()) {
    const semantics::Symbol& symbol = *object;
    out << symbol.offset() << ":" << symbol.size() << ":";
    if (const auto* type = symbol.GetType()) out << type->AsFortran();
    if (const auto* entity = symbol.detailsIf<semantics::ObjectEntityDetails>()) out << entity->shape();
    out << ";";
  }
  return out.str();
}

bool is_of(const semantics::DeclTypeSpec* type, Fortran::common::TypeCategory category) {
  const auto* intrinsic = type != nullptr ? type->AsIntrinsic() : nullptr;
  return intrinsic != nullptr && intrinsic->category() == category;
}

std::string module_of(const semantics::Symbol& symbol) {
  const semantics::Scope& owner = symbol.owner();
  return owner.kind() == semantics::Scope::Kind::Module && owner.symbol() != nullptr && !owner.IsSubmodule()
             ? owner.symbol()->name().ToString()
             : std::string();
}

/// Why other names than its own may lead to an object, or its memory is not a plain one.
std::string unclear_memory(const semantics::Symbol& symbol) {
  const auto* entity = symbol.detailsIf<semantics::ObjectEntityDetails>();
  if (entity == nullptr) return "it is no plain variable";
  for (const Attr attribute : {Attr::POINTER, Attr::TARGET, Attr::ALLOCATABLE, Attr::VOLATILE, Attr::ASYNCHRONOUS,
                               Attr::BIND_C, Attr::PARAMETER, Attr::OPTIONAL, Attr::VALUE})
    if (symbol.attrs().test(attribute)) return "it is " + semantics::AttrToString(attribute);
  using Flag = semantics::Symbol::Flag;
  for (const Flag flag : {Flag::CrayPointer, Flag::CrayPointee, Flag::OmpThreadprivate})
    if (symbol.test(flag)) return "it is a Cray pointer, or each thread has its own";
  if (entity->IsCoarray()) return "it is a coarray";
  if (entity->IsAssumedShape() || entity->IsAssumedRank()) return "it may have gaps";
  if (semantics::FindEquivalenceSet(symbol) != nullptr) return "it is in an EQUIVALENCE";
  const auto* type = symbol.GetType();
  if (type == nullptr || type->AsIntrinsic() == nullptr) return "it is of a derived type";
  return {};
}

}  // namespace

void Symbols::find_commons(const semantics::Scope& scope) {
  if (scope.IsModuleFile()) return;
  for (const auto& [name, symbol] : scope.commonBlocks()) {
    const semantics::Symbol& block = *symbol;
    const auto& details = block.get<semantics::CommonBlockDetails>();
    const std::string layout = layout_of(details);
    const auto [found, fresh] = blocks_.try_emplace(block_name(block), Block{layout, true});
    if (found->second.layout != layout || block.attrs().test(Attr::BIND_C)) found->second.agreed = false;
    for (const auto& object : details.objects())
      if (semantics::FindEquivalenceSet(*object) != nullptr) found->second.agreed = false;
  }
  for (const semantics::Scope& child : scope.children()) find_commons(child);
}

void Symbols::find_bound(const semantics::Scope& scope) {
  if (scope.IsModuleFile()) return;
  for (const auto& [name, symbol] : scope) {
    if (const auto* binding = symbol->detailsIf<semantics::ProcBindingDetails>())
      program_.bound.push_back(procedure(binding->symbol()));
    if (const auto* entity = symbol->detailsIf<semantics::ProcEntityDetails>())
      if (const auto first = entity->init(); first && *first != nullptr) program_.bound.push_back(procedure(**first));
    if (const auto* type = symbol->detailsIf<semantics::DerivedTypeDetails>();
        type != nullptr && !type->finals().empty())
      program_.unclear = "a type has FINAL procedures";
    if (const auto* generic = symbol->detailsIf<semantics::GenericDetails>();
        generic != nullptr && std::holds_alternative<Fortran::common::DefinedIo>(generic->kind().u))
      program_.unclear = "it has input or output of its own for a type";
  }
  for (const semantics::Scope& child : scope.children()) find_bound(child);
}

Index Symbols::variable(const semantics::Symbol& named) {
  const semantics::Symbol& symbol = named.GetUltimate();
  if (const auto found = variables_.find(&symbol); found != variables_.end()) return found->second;
  Symbol made{.name = symbol.name().ToString(), .procedure = none};
  classify(symbol, made);
  if (made.storage == Symbol::Storage::common) {
    const auto key = std::pair{made.linker_name, made.offset};
    if (const auto found = members_.find(key); found != members_.end()) return variables_[&symbol] = found->second;
    members_[key] = static_cast<Index>(program_.symbols.size());
  }
  const auto index = static_cast<Index>(program_.symbols.size());
  program_.symbols.push_back(std::move(made));
  variables_[&symbol] = index;
  find_bounds(symbol, index);
  return index;
}

void Symbols::classify(const semantics::Symbol& symbol, Symbol& made) {
  made.unclear = unclear_memory(symbol);
  const auto* entity = symbol.detailsIf<semantics::ObjectEntityDetails>();
  made.array = entity != nullptr && entity->IsArray();
  made.bytes = symbol.size();
  made.integer = is_of(symbol.GetType(), Fortran::common::TypeCategory::Integer) ||
                 is_of(symbol.GetType(), Fortran::common::TypeCategory::Logical);
  if (const auto type = Fortran::evaluate::DynamicType::From(symbol);
      type && type->category() != Fortran::common::TypeCategory::Derived &&
      type->category() != Fortran::common::TypeCategory::Character)
    made.element =
        static_cast<std::uint64_t>(type->kind()) * (type->category() == Fortran::common::TypeCategory::Complex ? 2 : 1);
  if (const auto* block = semantics::FindCommonBlockContaining(symbol); block != nullptr) {
    made.storage = Symbol::Storage::common;
    made.linker_name = block_name(*block);
    made.offset = symbol.offset();
    if (!blocks_[made.linker_name].agreed) {  // then all of the block is one object
      made.unclear = "program units do not agree on the layout of its COMMON block";
      made.offset = 0;
      made.bounds.clear();
    }
    return;
  }
  if (entity != nullptr && entity->isDummy()) {
    made.storage = Symbol::Storage::dummy;
    return;
  }
  if (const std::string module = module_of(symbol); !module.empty()) {
    made.storage = Symbol::Storage::module;
    made.linker_name = "__" + module + "_MOD_" + made.name;
    if (symbol.owner().IsModuleFile()) made.unclear = "its module is not among the sources";
    return;
  }
  if (semantics::IsSaved(symbol)) made.storage = Symbol::Storage::fixed;
  if (symbol.owner().kind() == semantics::Scope::Kind::MainProgram) made.storage = Symbol::Storage::fixed;
}

void Symbols::find_bounds(const semantics::Symbol& symbol, Index index) {
  const auto* entity = symbol.detailsIf<semantics::ObjectEntityDetails>();
  if (entity == nullptr) return;
  std::vector<Bounds> bounds;
  for (const auto& dimension : entity->shape()) {
    Bounds made;
    const auto get = [this](const semantics::Bound& bound) -> ExprPtr {
      if (!bound.isExplicit() || !bound.GetExplicit()) return nullptr;
      return convert(Fortran::evaluate::AsGenericExpr(Fortran::common::Clone(*bound.GetExplicit())));
    };
    made.lower = get(dimension.lbound());
    made.upper = get(dimension.ubound());
    bounds.push_back(std::move(made));
  }
  program_.symbols[index].bounds = std::move(bounds);
}

Index Symbols::procedure(const semantics::Symbol& named) {
  const semantics::Symbol& symbol = named.GetUltimate();
  if (semantics::IsDummy(symbol) || symbol.attrs().test(Attr::POINTER)) return none;
  const auto* subprogram = symbol.detailsIf<semantics::SubprogramDetails>();
  const std::string name = symbol.name().ToString();
  const std::string module = module_of(symbol);
  const bool interface = subprogram != nullptr && subprogram->isInterface();
  const bool external = symbol.has<semantics::ProcEntityDetails>() || interface || symbol.owner().IsGlobal();
  const auto add = [&](const std::string& linker_name) {
    const auto index = static_cast<Index>(program_.procedures.size());
    program_.procedures.push_back({.name = name, .linker_name = linker_name});
    return index;
  };
  if (!external && module.empty()) {
    const auto [found, fresh] = internals_.try_emplace(&symbol, 0);
    if (fresh) found->second = add("");
    return found->second;
  }
  std::string linker_name = external ? name + "_" : "__" + module + "_MOD_" + name;
  if (const std::string* bound = symbol.GetBindName(); bound != nullptr && !bound->empty()) linker_name = *bound;
  const auto [found, fresh] = procedures_.try_emplace(linker_name, 0);
  if (fresh) found->second = add(linker_name);
  return found->second;
}

}  // namespace cppc::fortran
