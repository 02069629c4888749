#include "convert_numbers.hpp"

#include <cstddef>
#include <span>

#include "cppc/numbers.hpp"

namespace cppc::migration {
namespace {

image::Numbers form_of(const cppc_numbers& form) {
  const image::Class cls = form.kind == CPPC_SIGNED     ? image::Class::signed_integer
                           : form.kind == CPPC_UNSIGNED ? image::Class::unsigned_integer
                           : form.kind == CPPC_FLOAT    ? image::Class::floating
                                                        : image::Class::bytes;
  return {.cls = cls, .size = form.size, .big_endian = form.big_endian != 0, .significand = form.significand};
}

}  // namespace

std::uint64_t convert_numbers(const cppc_numbers* from_form, const void* from, const cppc_numbers* to_form, void* to,
                              std::uint64_t count) {
  const std::span source(static_cast<const std::byte*>(from), count * from_form->size);
  const std::span destination(static_cast<std::byte*>(to), count * to_form->size);
  return image::convert(form_of(*from_form), source, form_of(*to_form), destination, count).value_or(0);
}

}  // namespace cppc::migration
