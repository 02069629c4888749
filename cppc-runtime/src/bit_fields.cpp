#include "bit_fields.hpp"

#include <bit>
#include <cstring>
#include <sstream>
#include <string>
#include <string_view>

namespace cppc {
namespace {

constexpr std::string_view kPrefix = "bits ";

/// Bit `number` of a field of `width`, from its lowest one, in bytes of either order.
struct Place {
  std::size_t byte;
  unsigned shift;
};

Place place_of(const BitField& field, std::uint64_t number, bool big_endian) {
  const std::uint64_t bit = field.begin + (big_endian ? field.width - 1 - number : number);
  const auto in_byte = static_cast<unsigned>(bit % 8);
  return {static_cast<std::size_t>(bit / 8), big_endian ? 7 - in_byte : in_byte};
}

}  // namespace

std::optional<std::vector<BitField>> bit_fields_of(const cppc_type& type) {
  const std::string_view name = type.name != nullptr ? type.name : "";
  if (type.kind != CPPC_BYTES || !name.starts_with(kPrefix)) return std::nullopt;
  std::istringstream text{std::string(name.substr(kPrefix.size()))};
  std::vector<BitField> fields;
  BitField field;
  for (char colon = 0; text >> field.begin >> colon >> field.width;) {
    const bool fits = colon == ':' && field.width <= type.size * 8 && field.begin <= type.size * 8 - field.width;
    if (!fits) return std::nullopt;
    fields.push_back(field);
  }
  return text.eof() && !fields.empty() ? std::optional(std::move(fields)) : std::nullopt;
}

void swap_bit_fields(const std::vector<BitField>& fields, const std::byte* from, std::byte* to, std::size_t bytes) {
  constexpr bool big_endian_here = std::endian::native == std::endian::big;
  std::memset(to, 0, bytes);
  for (const BitField& field : fields) {
    for (std::uint64_t number = 0; number < field.width; ++number) {
      const Place there = place_of(field, number, !big_endian_here), here = place_of(field, number, big_endian_here);
      to[here.byte] |= (from[there.byte] >> there.shift & std::byte{1}) << here.shift;
    }
  }
}

}  // namespace cppc
