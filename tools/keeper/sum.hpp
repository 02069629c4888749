/// A file in memory that is made as a sum of multiples (reed_solomon.hpp) of pieces that come in chunks, one piece
/// after the other: so it needs no more memory than itself and a chunk, and no keeper that sends waits for another one.
#pragma once

#include <cstdint>
#include <vector>

#include "image.hpp"

namespace cppc::keeper {

class Sum {
 public:
  /// Of so many bytes, in an empty file. It begins as what there is of `base`, if any, and zeros.
  static Result<Sum> begin(UniqueFd file, std::uint64_t bytes, Held base);

  /// A chunk; what is beyond the sum's end has no part in it.
  Result<void> add(std::uint8_t coefficient, std::uint64_t index, std::span<const std::byte> bytes);

  Result<Held> finish() &&;

 private:
  Sum(UniqueFd file, std::uint64_t bytes, Held base)
      : file_(std::move(file)), bytes_(bytes), base_(std::move(base)), written_(chunk_count(bytes)) {}
  Result<std::span<std::byte>> present(std::size_t index);
  std::span<const std::byte> base(std::size_t index) const;

  UniqueFd file_;
  std::uint64_t bytes_;
  Held base_;
  std::vector<bool> written_;  // by chunk; others are the base's
  std::vector<std::byte> memory_ = std::vector<std::byte>(chunk_bytes);
};

}  // namespace cppc::keeper
