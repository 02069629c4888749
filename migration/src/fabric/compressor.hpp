/// Compression of what travels by way of a slot. Bytes are shuffled first: the first of every eight, the second of
/// every eight, ..., since those of numbers resemble each other; then zstd.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace cppc::fabric {

class Compressor {
 public:
  Compressor();
  ~Compressor();
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  /// Replaces `bytes` by what they become, in the same memory, and returns how much that is. Nothing, and `bytes` as
  /// they were, when it would not be less.
  std::optional<std::size_t> compress(std::span<std::byte> bytes);

  /// The bytes that became `compressed`, valid until the next call. Nothing when they are more than `most`, or it
  /// cannot be that.
  std::optional<std::span<const std::byte>> restore(std::span<const std::byte> compressed, std::size_t most);

 private:
  struct Contexts;
  std::unique_ptr<Contexts> contexts_;
  std::vector<std::byte> shuffled_;
  std::vector<std::byte> result_;
};

}  // namespace cppc::fabric
