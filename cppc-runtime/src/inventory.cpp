#include "inventory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "heap.hpp"
#include "log.hpp"
#include "shape.hpp"

namespace cppc {

namespace {

/// Smaller objects and parts are not worth the bookkeeping.
constexpr std::uint64_t least_with_holes = 65536, least_hole = 512;

tl::unexpected<cppc_status> unsupported(const std::string& message) {
  log().error("{}", message);
  return tl::unexpected(CPPC_ERR_UNSUPPORTED);
}

using Result = tl::expected<void, cppc_status>;

Result add(Inventory& inventory, Object object) {
  if (!object.layout->defect.empty()) {
    return unsupported(label(object) + " cannot be carried over: " + object.layout->defect);
  }
  inventory.objects.push_back(std::move(object));
  return {};
}

Result add_globals(Inventory& inventory) {
  std::unordered_set<std::string_view> names;
  for (const Variable& global : registry().globals) {
    if (!names.insert(global.name).second) {
      return unsupported(std::string("global/") + global.name +
                         " is declared twice: its name has to be unique in the program");
    }
    auto added = add(inventory, {.section = CPPC_SECTION_GLOBAL,
                                 .name = global.name,
                                 .layout = &layout_of(global.type),
                                 .count = global.count,
                                 .address = static_cast<std::byte*>(global.address)});
    if (!added) return added;
  }
  return {};
}

Object in_frame(std::size_t depth, std::string name, const Variable& variable, bool shadow) {
  return {.section = CPPC_SECTION_FRAME,
          .name = std::move(name),
          .layout = &layout_of(variable.type),
          .count = variable.count,
          .address = static_cast<std::byte*>(variable.address),
          .depth = depth,
          .shadow = shadow};
}

Result add_frame(Inventory& inventory, std::size_t depth, const cppc_frame& frame) {
  const cppc_routine& routine = *frame.routine;
  const cppc_place* place = find_place(frame, frame.place);
  if (place == nullptr) {
    return unsupported(std::string(routine.name) + "() cannot be resumed: it names no place of its own (cppc_at()) " +
                       "on the way to this safe point");
  }
  const std::size_t first = inventory.objects.size();
  if (place->shadow != nullptr) {
    const Variable shadow{"(shadow)", frame.shadow, place->shadow, 1};
    if (auto added = add(inventory, in_frame(depth, shadow_name(depth, routine), shadow, true)); !added) return added;
  }
  const auto variables = variables_at(frame, *place);
  auto names = variable_names(depth, routine, variables);
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (auto added = add(inventory, in_frame(depth, std::move(names[i]), variables[i], false)); !added) return added;
  }
  inventory.frames.push_back({routine.name, frame.place, first, inventory.objects.size() - first});
  return {};
}

Result add_heap(Inventory& inventory) {
  for (const auto& [address, block] : heap().blocks()) {
    const auto shape = shape_of(block.type, block.bytes);
    if (!shape) return unsupported("heap/" + std::to_string(block.number) + " " + shape.error());
    inventory.objects.push_back({.section = CPPC_SECTION_HEAP,
                                 .name = std::to_string(block.number),
                                 .layout = &layout_of(shape->type),
                                 .count = shape->count,
                                 .address = address,
                                 .alignment = block.alignment});
  }
  return {};
}

/// What is dead of an object: all of it, or large enough parts.
void mark_dead(Object& object, const DeadMemory& dead) {
  if (object.shadow) return;
  const auto parts = dead.parts_of({object.address, static_cast<std::size_t>(object.bytes())});
  object.dead = parts.size() == 1 && parts.front().bytes == object.bytes();
  if (object.dead || object.layout->references || object.bytes() < least_with_holes) return;
  const std::uint64_t element = object.layout->type->size;
  for (const auto& [offset, bytes] : parts) {
    const std::uint64_t from = (offset + element - 1) / element * element, to = (offset + bytes) / element * element;
    if (from + least_hole <= to) object.holes.push_back({from, to - from});
  }
}

}  // namespace

tl::expected<Inventory, cppc_status> take_inventory(const DeadMemory& dead) {
  Inventory inventory;
  if (auto added = add_globals(inventory); !added) return tl::unexpected(added.error());
  const auto frames = registry().frames();
  for (std::size_t depth = 0; depth < frames.size(); ++depth) {
    if (auto added = add_frame(inventory, depth, *frames[depth]); !added) return tl::unexpected(added.error());
  }
  if (auto added = add_heap(inventory); !added) return tl::unexpected(added.error());
  for (Object& object : inventory.objects) mark_dead(object, dead);
  return inventory;
}

std::string shadow_name(std::size_t depth, const cppc_routine& routine) {
  return fmt::format("{}/{}/(shadow)", depth, routine.name);  // no variable's name
}

std::vector<std::string> variable_names(std::size_t depth, const cppc_routine& routine,
                                        std::span<const Variable> variables) {
  std::vector<std::string> names;
  std::unordered_map<std::string_view, int> seen;  // variables of inner scopes may share a name
  for (const Variable& variable : variables) {
    std::string name = fmt::format("{}/{}/{}", depth, routine.name, variable.name);
    if (const int times = ++seen[variable.name]; times > 1) name += fmt::format("#{}", times);
    names.push_back(std::move(name));
  }
  return names;
}

std::string label(const Object& object) {
  const char* section = object.section == CPPC_SECTION_GLOBAL  ? "global/"
                        : object.section == CPPC_SECTION_FRAME ? "frame/"
                                                               : "heap/";
  return section + object.name;
}

std::string label(const Object& object, std::uint64_t offset) {
  const std::string path = path_to(*object.layout, object.count, offset);
  if (!object.shadow || !path.starts_with('.')) return label(object) + path;
  const std::size_t begin = object.name.find('/') + 1;  // behind its depth
  return fmt::format("the variable '{}' of {}()", path.substr(1),
                     object.name.substr(begin, object.name.rfind('/') - begin));
}

tl::expected<AddressIndex, cppc_status> AddressIndex::make(std::span<const Object> objects) {
  AddressIndex index;
  index.ranges_.reserve(objects.size());
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const auto begin = reinterpret_cast<std::uintptr_t>(objects[i].address);
    index.ranges_.push_back({begin, begin + static_cast<std::uintptr_t>(objects[i].bytes()), i});
  }
  std::ranges::sort(index.ranges_, {}, [](const Range& range) { return std::pair(range.begin, range.end); });
  for (std::size_t i = 1; i < index.ranges_.size(); ++i) {
    const Range& range = index.ranges_[i];
    const Range& before = index.ranges_[i - 1];
    if (range.begin < before.end) {
      return unsupported(
          label(objects[range.object]) + " and " + label(objects[before.object]) +
          " share memory: register each object once, and give blocks of cppc_malloc() to cppc_free() alone");
    }
  }
  return index;
}

std::optional<AddressIndex::Hit> AddressIndex::find(const void* address) const {
  const auto value = reinterpret_cast<std::uintptr_t>(address);
  auto range = std::ranges::upper_bound(ranges_, value, {}, &Range::begin);
  if (range == ranges_.begin()) return std::nullopt;
  --range;
  if (value > range->end) return std::nullopt;
  return Hit{range->object, value - range->begin};
}

std::optional<AddressIndex::Hit> AddressIndex::find_end(const void* address) const {
  const auto value = reinterpret_cast<std::uintptr_t>(address);
  auto range = std::ranges::lower_bound(ranges_, value, {}, &Range::begin);
  if (range == ranges_.begin()) return std::nullopt;
  --range;
  if (value != range->end) return std::nullopt;
  return Hit{range->object, value - range->begin};
}

}  // namespace cppc
