#include "translation.hpp"

#include <bit>
#include <cstring>
#include <limits>
#include <span>

#include "bit_fields.hpp"
#include "mpi/call.hpp"
#include "mpi/own_attributes.hpp"
#include "registry.hpp"
#include "shape.hpp"

namespace cppc {

namespace {

const cppc_type* const known[] = {&cppc_type_char,
                                  &cppc_type_signed_char,
                                  &cppc_type_unsigned_char,
                                  &cppc_type_short,
                                  &cppc_type_unsigned_short,
                                  &cppc_type_int,
                                  &cppc_type_unsigned_int,
                                  &cppc_type_long,
                                  &cppc_type_unsigned_long,
                                  &cppc_type_long_long,
                                  &cppc_type_unsigned_long_long,
                                  &cppc_type_bool,
                                  &cppc_type_float,
                                  &cppc_type_double,
                                  &cppc_type_long_double,
                                  &cppc_type_float_complex,
                                  &cppc_type_double_complex,
                                  &cppc_type_pointer,
                                  &cppc_type_function,
                                  &cppc_type_mpi_comm,
                                  &cppc_type_mpi_datatype,
                                  &cppc_type_mpi_op,
                                  &cppc_type_mpi_group,
                                  &cppc_type_mpi_request,
                                  &cppc_type_mpi_info,
                                  &cppc_type_mpi_errhandler,
                                  &cppc_type_file,
                                  &cppc_type_mpi_file,
                                  &cppc_type_mpi_win,
                                  &cppc_type_mpi_message,
                                  &cppc_type_bytes,
                                  &mpi::call_type};

/// The same structure with as many elements in its flexible member as the image's has.
const Layout* with_flexible_member(const Layout& own, const Layout& image) {
  if (own.parts.empty() || own.parts.size() != image.parts.size()) return nullptr;
  const cppc_field& last = *own.parts.back().field;
  if (last.count != 0) return nullptr;
  const auto shape = shape_of(own.type, last.offset + image.parts.back().field->count * last.type->size);
  if (!shape) return nullptr;
  const Layout& whole = layout_of(shape->type);
  return same_members(whole, image) ? &whole : nullptr;
}

std::string value_of(const cppc_type& type, const std::byte* number, bool big_endian) {
  if (type.kind == CPPC_FLOAT || type.kind == CPPC_COMPLEX) return "a number";
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < type.size; ++i)
    value |= std::to_integer<std::uint64_t>(number[big_endian ? type.size - 1 - i : i]) << (8 * i);
  if (type.kind == CPPC_UNSIGNED) return std::to_string(value);
  const unsigned unused = 64 - 8 * static_cast<unsigned>(type.size);
  return std::to_string(static_cast<std::int64_t>(value << unused) >> unused);
}

}  // namespace

void Translation::collect_own() {
  for (const cppc_type* type : known) own_.emplace(type->name, type);
  for (const cppc_type* type : mpi::attribute_block_types) own_.emplace(type->name, type);
  for (const cppc_type* type : registry().types)
    if (type->name != nullptr) own_.emplace(type->name, type);
  for (const cppc_required& required : registry().requireds)
    if (required.type != nullptr && required.type->name != nullptr) own_.emplace(required.type->name, required.type);
}

const Layout* Translation::own(const Layout& image) {
  const auto [entry, added] = found_.try_emplace(&image, nullptr);
  if (!added) return entry->second;
  if (own_.empty()) collect_own();
  const std::string name = type_name(*image.type);
  const auto [begin, end] = own_.equal_range(name);
  for (auto candidate = begin; candidate != end && entry->second == nullptr; ++candidate) {
    const Layout& layout = layout_of(candidate->second);
    entry->second = same_members(layout, image) ? &layout : with_flexible_member(layout, image);
  }
  return entry->second;
}

std::uint64_t Translation::reference(const std::byte* stored) const {
  std::uint64_t number = 0;
  std::memcpy(&number, stored, sizeof number);
  return writer_.big_endian == Architecture::here().big_endian ? number : __builtin_bswap64(number);
}

cppc_numbers Translation::form_of(const cppc_type& type, const Architecture& architecture) const {
  const bool complex = type.kind == CPPC_COMPLEX;
  const std::size_t size = complex ? type.size / 2 : type.size;
  const bool floating = complex || type.kind == CPPC_FLOAT;
  const std::uint32_t significand = !floating                ? 0
                                    : size == sizeof(float)  ? std::numeric_limits<float>::digits
                                    : size == sizeof(double) ? std::numeric_limits<double>::digits
                                                             : architecture.long_double_significand;
  return {.kind = complex ? CPPC_FLOAT : type.kind,
          .size = static_cast<std::uint32_t>(size),
          .significand = significand,
          .big_endian = size > 1 && architecture.big_endian ? 1 : 0};
}

tl::expected<void, Translation::Refusal> Translation::numbers(const Layout& image, const std::byte* from,
                                                              const Layout& own, std::byte* to,
                                                              std::uint64_t count) const {
  const cppc_type &theirs = *image.type, &ours = *own.type;
  const Architecture& here = Architecture::here();
  if (ours.kind == CPPC_BYTES && foreign()) {
    const auto bits = bit_fields_of(ours);
    if (!bits)
      return tl::unexpected(Refusal{"is of no type that says what its bytes mean on " + writer_.name +
                                        ", where the image is from, and on " + here.name,
                                    0});
    if (writer_.big_endian != here.big_endian) {
      for (std::uint64_t i = 0; i < count; ++i)
        swap_bit_fields(*bits, from + i * ours.size, to + i * ours.size, ours.size);
      return {};
    }
  }
  const cppc_numbers there_form = form_of(theirs, writer_), here_form = form_of(ours, here);
  const bool same = theirs.size == ours.size && there_form.big_endian == here_form.big_endian &&
                    there_form.significand == here_form.significand;
  if (same) {
    std::memcpy(to, from, count * ours.size);
    return {};
  }
  const std::uint64_t each = ours.kind == CPPC_COMPLEX ? 2 : 1;
  const std::uint64_t done = convert_ != nullptr ? convert_(&there_form, from, &here_form, to, count * each) / each : 0;
  if (done == count) return {};
  return tl::unexpected(Refusal{"is " + value_of(theirs, from + done * theirs.size, writer_.big_endian) + " of " +
                                    std::to_string(theirs.size) + " bytes, which does not fit into the " +
                                    std::to_string(ours.size) + " bytes of " + type_name(ours) + " on " + here.name,
                                done * ours.size});
}

}  // namespace cppc
