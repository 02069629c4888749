#include "component_layout.hpp"

#include <flang/Semantics/semantics.h>
#include <flang/Semantics/tools.h>

#include <algorithm>

namespace cppc::fortran {

namespace semantics = Fortran::semantics;
using Fortran::common::TypeCategory;
using semantics::Attr;

namespace {

constexpr std::uint64_t kPointer = 8;
// Of gfortran's array descriptors: address, offset, data type and span; then stride and bounds of each dimension.
constexpr std::uint64_t kDescriptor = 40, kDimension = 24;

struct Extent {
  std::uint64_t bytes, alignment;
};

/// In the component's place is where its memory is.
std::optional<Extent> descriptor_extent(const semantics::ObjectEntityDetails& entity,
                                        const semantics::DeclTypeSpec& type) {
  if (type.IsPolymorphic() || type.category() == semantics::DeclTypeSpec::Character) return std::nullopt;
  const auto rank = static_cast<std::uint64_t>(entity.shape().Rank());
  return Extent{rank == 0 ? kPointer : kDescriptor + kDimension * rank, kPointer};
}

std::optional<Extent> extent_of(const semantics::Symbol& component) {
  const auto* entity = component.detailsIf<semantics::ObjectEntityDetails>();
  const auto* type = component.GetType();
  if (entity == nullptr || type == nullptr || entity->IsCoarray()) return std::nullopt;
  if (component.attrs().test(Attr::ALLOCATABLE) || component.attrs().test(Attr::POINTER))
    return descriptor_extent(*entity, *type);
  const auto its = Fortran::evaluate::DynamicType::From(component);
  if (!its || its->category() == TypeCategory::Derived || component.size() == 0) return std::nullopt;
  if (its->category() == TypeCategory::Character)
    return its->kind() == 1 ? std::optional(Extent{component.size(), 1}) : std::nullopt;
  const auto kind = static_cast<std::uint64_t>(its->kind());
  return kind != 10 ? std::optional(Extent{component.size(), kind}) : std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> offset_of(const semantics::Symbol& type, const semantics::Symbol& component) {
  if (type.scope() == nullptr) return std::nullopt;
  std::uint64_t offset = 0;
  for (const auto& name : type.get<semantics::DerivedTypeDetails>().componentNames()) {
    const auto found = type.scope()->find(name);
    if (found == type.scope()->end()) return std::nullopt;
    const semantics::Symbol& one = *found->second;
    const auto extent = extent_of(one);
    if (!extent) return std::nullopt;
    offset = (offset + extent->alignment - 1) / extent->alignment * extent->alignment;
    if (&one == &component) return offset;
    offset += extent->bytes;
  }
  return std::nullopt;
}

}  // namespace cppc::fortran
