/// What the objects of a type consist of: their scalars ("leaves") in the order of memory. The number of a leaf in its
/// object means the same on every machine; its offset does not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cppc/cppc.h"

namespace cppc {

/// The kinds are those from CPPC_BYTES to this one.
inline constexpr cppc_kind last_kind = CPPC_MPI_MESSAGE;

struct Layout;

/// A member of a structure.
struct Part {
  const cppc_field* field;
  const Layout* layout;
  std::uint64_t first_leaf;  ///< number of its first leaf in the structure
};

/// One element of a type.
struct Layout {
  const cppc_type* type = nullptr;
  std::uint64_t leaves = 0;
  std::uint64_t leaf_bytes = 0;  ///< of each leaf of a type that is no structure
  bool references = false;       ///< holds pointers, functions or MPI handles: has a stored form of its own
  unsigned depth = 0;            ///< of nested structures
  std::vector<Part> parts;       ///< of a structure, by rising offset
  std::string defect;            ///< why the descriptor cannot be used; empty: it can
};

/// The layout of `type`, which must stay as it is for the rest of the process. Made once, then looked up.
const Layout& layout_of(const cppc_type* type);

/// A leaf of an object. `past`: the first byte behind it, where no other leaf begins.
struct Leaf {
  std::uint64_t number = 0;
  bool past = false;

  bool operator==(const Leaf&) const = default;
};

/// The leaf that begins (or ends: `past`) at `offset` of an object of `count` elements; leaf number count * leaves is
/// the end of the object. Nothing when `offset` is in the middle of a leaf or of padding.
std::optional<Leaf> leaf_at(const Layout& layout, std::uint64_t count, std::uint64_t offset);

/// The other way. Nothing when there is no such leaf.
std::optional<std::uint64_t> offset_of(const Layout& layout, std::uint64_t count, Leaf leaf);

/// How large it is.
std::uint64_t leaf_bytes(const Layout& layout, std::uint64_t number);

/// Whether a type says no more than that there are bytes, which may be anything.
inline bool is_unknown(const cppc_type& type) { return type.kind == CPPC_BYTES && type.size == 1; }

/// Whether a program may keep addresses in an array of such numbers: integers with room for one, and bytes.
bool may_hide_addresses(const cppc_type& type);

/// For messages.
std::string type_name(const cppc_type& type);

/// How the program would write what is at `offset`: "[3].next"; empty for the only scalar of an object.
std::string path_to(const Layout& layout, std::uint64_t count, std::uint64_t offset);

/// Copies the members of a structure, and nothing between them.
void copy_members(const Layout& layout, const std::byte* from, std::byte* to);

/// Whether both describe the same: kinds, sizes, names and places of members. Names of types do not matter.
bool same_structure(const Layout& a, const Layout& b);

/// Whether compilers of two machines may have made both of the same source: the same leaves in the same order, under
/// the same names, wherever they lie and however large they are.
bool same_members(const Layout& a, const Layout& b);

/// As an image has it: 8 bytes for each reference. The same where these have 8 bytes in memory.
const Layout& stored_layout(const Layout& layout);

/// Calls visit(a, b, offset in a, offset in b, count) for each row of scalars of `count` elements of two layouts with
/// the same members; stops at the first that gives false, and gives false.
template <typename Visit>
bool each_pair(const Layout& a, const Layout& b, std::uint64_t in_a, std::uint64_t in_b, std::uint64_t count,
               Visit& visit) {
  if (a.type->kind != CPPC_STRUCT) return count == 0 || visit(a, b, in_a, in_b, count);
  for (std::uint64_t i = 0; i < count; ++i) {
    for (std::size_t p = 0; p < a.parts.size(); ++p) {
      const Part &one = a.parts[p], &other = b.parts[p];
      if (!each_pair(*one.layout, *other.layout, in_a + i * a.type->size + one.field->offset,
                     in_b + i * b.type->size + other.field->offset, one.field->count, visit))
        return false;
    }
  }
  return true;
}

/// Calls visit(kind, offset) for each reference in one element; stops at the first that gives false, and gives false.
template <typename Visit>
bool each_reference(const Layout& layout, std::uint64_t base, Visit& visit) {
  if (layout.type->kind != CPPC_STRUCT) return visit(layout.type->kind, base);
  for (const Part& part : layout.parts) {
    if (!part.layout->references) continue;
    const std::uint64_t first = base + part.field->offset;
    for (std::uint64_t i = 0; i < part.field->count; ++i) {
      if (!each_reference(*part.layout, first + i * part.layout->type->size, visit)) return false;
    }
  }
  return true;
}

}  // namespace cppc
