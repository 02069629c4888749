/// Every object of the state, in the order of capture, and which one lies where in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "cppc/hooks.h"
#include "dead_memory.hpp"
#include "layout.hpp"
#include "registry.hpp"

namespace cppc {

struct Object {
  cppc_section section;
  std::string name;  ///< unique in its section
  const Layout* layout;
  std::uint64_t count;
  std::byte* address = nullptr;      ///< null: of an image, not in memory yet
  std::uint64_t alignment = 0;       ///< of a heap block; 0: malloc's
  std::size_t depth = 0;             ///< of a frame's object: the frame's number
  bool shadow = false;               ///< of a frame: nothing points into it, and only its members count
  bool dead = false;                 ///< contents are not needed
  bool shared = false;               ///< as in cppc_block
  std::vector<cppc_part> holes;      ///< whole elements that are not needed; of a large object without references
  const Layout* in_image = nullptr;  ///< while it is restored by translation; `layout` becomes this program's

  [[nodiscard]] std::uint64_t bytes() const { return count * layout->type->size; }

  /// In an image.
  [[nodiscard]] std::uint64_t stored_bytes() const {
    return count * (in_image != nullptr ? *in_image : stored_layout(*layout)).type->size;
  }
};

/// A frame's objects follow each other: the shadow, if anything in it is live, then the variables.
struct Frame {
  std::string function;
  int place;
  std::size_t first;
  std::size_t count;
};

struct Inventory {
  std::vector<Object> objects;  ///< globals, frames outermost first, heap blocks by rising number
  std::vector<Frame> frames;
};

/// Everything registered at this moment; what `dead` covers is marked. CPPC_ERR_UNSUPPORTED, logged by name, for what
/// cannot be described.
tl::expected<Inventory, cppc_status> take_inventory(const DeadMemory& dead);

/// Names of a frame's objects, in order: "<depth>/<function>/<variable>".
std::string shadow_name(std::size_t depth, const cppc_routine& routine);
std::vector<std::string> variable_names(std::size_t depth, const cppc_routine& routine,
                                        std::span<const Variable> variables);

/// For messages: "heap/12", and with an offset "heap/12[3].next".
std::string label(const Object& object);
std::string label(const Object& object, std::uint64_t offset);

/// Finds objects by address.
class AddressIndex {
 public:
  /// Two objects that share bytes are CPPC_ERR_UNSUPPORTED, logged.
  static tl::expected<AddressIndex, cppc_status> make(std::span<const Object> objects);

  struct Hit {
    std::size_t object;
    std::uint64_t offset;
  };
  /// The object that `address` lies in, or else the one that ends there.
  [[nodiscard]] std::optional<Hit> find(const void* address) const;

  /// The object right behind whose end the address is.
  [[nodiscard]] std::optional<Hit> find_end(const void* address) const;

 private:
  struct Range {
    std::uintptr_t begin;
    std::uintptr_t end;
    std::size_t object;
  };
  std::vector<Range> ranges_;
};

}  // namespace cppc
