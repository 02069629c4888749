#include "layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>
#include <unordered_map>

#include "never_destroyed.hpp"

namespace cppc {

namespace {

constexpr unsigned max_depth = 32;

class Layouts {
 public:
  const Layout& get(const cppc_type* type) {
    if (type == last_type_) return *last_layout_;
    auto found = layouts_.find(type);
    if (found == layouts_.end()) return make(type);
    last_type_ = type;
    last_layout_ = found->second.get();
    return *last_layout_;
  }

 private:
  const Layout& make(const cppc_type* type);
  void add_fields(Layout& layout);

  std::unordered_map<const cppc_type*, std::unique_ptr<Layout>> layouts_;
  const cppc_type* last_type_ = nullptr;
  const Layout* last_layout_ = nullptr;
};

bool is_reference(cppc_kind kind) {
  return kind == CPPC_POINTER || kind == CPPC_FUNCTION || (kind >= CPPC_MPI_COMM && kind <= last_kind);
}

void add_scalar(Layout& layout) {
  const cppc_type& type = *layout.type;
  layout.references = is_reference(type.kind);
  const std::uint64_t per_leaf = type.kind == CPPC_COMPLEX ? type.size / 2 : type.kind == CPPC_BYTES ? 1 : type.size;
  const bool known = type.kind >= CPPC_BYTES && type.kind <= last_kind;
  // In memory they are as large as pointers, in images they have 8 bytes.
  const bool wrong_reference = layout.references && type.size != sizeof(void*) && type.size != sizeof(std::uint64_t);
  if (!known || per_leaf == 0 || wrong_reference || (type.kind == CPPC_COMPLEX && type.size % 2 != 0)) {
    layout.defect = "type " + type_name(type) + " of kind " + std::to_string(type.kind) + " cannot have " +
                    std::to_string(type.size) + " bytes";
    return;
  }
  layout.leaf_bytes = per_leaf;
  layout.leaves = type.size / per_leaf;
}

const Layout& Layouts::make(const cppc_type* type) {
  Layout& layout = *(layouts_[type] = std::make_unique<Layout>());
  layout.type = type;
  if (type->kind == CPPC_STRUCT) {
    layout.defect = "type " + type_name(*type) + " contains itself";  // what is found while its members are looked at
    add_fields(layout);
  } else {
    add_scalar(layout);
  }
  return layout;
}

void Layouts::add_fields(Layout& layout) {
  const cppc_type& type = *layout.type;
  std::vector<const cppc_field*> fields;
  for (std::size_t i = 0; i < type.field_count; ++i) fields.push_back(&type.fields[i]);
  std::ranges::stable_sort(fields, {}, &cppc_field::offset);
  std::uint64_t end = 0;
  for (const cppc_field* field : fields) {
    const Layout& inner = get(field->type);
    if (!inner.defect.empty()) {
      layout.defect = inner.defect;
      return;
    }
    const std::uint64_t size = field->type->size;
    if (field->offset < end || field->offset > type.size ||
        (size > 0 && field->count > (type.size - field->offset) / size)) {
      layout.defect = "member " + std::string(field->name != nullptr ? field->name : "(unnamed)") + " of type " +
                      type_name(type) + " overlaps another or lies outside of it";
      return;
    }
    end = field->offset + field->count * size;
    layout.parts.push_back({field, &inner, layout.leaves});
    layout.leaves += field->count * inner.leaves;
    layout.references = layout.references || (inner.references && field->count > 0);
    layout.depth = std::max(layout.depth, inner.depth + 1);
  }
  layout.defect = layout.depth > max_depth ? "type " + type_name(type) + " is nested too deeply" : "";
}

std::optional<Leaf> leaf_in_array(const Layout& layout, std::uint64_t count, std::uint64_t offset);

std::optional<Leaf> leaf_in_element(const Layout& layout, std::uint64_t offset) {
  if (layout.type->kind != CPPC_STRUCT) {
    if (offset % layout.leaf_bytes != 0) return std::nullopt;
    return Leaf{offset / layout.leaf_bytes, false};
  }
  // The last member that begins at or before `offset` and is not empty.
  auto part = std::ranges::upper_bound(layout.parts, offset, {}, [](const Part& p) { return p.field->offset; });
  while (part != layout.parts.begin()) {
    --part;
    const std::uint64_t bytes = part->field->count * part->layout->type->size;
    if (bytes == 0) continue;
    const std::uint64_t within = offset - part->field->offset;
    if (within > bytes) return std::nullopt;
    auto leaf = leaf_in_array(*part->layout, part->field->count, within);
    if (leaf) leaf->number += part->first_leaf;
    return leaf;
  }
  return std::nullopt;
}

/// `offset` may be the end of the array, which gives the last leaf, `past`.
std::optional<Leaf> leaf_in_array(const Layout& layout, std::uint64_t count, std::uint64_t offset) {
  const std::uint64_t size = layout.type->size;
  if (offset < count * size) {
    auto leaf = leaf_in_element(layout, offset % size);
    if (leaf) leaf->number += offset / size * layout.leaves;
    return leaf;
  }
  // Right behind the last leaf, unless padding follows it.
  if (layout.type->kind == CPPC_STRUCT) {
    auto leaf = leaf_in_element(layout, size);
    if (leaf) leaf->number += (count - 1) * layout.leaves;
    return leaf;
  }
  return Leaf{count * layout.leaves - 1, true};
}

std::uint64_t offset_in_element(const Layout& layout, std::uint64_t number) {
  if (layout.type->kind != CPPC_STRUCT) return number * layout.leaf_bytes;
  // The last part that starts with this leaf or before: empty ones share their number with their successor.
  auto part = std::ranges::upper_bound(layout.parts, number, {}, &Part::first_leaf) - 1;
  const std::uint64_t within = number - part->first_leaf;
  return part->field->offset + within / part->layout->leaves * part->layout->type->size +
         offset_in_element(*part->layout, within % part->layout->leaves);
}

}  // namespace

std::uint64_t leaf_bytes(const Layout& layout, std::uint64_t number) {
  if (layout.type->kind != CPPC_STRUCT) return layout.leaf_bytes;
  auto part = std::ranges::upper_bound(layout.parts, number, {}, &Part::first_leaf) - 1;
  return leaf_bytes(*part->layout, (number - part->first_leaf) % part->layout->leaves);
}

const Layout& layout_of(const cppc_type* type) {
  static NeverDestroyed<Layouts> layouts;
  return (*layouts).get(type);
}

std::optional<Leaf> leaf_at(const Layout& layout, std::uint64_t count, std::uint64_t offset) {
  const std::uint64_t bytes = count * layout.type->size;
  if (offset == bytes) return Leaf{count * layout.leaves, false};
  if (offset > bytes) return std::nullopt;
  return leaf_in_array(layout, count, offset);
}

std::optional<std::uint64_t> offset_of(const Layout& layout, std::uint64_t count, Leaf leaf) {
  const std::uint64_t leaves = count * layout.leaves;
  if (leaf.number == leaves && !leaf.past) return count * layout.type->size;
  if (leaf.number >= leaves) return std::nullopt;
  const std::uint64_t within = leaf.number % layout.leaves;
  return leaf.number / layout.leaves * layout.type->size + offset_in_element(layout, within) +
         (leaf.past ? leaf_bytes(layout, within) : 0);
}

bool may_hide_addresses(const cppc_type& type) {
  const bool integer = type.kind == CPPC_SIGNED || type.kind == CPPC_UNSIGNED;
  return type.kind == CPPC_BYTES || (integer && (type.size == 1 || type.size >= sizeof(void*)));
}

std::string type_name(const cppc_type& type) { return type.name != nullptr ? type.name : "(unnamed)"; }

std::string path_to(const Layout& layout, std::uint64_t count, std::uint64_t offset) {
  const std::uint64_t size = layout.type->size;
  std::string path;
  if (count > 1 && size > 0) path = fmt::format("[{}]", offset / size);
  if (layout.type->kind != CPPC_STRUCT || size == 0) return path;
  const std::uint64_t within = offset % size;
  auto part = std::ranges::upper_bound(layout.parts, within, {}, [](const Part& p) { return p.field->offset; });
  if (part == layout.parts.begin()) return path;
  --part;
  const char* name = part->field->name;
  return path + "." + (name != nullptr ? name : "(unnamed)") +
         path_to(*part->layout, part->field->count, within - part->field->offset);
}

void copy_members(const Layout& layout, const std::byte* from, std::byte* to) {
  for (const auto& [field, inner, first_leaf] : layout.parts) {
    std::memcpy(to + field->offset, from + field->offset, field->count * inner->type->size);
  }
}

namespace {

std::string_view name_of(const Part& part) { return part.field->name != nullptr ? part.field->name : ""; }

/// A character is signed on one machine and not on another.
bool is_character(const cppc_type& type) {
  return (type.kind == CPPC_SIGNED || type.kind == CPPC_UNSIGNED) && type.size == 1;
}

/// Structures as images have them, without padding.
class StoredLayouts {
 public:
  const Layout& of(const Layout& layout) {
    // NOLINTNEXTLINE(bugprone-return-const-ref-from-parameter): layouts stay as long as the process
    if (!layout.references || sizeof(void*) == sizeof(std::uint64_t)) return layout;
    auto& made = made_[layout.type];
    if (made == nullptr) made = make(*layout.type, layout);
    return layout_of(&made->type);
  }

 private:
  struct Made {
    std::vector<cppc_field> fields;
    cppc_type type;
  };

  std::unique_ptr<Made> make(const cppc_type& type, const Layout& layout) {
    auto made = std::make_unique<Made>(Made{{}, type});
    made->type.size = sizeof(std::uint64_t);
    if (type.kind != CPPC_STRUCT) return made;
    std::uint64_t end = 0;
    for (const Part& part : layout.parts) {
      cppc_field field = *part.field;
      field.type = of(*part.layout).type;
      field.offset = end;
      end = field.offset + field.count * field.type->size;
      made->fields.push_back(field);
    }
    made->type.size = end;
    made->type.fields = made->fields.data();
    made->type.field_count = made->fields.size();
    return made;
  }

  std::unordered_map<const cppc_type*, std::unique_ptr<Made>> made_;
};

}  // namespace

const Layout& stored_layout(const Layout& layout) {
  static NeverDestroyed<StoredLayouts> layouts;
  return (*layouts).of(layout);
}

bool same_members(const Layout& a, const Layout& b) {
  if (a.type == b.type) return true;
  if (is_character(*a.type) && is_character(*b.type)) return true;
  if (a.type->kind != b.type->kind || a.leaves != b.leaves) return false;
  if (a.type->kind == CPPC_BYTES && type_name(*a.type) != type_name(*b.type)) return false;  // other bit-fields
  return std::ranges::equal(a.parts, b.parts, [](const Part& p, const Part& q) {
    return p.field->count == q.field->count && name_of(p) == name_of(q) && same_members(*p.layout, *q.layout);
  });
}

bool same_structure(const Layout& a, const Layout& b) {
  if (a.type == b.type) return true;
  if (a.type->kind != b.type->kind || a.type->size != b.type->size) return false;
  return std::ranges::equal(a.parts, b.parts, [](const Part& p, const Part& q) {
    return p.field->offset == q.field->offset && p.field->count == q.field->count && name_of(p) == name_of(q) &&
           same_structure(*p.layout, *q.layout);
  });
}

}  // namespace cppc
