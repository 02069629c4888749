#include "fabric/compressor.hpp"

#include <zstd.h>

#include <algorithm>
#include <new>

namespace cppc::fabric {
namespace {

constexpr std::size_t word = 8;
constexpr int level = 1;

void shuffle(std::span<const std::byte> bytes, std::span<std::byte> into) {
  const std::size_t words = bytes.size() / word;
  for (std::size_t k = 0; k < word; ++k)
    for (std::size_t i = 0; i < words; ++i) into[k * words + i] = bytes[i * word + k];
  std::ranges::copy(bytes.subspan(words * word), into.begin() + static_cast<std::ptrdiff_t>(words * word));
}

void unshuffle(std::span<const std::byte> bytes, std::span<std::byte> into) {
  const std::size_t words = bytes.size() / word;
  for (std::size_t k = 0; k < word; ++k)
    for (std::size_t i = 0; i < words; ++i) into[i * word + k] = bytes[k * words + i];
  std::ranges::copy(bytes.subspan(words * word), into.begin() + static_cast<std::ptrdiff_t>(words * word));
}

}  // namespace

struct Compressor::Contexts {
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> out{ZSTD_createCCtx(), &ZSTD_freeCCtx};
  std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> in{ZSTD_createDCtx(), &ZSTD_freeDCtx};
};

Compressor::Compressor() : contexts_(std::make_unique<Contexts>()) {
  if (!contexts_->out || !contexts_->in) throw std::bad_alloc();
}
Compressor::~Compressor() = default;

std::optional<std::size_t> Compressor::compress(std::span<std::byte> bytes) {
  shuffled_.resize(bytes.size());
  result_.resize(bytes.size());  // no more is of use
  shuffle(bytes, shuffled_);
  const std::size_t size = ZSTD_compressCCtx(contexts_->out.get(), result_.data(), result_.size(), shuffled_.data(),
                                             shuffled_.size(), level);
  if (ZSTD_isError(size) != 0 || size >= bytes.size()) return std::nullopt;
  std::ranges::copy(std::span(result_).first(size), bytes.begin());
  return size;
}

std::optional<std::span<const std::byte>> Compressor::restore(std::span<const std::byte> compressed, std::size_t most) {
  const auto size = ZSTD_getFrameContentSize(compressed.data(), compressed.size());
  if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR || size > most) return std::nullopt;
  shuffled_.resize(size);
  result_.resize(size);
  if (ZSTD_decompressDCtx(contexts_->in.get(), shuffled_.data(), size, compressed.data(), compressed.size()) != size)
    return std::nullopt;
  unshuffle(shuffled_, result_);
  return result_;
}

}  // namespace cppc::fabric
