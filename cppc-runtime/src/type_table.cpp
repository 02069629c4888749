#include "type_table.hpp"

#include <deque>
#include <limits>

#include "layout.hpp"
#include "never_destroyed.hpp"

namespace cppc {

namespace {

constexpr std::size_t min_type_bytes = 1 + 8 + 8 + 8;
constexpr std::size_t min_field_bytes = 8 + 8 + 4 + 8;

std::string_view text_or_empty(const char* text) { return text != nullptr ? text : ""; }

/// What descriptors from an image point to.
struct Store {
  std::deque<std::string> names;
  std::deque<std::vector<cppc_field>> fields;
  std::deque<cppc_type> types;

  const char* name(std::string_view text) { return names.emplace_back(text).c_str(); }
};

/// Types of another architecture may be larger than memory can hold here.
std::size_t size_from(ByteReader& reader) {
  const std::uint64_t size = reader.u64();
  if (size > std::numeric_limits<std::size_t>::max()) reader.fail();
  return static_cast<std::size_t>(size);
}

bool read_fields(ByteReader& reader, const std::vector<const cppc_type*>& earlier, Store& store, cppc_type& type) {
  auto& fields = store.fields.emplace_back();
  const std::uint64_t count = reader.count(min_field_bytes);
  for (std::uint64_t i = 0; i < count; ++i) {
    const char* name = store.name(reader.text());
    const std::size_t offset = size_from(reader);
    const std::uint32_t number = reader.u32();
    const std::size_t elements = size_from(reader);
    if (!reader.ok() || number >= earlier.size()) return false;
    fields.push_back({name, offset, earlier[number], elements});
  }
  type.fields = fields.data();
  type.field_count = fields.size();
  return reader.ok();
}

}  // namespace

std::uint32_t TypeTableWriter::number_of(const cppc_type* type) {
  if (const auto found = by_address_.find(type); found != by_address_.end()) return found->second;
  ByteWriter content;
  content.u8(static_cast<std::uint8_t>(type->kind));
  content.u64(type->size);
  content.text(text_or_empty(type->name));
  content.u64(type->kind == CPPC_STRUCT ? type->field_count : 0);
  if (type->kind == CPPC_STRUCT) {
    for (const cppc_field& field : std::span(type->fields, type->field_count)) {
      content.text(text_or_empty(field.name));
      content.u64(field.offset);
      content.u32(number_of(field.type));
      content.u64(field.count);
    }
  }
  const auto bytes = content.bytes();
  std::string key(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto [entry, added] = by_content_.try_emplace(std::move(key), static_cast<std::uint32_t>(contents_.size()));
  if (added) contents_.push_back(entry->first);
  by_address_.emplace(type, entry->second);
  return entry->second;
}

void TypeTableWriter::write(ByteWriter& writer) const {
  writer.u64(contents_.size());
  for (const std::string& content : contents_) writer.raw(std::as_bytes(std::span(content)));
}

std::optional<std::vector<const cppc_type*>> read_types(ByteReader& reader) {
  static NeverDestroyed<Store> descriptors;
  Store& store = *descriptors;
  std::vector<const cppc_type*> types;
  const std::uint64_t count = reader.count(min_type_bytes);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint8_t kind = reader.u8();
    const std::size_t size = size_from(reader);
    const char* name = store.name(reader.text());
    if (kind > last_kind) reader.fail();
    auto& type = store.types.emplace_back(
        cppc_type{reader.ok() ? static_cast<cppc_kind>(kind) : CPPC_BYTES, size, name, nullptr, 0});
    if (!read_fields(reader, types, store, type) || !layout_of(&type).defect.empty()) {
      reader.fail();
      return std::nullopt;
    }
    types.push_back(&type);
  }
  return reader.ok() ? std::optional(std::move(types)) : std::nullopt;
}

}  // namespace cppc
