#include "references.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "handles.hpp"
#include "log.hpp"

namespace cppc {

namespace {

constexpr unsigned form_bits = 2;
constexpr unsigned position_bits = 34;
constexpr unsigned object_shift = position_bits + form_bits;
constexpr std::uint64_t max_position = (std::uint64_t{1} << position_bits) - 1;
constexpr std::uint64_t max_object = (std::uint64_t{1} << (64 - object_shift)) - 2;

enum Form : std::uint64_t { at_leaf, behind_leaf, at_byte };

constexpr std::uint64_t form_of(std::uint64_t stored) { return stored & ((1U << form_bits) - 1); }

template <typename T>
T load(const std::byte* field) {
  T value;
  std::memcpy(&value, field, sizeof value);
  return value;
}

template <typename T>
void store(std::byte* field, T value) {
  std::memcpy(field, &value, sizeof value);
}

tl::unexpected<std::string> unexpected(const char* why) { return tl::unexpected(std::string(why)); }

}  // namespace

ReferenceEncoder::ReferenceEncoder(std::span<const Object> objects, const AddressIndex& index,
                                   std::span<const cppc_function> functions, OutsideEncoder& outside)
    : objects_(objects),
      index_(index),
      outside_(outside),
      heap_begin_(std::numeric_limits<std::uintptr_t>::max()),
      heap_end_(0) {
  for (std::size_t i = 0; i < functions.size(); ++i) functions_.try_emplace(functions[i].address, i + 1);
  for (const Object& object : objects) {
    if (object.section != CPPC_SECTION_HEAP) continue;
    const auto begin = reinterpret_cast<std::uintptr_t>(object.address);
    heap_begin_ = std::min(heap_begin_, begin);
    heap_end_ = std::max(heap_end_, begin + static_cast<std::uintptr_t>(object.bytes()));
  }
}

cppc_status ReferenceEncoder::encode(const Object& object, std::byte* copy) const {
  const auto encode_one = [&](cppc_kind kind, std::uint64_t from, std::uint64_t to) {
    const Stored stored = encode(object, kind, object.address + from);
    if (stored) {
      store(copy + to, *stored);
    } else {
      log().error("{} {}", label(object, from), stored.error());
    }
    return stored.has_value();
  };
  const Layout& stored = stored_layout(*object.layout);
  const auto visit_row = [&](const Layout& own, const Layout&, std::uint64_t from, std::uint64_t to,
                             std::uint64_t count) {
    bool good = true;
    for (std::uint64_t i = 0; own.references && good && i < count; ++i)
      good = encode_one(own.type->kind, from + i * sizeof(void*), to + i * sizeof(std::uint64_t));
    return good;
  };
  if (&stored != object.layout)
    return each_pair(*object.layout, stored, 0, 0, object.count, visit_row) ? CPPC_OK : CPPC_ERR_UNSUPPORTED;
  auto visit = [&](cppc_kind kind, std::uint64_t offset) { return encode_one(kind, offset, offset); };
  const std::uint64_t size = object.layout->type->size;
  for (std::uint64_t i = 0; i < object.count; ++i) {
    if (!each_reference(*object.layout, i * size, visit)) return CPPC_ERR_UNSUPPORTED;
  }
  return CPPC_OK;
}

ReferenceEncoder::Stored ReferenceEncoder::encode(const Object& holder, cppc_kind kind, const std::byte* field) const {
  switch (kind) {
    case CPPC_POINTER:
      return encode_pointer(holder, load<const void*>(field));
    case CPPC_FUNCTION:
      return encode_function(load<void (*)()>(field));
    default:
      return handles::encode(kind, field);
  }
}

ReferenceEncoder::Stored ReferenceEncoder::encode_pointer(const Object& holder, const void* pointer) const {
  if (pointer == nullptr) return 0;
  // Addresses of variables that are gone: what a function keeps in registers is not known outside of it, and its
  // callees cannot have set it. Nothing points to a shadow either.
  const auto gone = [&](const AddressIndex::Hit& found) {
    const Object& object = objects_[found.object];
    return object.shadow || (holder.shadow && object.section == CPPC_SECTION_FRAME && object.depth > holder.depth);
  };
  auto hit = index_.find(pointer);
  if (!hit) return outside_.encode(pointer);
  if (gone(*hit)) {
    hit = hit->offset == 0 ? index_.find_end(pointer) : std::nullopt;  // rather behind what ends there
    if (!hit || gone(*hit)) return outside_form;
  }
  const Object& target = objects_[hit->object];
  const auto leaf = leaf_at(*target.layout, target.count, hit->offset);
  const std::uint64_t position = leaf ? leaf->number : hit->offset;
  if (hit->object > max_object || position > max_position) {
    return tl::unexpected("points to " + label(target, hit->offset) + ", beyond what a stored pointer can name");
  }
  const Form form = !leaf ? at_byte : leaf->past ? behind_leaf : at_leaf;
  return (std::uint64_t{hit->object} + 1) << object_shift | position << form_bits | form;
}

ReferenceEncoder::Stored ReferenceEncoder::encode_function(void (*function)()) const {
  if (function == nullptr) return 0;
  const auto found = functions_.find(function);
  if (found != functions_.end()) return found->second << form_bits;
  return outside_.encode(reinterpret_cast<const void*>(function));
}

cppc_status ReferenceEncoder::check_numbers(const Object& object) const {
  if (!may_hide_addresses(*object.layout->type)) return CPPC_OK;
  for (std::uint64_t offset = 0; offset + sizeof(void*) <= object.bytes(); offset += sizeof(void*)) {
    const auto word = load<std::uintptr_t>(object.address + offset);
    if (word < heap_begin_ || word >= heap_end_) continue;
    const auto hit = index_.find(reinterpret_cast<const void*>(word));
    if (!hit || objects_[hit->object].section != CPPC_SECTION_HEAP || hit->offset == objects_[hit->object].bytes())
      continue;
    const std::string target = label(objects_[hit->object], hit->offset);
    if (is_unknown(*object.layout->type) && object.section == CPPC_SECTION_HEAP)
      log().error(
          "{}: this block of {} bytes, allocated without a known type, seems to hold a pointer to {} at byte {}: "
          "allocate it where its type is known, or name the type with cppc_typed()",
          label(object), object.bytes(), target, offset);
    else
      log().error(
          "{} seems to hold a pointer to {} in {}, which is none: give it a type that has the pointer, or build the "
          "program without --portable",
          label(object, offset), target, type_name(*object.layout->type));
    return CPPC_ERR_UNSUPPORTED;
  }
  return CPPC_OK;
}

cppc_status ReferenceDecoder::decode(const Object& object, std::byte* data, std::vector<LateReference>& late) const {
  auto visit = [&](cppc_kind kind, std::uint64_t offset) {
    const Result result = decode(object, kind, load<std::uint64_t>(data + offset), data, offset, late);
    if (!result) log().error("{} in the image {}", label(object, offset), result.error());
    return result.has_value();
  };
  const std::uint64_t size = object.layout->type->size;
  for (std::uint64_t i = 0; i < object.count; ++i) {
    if (!each_reference(*object.layout, i * size, visit)) return CPPC_ERR_IMAGE;
  }
  return CPPC_OK;
}

cppc_status ReferenceDecoder::translate(const Object& object, const std::byte* stored, std::byte* data,
                                        const Translation& translation, std::vector<LateReference>& late) const {
  const auto visit = [&](const Layout& image, const Layout& own, std::uint64_t from, std::uint64_t to,
                         std::uint64_t count) {
    if (!own.references) {
      const auto translated = translation.numbers(image, stored + from, own, data + to, count);
      if (!translated) log().error("{} {}", label(object, to + translated.error().failed_at), translated.error().why);
      return translated.has_value();
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t offset = to + i * sizeof(void*);
      const std::uint64_t reference = translation.reference(stored + from + i * sizeof(std::uint64_t));
      const Result result = decode(object, own.type->kind, reference, data, offset, late);
      if (!result) log().error("{} in the image {}", label(object, offset), result.error());
      if (!result) return false;
    }
    return true;
  };
  return each_pair(*object.in_image, *object.layout, 0, 0, object.count, visit) ? CPPC_OK : CPPC_ERR_UNSUPPORTED;
}

ReferenceDecoder::Result ReferenceDecoder::decode(const Object& holder, cppc_kind kind, std::uint64_t stored,
                                                  std::byte* data, std::uint64_t offset,
                                                  std::vector<LateReference>& late) const {
  if (kind == CPPC_FUNCTION) {
    const auto function = function_of(stored);
    if (!function) return tl::unexpected(function.error());
    store(data + offset, *function);
    return {};
  }
  if (kind != CPPC_POINTER) return handles::decode(kind, stored, data + offset);
  const auto target = target_of(stored);
  if (!target) return tl::unexpected(target.error());
  if (stored != 0 && *target == nullptr && !holder.shadow) late.push_back({holder.address + offset, stored});
  store(data + offset, *target);
  return {};
}

void ReferenceDecoder::decode(std::span<const LateReference> late) const {
  for (const auto& [field, stored] : late) store(field, *target_of(stored));
}

/// Null: it is, or its target is not in memory yet.
tl::expected<void*, std::string> ReferenceDecoder::target_of(std::uint64_t stored) const {
  if (stored == 0) return nullptr;
  const std::uint64_t form = form_of(stored);
  if (form == outside_form) return outside_.decode(stored);
  const std::uint64_t number = (stored >> object_shift) - 1;
  if (number >= objects_.size() || objects_[number].shadow) return unexpected("points to no object");
  const Object& target = objects_[number];
  const std::uint64_t position = stored >> form_bits & max_position;
  if (form == at_byte && target.in_image != nullptr)
    return tl::unexpected("points between the scalars of " + label(target) + ", which lie elsewhere here");
  const auto offset = form == at_byte ? std::optional(position)
                                      : offset_of(*target.layout, target.count, {position, form == behind_leaf});
  if (!offset || *offset > target.bytes()) return tl::unexpected("points outside of " + label(target));
  return target.address != nullptr ? target.address + *offset : nullptr;
}

tl::expected<void (*)(), std::string> ReferenceDecoder::function_of(std::uint64_t stored) const {
  if (stored == 0) return nullptr;
  if (form_of(stored) == outside_form) {
    return outside_.decode(stored).map([](void* address) { return reinterpret_cast<void (*)()>(address); });
  }
  const std::uint64_t number = stored >> form_bits;
  if (form_of(stored) != 0 || number > functions_.size()) return unexpected("is no function");
  if (functions_[number - 1] == nullptr) return unexpected("is a function this program does not have");
  return functions_[number - 1];
}

}  // namespace cppc
