#include "sum.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "reed_solomon.hpp"

namespace cppc::keeper {

using tools::error;

Result<Sum> Sum::begin(UniqueFd file, std::uint64_t bytes, Held base) {
  if (ftruncate(file.get(), static_cast<off_t>(bytes)) != 0)
    return error(std::string("no memory for a sum: ") + std::strerror(errno));
  return Sum(std::move(file), bytes, std::move(base));
}

std::span<const std::byte> Sum::base(std::size_t index) const {
  if (base_ == nullptr || index >= base_->chunks().size()) return {};
  const auto chunk = base_->chunk(index);
  return chunk.first(std::min(chunk.size(), size_of_chunk(bytes_, index)));
}

Result<std::span<std::byte>> Sum::present(std::size_t index) {
  const auto chunk = std::span(memory_).first(size_of_chunk(bytes_, index));
  if (written_[index]) {
    if (const auto got = read_at(file_, chunk, index * chunk_bytes); !got) return error(got.error());
    return chunk;
  }
  std::ranges::fill(chunk, std::byte{0});
  std::ranges::copy(base(index), chunk.begin());
  return chunk;
}

Result<void> Sum::add(std::uint8_t coefficient, std::uint64_t index, std::span<const std::byte> bytes) {
  if (index >= written_.size()) return {};
  const auto chunk = present(index);
  if (!chunk) return error(chunk.error());
  const std::size_t common = std::min(chunk->size(), bytes.size());
  add_multiple(coefficient, bytes.first(common), chunk->first(common));
  written_[index] = true;
  return write_at(file_, *chunk, index * chunk_bytes);
}

Result<Held> Sum::finish() && {
  for (std::size_t i = 0; i < written_.size(); ++i)
    if (!written_[i] && !base(i).empty())
      if (const auto kept = write_at(file_, base(i), i * chunk_bytes); !kept) return error(kept.error());
  return Image::seal(std::move(file_), bytes_);
}

}  // namespace cppc::keeper
