#include "declared.hpp"

#include <flang/Evaluate/tools.h>
#include <flang/Semantics/tools.h>

namespace cppc::fortran {

using semantics::Attr;

namespace {

bool is_of(const semantics::DeclTypeSpec* type, Fortran::common::TypeCategory category) {
  const auto* intrinsic = type != nullptr ? type->AsIntrinsic() : nullptr;
  return intrinsic != nullptr && intrinsic->category() == category;
}

/// Or one that is allocatable and perhaps has some.
bool has_pointer_component(const semantics::DerivedTypeSpec& type) {
  semantics::UltimateComponentIterator components{type};
  return std::any_of(components.begin(), components.end(), [](const semantics::Symbol& part) {
    const auto* its = part.GetType();
    return part.attrs().test(Attr::POINTER) || (its != nullptr && its->AsDerived() != nullptr);
  });
}

}  // namespace

std::string unclear_memory(const semantics::Symbol& symbol) {
  const auto* entity = symbol.detailsIf<semantics::ObjectEntityDetails>();
  if (entity == nullptr) return "it is no plain variable";
  for (const Attr attribute :
       {Attr::TARGET, Attr::VOLATILE, Attr::ASYNCHRONOUS, Attr::BIND_C, Attr::PARAMETER, Attr::OPTIONAL, Attr::VALUE})
    if (symbol.attrs().test(attribute)) return "it is " + semantics::AttrToString(attribute);
  using Flag = semantics::Symbol::Flag;
  for (const Flag flag : {Flag::CrayPointer, Flag::CrayPointee, Flag::OmpThreadprivate})
    if (symbol.test(flag)) return "it is a Cray pointer, or each thread has its own";
  if (entity->IsCoarray()) return "it is a coarray";
  if (entity->IsAssumedRank()) return "it is of any rank";
  if (semantics::FindEquivalenceSet(symbol) != nullptr) return "it is in an EQUIVALENCE";
  const auto* type = symbol.GetType();
  if (type == nullptr || type->AsIntrinsic() == nullptr) return "it is of a derived type";
  for (const Attr attribute : {Attr::POINTER, Attr::ALLOCATABLE})
    if (symbol.attrs().test(attribute) && (entity->isDummy() || entity->isFuncResult() || !entity->IsArray() ||
                                           semantics::FindCommonBlockContaining(symbol) != nullptr))
      return "it is " + semantics::AttrToString(attribute);
  return {};
}

bool is_aliased(const semantics::Symbol& symbol, const Symbol& made) {
  const auto has = [&](Attr attribute) { return symbol.attrs().test(attribute); };
  return !symbol.has<semantics::ObjectEntityDetails>() || has(Attr::TARGET) || has(Attr::POINTER) ||
         has(Attr::VOLATILE) || has(Attr::ASYNCHRONOUS) || symbol.test(semantics::Symbol::Flag::CrayPointee) ||
         semantics::FindEquivalenceSet(symbol) != nullptr ||
         (made.storage == Symbol::Storage::common && !made.unclear.empty());
}

Symbol::Descriptor descriptor_of(const semantics::Symbol& symbol) {
  const auto* entity = symbol.detailsIf<semantics::ObjectEntityDetails>();
  if (entity == nullptr || !entity->IsArray()) return Symbol::Descriptor::none;
  if (symbol.attrs().test(Attr::ALLOCATABLE)) return Symbol::Descriptor::allocatable;
  if (symbol.attrs().test(Attr::POINTER)) return Symbol::Descriptor::pointer;
  return entity->IsAssumedShape() ? Symbol::Descriptor::assumed : Symbol::Descriptor::none;
}

bool starts_with_nothing(const semantics::Symbol& symbol, bool zeroed) {
  const auto* entity = symbol.detailsIf<semantics::ObjectEntityDetails>();
  if (entity == nullptr) return false;
  return entity->init() ? Fortran::evaluate::IsNullPointer(*entity->init()) : zeroed;
}

bool is_zeroed(const semantics::Symbol& symbol) {
  return symbol.owner().kind() == semantics::Scope::Kind::Module || symbol.attrs().test(Attr::SAVE);
}

bool is_initialized(const semantics::Symbol& symbol) {
  const auto* entity = symbol.detailsIf<semantics::ObjectEntityDetails>();
  return entity != nullptr && entity->init();
}

bool has_pointers_at_first(const semantics::Symbol& symbol) {
  const auto* entity = symbol.detailsIf<semantics::ObjectEntityDetails>();
  if (entity == nullptr || !entity->init() || Fortran::evaluate::IsNullPointer(*entity->init())) return false;
  const auto* type = symbol.GetType();
  const auto* derived = type != nullptr ? type->AsDerived() : nullptr;
  return symbol.attrs().test(Attr::POINTER) || (derived != nullptr && has_pointer_component(*derived));
}

bool has_parts(const semantics::Symbol& symbol) {
  const auto* entity = symbol.detailsIf<semantics::ObjectEntityDetails>();
  const auto* type = symbol.GetType();
  if (entity == nullptr || type == nullptr || type->category() != semantics::DeclTypeSpec::TypeDerived) return false;
  for (const Attr attribute : {Attr::POINTER, Attr::ALLOCATABLE, Attr::TARGET, Attr::VOLATILE, Attr::ASYNCHRONOUS,
                               Attr::BIND_C, Attr::PARAMETER, Attr::OPTIONAL, Attr::VALUE})
    if (symbol.attrs().test(attribute)) return false;
  if (entity->IsArray() || entity->IsCoarray() || entity->isDummy() || entity->isFuncResult()) return false;
  using Flag = semantics::Symbol::Flag;
  if (symbol.test(Flag::CrayPointee) || symbol.test(Flag::OmpThreadprivate)) return false;
  if (symbol.owner().IsModuleFile() || semantics::FindCommonBlockContaining(symbol) != nullptr ||
      semantics::FindEquivalenceSet(symbol) != nullptr)
    return false;
  const semantics::Symbol& declared = type->derivedTypeSpec().typeSymbol();
  const auto& details = declared.get<semantics::DerivedTypeDetails>();
  return details.paramNames().empty() && details.finals().empty() && declared.GetParentComponent() == nullptr;
}

bool assigns_components(const semantics::Scope& type) {
  const auto assigns = [](const auto& member) {
    const auto* generic = member.second->template detailsIf<semantics::GenericDetails>();
    return generic != nullptr && generic->kind().IsAssignment();
  };
  const auto is_such = [&](const auto& component) {
    const auto* its = component.second->GetType();
    const auto* derived = its != nullptr && !component.second->attrs().test(Attr::POINTER) ? its->AsDerived() : nullptr;
    for (const semantics::Symbol* one = derived != nullptr ? &derived->typeSymbol() : nullptr; one != nullptr;) {
      const auto* own = one->scope();
      if (own != nullptr && std::any_of(own->begin(), own->end(), assigns)) return true;
      const auto* parent = own != nullptr ? own->GetDerivedTypeParent() : nullptr;
      one = parent != nullptr ? parent->symbol() : nullptr;
    }
    return false;
  };
  return std::any_of(type.begin(), type.end(), is_such);
}

bool takes_pointers(const semantics::Symbol* dummy) {
  const auto* type = dummy != nullptr ? dummy->GetType() : nullptr;
  const auto* derived = type != nullptr ? type->AsDerived() : nullptr;
  return dummy != nullptr &&
         (dummy->attrs().test(Attr::POINTER) || (derived != nullptr && has_pointer_component(*derived)));
}

void set_type(const semantics::Symbol& symbol, Symbol& made) {
  using Fortran::common::TypeCategory;
  made.integer = is_of(symbol.GetType(), TypeCategory::Integer) || is_of(symbol.GetType(), TypeCategory::Logical);
  const auto type = Fortran::evaluate::DynamicType::From(symbol);
  if (!type || type->category() == TypeCategory::Derived || type->category() == TypeCategory::Character) return;
  made.element = static_cast<std::uint64_t>(type->kind()) * (type->category() == TypeCategory::Complex ? 2 : 1);
  made.type = symbol.GetType()->AsFortran();
}

}  // namespace cppc::fortran
