#include "reed_solomon.hpp"

#include <isa-l/erasure_code.h>

#include <array>

namespace cppc::keeper {
namespace {

using Matrix = std::vector<unsigned char>;

constexpr std::size_t bytes_of_table = 32;  // that ISA-L makes of a coefficient

// One row for each piece, one column for each image.
Matrix generator(int images, int pieces) {
  Matrix all(static_cast<std::size_t>(images) * static_cast<std::size_t>(pieces));
  gf_gen_cauchy1_matrix(all.data(), pieces, images);
  return all;
}

}  // namespace

std::uint8_t coefficient(int images, int row, int image) {
  const Matrix all = generator(images, images + row + 1);
  return *(all.end() - images + image);  // its last row
}

std::optional<std::vector<std::uint8_t>> coefficients_to_rebuild(int images, std::span<const int> pieces, int image) {
  const auto size = static_cast<std::size_t>(images);
  const Matrix all = generator(images, most_pieces);
  Matrix present, inverse(size * size);
  for (const int piece : pieces) {
    const auto row = all.begin() + static_cast<std::ptrdiff_t>(piece) * images;
    present.insert(present.end(), row, row + images);
  }
  if (present.size() != inverse.size() || gf_invert_matrix(present.data(), inverse.data(), images) != 0)
    return std::nullopt;
  const auto row = inverse.begin() + static_cast<std::ptrdiff_t>(image) * images;
  return std::vector<std::uint8_t>(row, row + images);
}

void add_multiple(std::uint8_t coefficient, std::span<const std::byte> bytes, std::span<std::byte> sum) {
  std::array<unsigned char, bytes_of_table> table{};
  ec_init_tables(1, 1, &coefficient, table.data());
  // ISA-L does not write to what it reads.
  auto* const from = reinterpret_cast<unsigned char*>(const_cast<std::byte*>(bytes.data()));
  std::array<unsigned char*, 1> to{reinterpret_cast<unsigned char*>(sum.data())};
  ec_encode_data_update(static_cast<int>(bytes.size()), 1, 1, 0, table.data(), from, to.data());
}

}  // namespace cppc::keeper
