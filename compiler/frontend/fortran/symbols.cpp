#include <flang/Evaluate/tools.h>
#include <flang/Semantics/tools.h>
#include <llvm/Support/raw_ostream.h>

#include "component_layout.hpp"
#include "convert.hpp"
#include "declared.hpp"

namespace cppc::fortran {

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
    out << ";";
  }
  return out.str();
}

std::string shape_text(const semantics::Symbol& symbol) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (const auto* entity = symbol.detailsIf<semantics::ObjectEntityDetails>()) out << entity->shape();
  return out.str();
}

std::string module_of(const semantics::Symbol& symbol) {
  const semantics::Scope& owner = symbol.owner();
  return owner.kind() == semantics::Scope::Kind::Module && owner.symbol() != nullptr && !owner.IsSubmodule()
             ? owner.symbol()->name().ToString()
             : std::string();
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
      if (semantics::FindEquivalenceSet(*object) != nullptr) found->second.overlaid = true;
  }
  for (const semantics::Scope& child : scope.children()) find_commons(child);
}

void Symbols::find_bound(const semantics::Scope& scope) {
  if (scope.IsModuleFile()) return;
  if (scope.IsDerivedType() && assigns_components(scope))
    program_.unclear = "a component's type has an assignment of its own";
  for (const auto& [name, symbol] : scope) {
    if (const auto* binding = symbol->detailsIf<semantics::ProcBindingDetails>())
      program_.bound.push_back(procedure(binding->symbol()));
    if (has_pointers_at_first(*symbol) || symbol->test(semantics::Symbol::Flag::CrayPointer))
      program_.pointers_unclear = true;
    if (const auto* entity = symbol->detailsIf<semantics::ProcEntityDetails>())
      if (const auto first = entity->init(); first && *first != nullptr) program_.bound.push_back(procedure(**first));
    if (const auto* type = symbol->detailsIf<semantics::DerivedTypeDetails>();
        type != nullptr && !type->finals().empty())
      add_finals(*symbol, *type);
    if (const auto* generic = symbol->detailsIf<semantics::GenericDetails>();
        generic != nullptr && std::holds_alternative<Fortran::common::DefinedIo>(generic->kind().u))
      program_.unclear = "it has input or output of its own for a type";
  }
  for (const semantics::Scope& child : scope.children()) find_bound(child);
}

/// Nothing is said of the components of such a type, but its procedures may have to do with other data.
void Symbols::add_finals(const semantics::Symbol& symbol, const semantics::DerivedTypeDetails& type) {
  const auto leads_on = [](const auto& component) {
    const auto* its = component.second->GetType();
    return component.second->attrs().test(Attr::POINTER) || (its != nullptr && its->AsDerived() != nullptr);
  };
  if (symbol.scope() == nullptr || std::any_of(symbol.scope()->begin(), symbol.scope()->end(), leads_on))
    program_.unclear = "a type with FINAL procedures has pointers, or components of other types";
  for (const auto& [name, final] : type.finals()) {
    program_.finals.insert(procedure(*final));
    program_.bound.push_back(procedure(*final));
  }
}

Index Symbols::variable(const semantics::Symbol& named) {
  const semantics::Symbol& symbol = named.GetUltimate();
  if (const auto found = variables_.find(&symbol); found != variables_.end()) return found->second;
  Symbol made{.name = symbol.name().ToString(), .procedure = none};
  classify(symbol, made);
  made.aliased = is_aliased(symbol, made);
  if (made.storage == Symbol::Storage::common) {
    const auto [found, fresh] =
        members_.try_emplace({made.linker_name, made.offset}, Member{static_cast<Index>(program_.symbols.size()), {}});
    auto& [first, views] = found->second;
    if (!made.unclear.empty() && !fresh) return variables_[&symbol] = first;
    const auto [same, other] = views.try_emplace(shape_text(symbol), static_cast<Index>(program_.symbols.size()));
    if (!fresh && same->second != first) views_[&symbol] = same->second;
    if (!fresh && !other) return variables_[&symbol] = first;
    if (!fresh) {
      const Index view = same->second;
      made.view_of = first;
      made.unclear = "it is there as " + program_.symbols[first].name;
      program_.symbols.push_back(std::move(made));
      find_bounds(symbol, view);
      return variables_[&symbol] = first;
    }
  }
  const auto index = static_cast<Index>(program_.symbols.size());
  program_.symbols.push_back(std::move(made));
  variables_[&symbol] = index;
  add_shape(index);
  find_bounds(symbol, index);
  return index;
}

void Symbols::classify(const semantics::Symbol& symbol, Symbol& made) {
  made.unclear = unclear_memory(symbol);
  const auto* entity = symbol.detailsIf<semantics::ObjectEntityDetails>();
  made.array = entity != nullptr && entity->IsArray();
  made.constant = symbol.attrs().test(Attr::PARAMETER);
  made.bytes = symbol.size();
  set_type(symbol, made);
  if (made.unclear.empty()) made.descriptor = descriptor_of(symbol);
  if (made.descriptor != Symbol::Descriptor::none) made.bytes = 0;
  if (made.descriptor != Symbol::Descriptor::none && made.element == 0) made.unclear = "it is not of numbers";
  if (const auto* block = semantics::FindCommonBlockContaining(symbol); block != nullptr) {
    made.storage = Symbol::Storage::common;
    made.linker_name = block_name(*block);
    made.offset = symbol.offset();
    const Block& its = blocks_[made.linker_name];
    if (!its.agreed || its.overlaid) {  // then all of the block is one object
      made.unclear = its.agreed ? "variables of its COMMON block are in an EQUIVALENCE"
                                : "program units do not agree on the layout of its COMMON block";
      made.offset = 0;
      made.bounds.clear();
    }
    return;
  }
  if (entity != nullptr && entity->isDummy()) {
    made.storage = Symbol::Storage::dummy;
    return;
  }
  if (entity != nullptr && entity->isFuncResult() && !made.unclear.empty()) made.anywhere = true;
  if (const std::string module = module_of(symbol); !module.empty()) {
    made.storage = Symbol::Storage::module;
    made.linker_name = "__" + module + "_MOD_" + made.name;
    if (symbol.owner().IsModuleFile()) made.unclear = "its module is not among the sources";
    return;
  }
  if (semantics::IsSaved(symbol)) made.storage = Symbol::Storage::fixed;
  if (symbol.owner().kind() == semantics::Scope::Kind::MainProgram) made.storage = Symbol::Storage::fixed;
  if (made.descriptor == Symbol::Descriptor::pointer) made.shared = !starts_with_nothing(symbol, is_zeroed(symbol));
  made.anywhere = made.shared && is_initialized(symbol);
}

Index Symbols::component(const Fortran::evaluate::Component& component) {
  const auto* reference = std::get_if<semantics::SymbolRef>(&component.base().u);
  const semantics::Symbol& part = component.symbol()->GetUltimate();
  const auto* entity = part.detailsIf<semantics::ObjectEntityDetails>();
  if (reference == nullptr || entity == nullptr || entity->IsCoarray()) return none;
  const semantics::Symbol& whole = (*reference)->GetUltimate();
  if (!has_parts(whole)) return none;
  const Symbol::Descriptor descriptor = descriptor_of(part);
  const bool in_place = descriptor == Symbol::Descriptor::none;
  if (in_place && (part.attrs().test(Attr::POINTER) || part.attrs().test(Attr::ALLOCATABLE))) return none;
  const Index of = variable(whole);
  const std::pair<Index, const semantics::Symbol*> key{of, &part};
  if (const auto found = components_.find(key); found != components_.end()) return found->second;
  const Symbol& base = program_.symbols[of];
  Symbol made{.name = base.name + "%" + part.name().ToString(), .storage = base.storage, .procedure = base.procedure};
  set_type(part, made);
  made.array = entity->IsArray();
  if (made.element == 0 || (!made.array && !made.integer)) return none;
  made.bytes = in_place ? part.size() : 0;
  made.linker_name = base.linker_name;
  made.part_of = of;
  if (const auto offset = offset_of(whole.GetType()->derivedTypeSpec().typeSymbol(), part)) {
    made.offset = *offset;
    made.placed = true;
  }
  made.descriptor = descriptor;
  if (descriptor == Symbol::Descriptor::pointer)
    made.shared = is_initialized(whole) || !starts_with_nothing(part, is_zeroed(whole));
  made.anywhere = made.shared && (is_initialized(whole) || is_initialized(part));
  const auto index = static_cast<Index>(program_.symbols.size());
  program_.symbols.push_back(std::move(made));
  program_.symbols[of].parts.push_back(index);
  components_[key] = index;
  add_shape(index);
  find_bounds(part, index);
  return index;
}

/// A symbol for what the descriptor says.
void Symbols::add_shape(Index index) {
  if (program_.symbols[index].descriptor == Symbol::Descriptor::none) return;
  const Symbol& array = program_.symbols[index];
  Symbol made{.name = array.name + " (bounds)", .storage = array.storage, .procedure = array.procedure};
  made.linker_name = array.linker_name;
  made.shape_of = index;
  program_.symbols[index].shape = static_cast<Index>(program_.symbols.size());
  program_.symbols.push_back(std::move(made));
}

void Symbols::share(const Expr& e) {
  if (e.kind == Expr::Kind::name) program_.symbols[e.symbol].shared = program_.symbols[e.symbol].anywhere = true;
  for (const ExprPtr& part : e.parts)
    if (part != nullptr) share(*part);
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
    const auto from_descriptor = [&](const char* which) {
      return std::make_shared<const Expr>(Expr{.kind = Expr::Kind::bound,
                                               .value = static_cast<std::int64_t>(bounds.size()),
                                               .symbol = index,
                                               .word = which});
    };
    using Descriptor = Symbol::Descriptor;
    const Descriptor descriptor = program_.symbols[index].descriptor;
    if (descriptor == Descriptor::allocatable || descriptor == Descriptor::pointer)
      made.lower = from_descriptor("lower");
    if (descriptor == Descriptor::assumed && made.lower == nullptr)
      made.lower = std::make_shared<const Expr>(Expr{.kind = Expr::Kind::constant, .value = 1});
    if (descriptor != Descriptor::none) made.upper = from_descriptor("upper");
    bounds.push_back(std::move(made));
  }
  program_.symbols[index].bounds = std::move(bounds);
}

Index Symbols::view(const semantics::Symbol& symbol) const {
  const auto found = views_.find(&symbol.GetUltimate());
  return found != views_.end() ? found->second : none;
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
  if (subprogram != nullptr && std::ranges::any_of(subprogram->dummyArgs(), takes_pointers))
    program_.procedures[found->second].takes_pointers = true;
  return found->second;
}

}  // namespace cppc::fortran
