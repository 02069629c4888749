/// Reed-Solomon codes over GF(2^8) by Cauchy matrices, byte by byte (ISA-L). A group has images and parities: a parity
/// is the sum of coefficient times image. Of the pieces of a group, images and parities, any as many as it has images
/// give all of them. Images that are shorter than others end in zeros.
///
/// A sum is the exclusive or. So a parity changes by coefficient times what has changed in an image, and nothing else
/// of the group has to be known for that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace cppc::keeper {

/// Images and parities of a group are not more than that.
inline constexpr int most_pieces = 255;

/// Of the image in the parity of this row, in a group of so many images. The number of rows does not matter.
std::uint8_t coefficient(int images, int row, int image);

/// By which pieces, in this order, are multiplied so that their sum is the image. Pieces are as many as the group has
/// images; their numbers are those of images, and behind these of rows. None: two of them are the same.
std::optional<std::vector<std::uint8_t>> coefficients_to_rebuild(int images, std::span<const int> pieces, int image);

/// sum += coefficient * bytes; as many of both.
void add_multiple(std::uint8_t coefficient, std::span<const std::byte> bytes, std::span<std::byte> sum);

}  // namespace cppc::keeper
