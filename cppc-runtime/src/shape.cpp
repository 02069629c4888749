#include "shape.hpp"

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "layout.hpp"
#include "never_destroyed.hpp"

namespace cppc {

namespace {

/// A structure with fields of its own.
struct MadeType {
  std::vector<cppc_field> fields;
  cppc_type type{};

  MadeType(const char* name, std::size_t bytes, std::vector<cppc_field> members)
      : fields(std::move(members)), type{CPPC_STRUCT, bytes, name, fields.data(), fields.size()} {}
};

using MadeTypes = std::map<std::pair<const cppc_type*, std::uint64_t>, std::unique_ptr<MadeType>>;

/// Whether a block of `bytes` is one element whose last member takes the space that is left.
bool ends_in_flexible_member(const Layout& layout, std::uint64_t bytes) {
  if (layout.parts.empty()) return false;
  const Part& last = layout.parts.back();
  const bool exact = bytes == layout.type->size && last.field->offset == bytes;
  return last.field->count == 0 && last.layout->type->size > 0 && bytes >= last.field->offset && !exact;
}

/// Bytes that belong to no element may not hold a reference: nobody would translate it.
bool rest_is_plain(const Layout& layout, std::uint64_t rest) {
  bool plain = true;
  auto visit = [&](cppc_kind, std::uint64_t offset) { return plain = offset + sizeof(std::uint64_t) > rest; };
  if (layout.references) each_reference(layout, 0, visit);
  return plain;
}

std::string refusal(const Layout& layout, std::uint64_t bytes) {
  return "has " + std::to_string(bytes) + " bytes, which is no whole number of elements of type " +
         type_name(*layout.type) + " (" + std::to_string(layout.type->size) +
         " bytes), and holds references in the rest";
}

tl::expected<std::vector<cppc_field>, std::string> flexible_fields(const Layout& layout, std::size_t bytes) {
  const Part& tail = layout.parts.back();
  std::vector<cppc_field> fields;
  for (const Part& part : layout.parts) fields.push_back(*part.field);
  const std::size_t tail_size = tail.layout->type->size;
  fields.back().count = (bytes - tail.field->offset) / tail_size;
  if (const std::size_t rest = (bytes - tail.field->offset) % tail_size; rest > 0) {
    if (!rest_is_plain(*tail.layout, rest)) return tl::unexpected(refusal(layout, bytes));
    fields.push_back({"(rest)", bytes - rest, &cppc_type_bytes, rest});
  }
  return fields;
}

tl::expected<std::vector<cppc_field>, std::string> fields_with_rest(const Layout& layout, std::size_t bytes) {
  const std::size_t rest = bytes % layout.type->size;
  if (!rest_is_plain(layout, rest)) return tl::unexpected(refusal(layout, bytes));
  return std::vector<cppc_field>{{"(elements)", 0, layout.type, bytes / layout.type->size},
                                 {"(rest)", bytes - rest, &cppc_type_bytes, rest}};
}

}  // namespace

tl::expected<Shape, std::string> shape_of(const cppc_type* type, std::size_t bytes) {
  static NeverDestroyed<MadeTypes> made_types;
  const Layout& layout = layout_of(type);
  if (!layout.defect.empty()) return tl::unexpected("cannot be described: " + layout.defect);
  if (type->size == 0) return Shape{&cppc_type_bytes, bytes};
  const bool flexible = ends_in_flexible_member(layout, bytes);
  if (!flexible && bytes % type->size == 0) return Shape{type, bytes / type->size};

  auto& made = (*made_types)[{type, bytes}];
  if (made == nullptr) {
    auto fields = flexible ? flexible_fields(layout, bytes) : fields_with_rest(layout, bytes);
    if (!fields) return tl::unexpected(std::move(fields.error()));
    made = std::make_unique<MadeType>(type->name, bytes, std::move(*fields));
  }
  return Shape{&made->type, 1};
}

}  // namespace cppc
