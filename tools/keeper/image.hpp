/// One image in memory: a file without a name that nobody can change any more, and checksums of it and of its chunks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "../common/result.hpp"
#include "cppc/unique_fd.hpp"

namespace cppc::keeper {

template <class T>
using Result = tools::Result<T>;

/// What travels, or does not.
inline constexpr std::size_t chunk_bytes = std::size_t{256} << 10;

class Image;
using Held = std::shared_ptr<const Image>;

/// Immutable; any thread.
class Image {
 public:
  /// An empty file for an image or a parity.
  static Result<UniqueFd> file();

  /// From the file, which has been written: seals it, and reads all of it. An error when it is not of this size.
  static Result<Held> seal(UniqueFd file, std::uint64_t bytes);
  /// Likewise; an error, too, when it does not have this checksum (cppc/file_hash.hpp).
  static Result<Held> take(UniqueFd file, std::uint64_t bytes, std::uint64_t xxh3);

  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;
  ~Image();

  [[nodiscard]] int file_descriptor() const { return file_.get(); }
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  [[nodiscard]] std::uint64_t xxh3() const { return xxh3_; }

  /// XXH3-64 of each chunk; the last one may be shorter.
  [[nodiscard]] const std::vector<std::uint64_t>& chunks() const { return chunks_; }
  [[nodiscard]] std::span<const std::byte> chunk(std::size_t index) const;
  /// As its checksum has it.
  [[nodiscard]] bool is_zero(std::size_t index) const;

 private:
  Image(UniqueFd file, std::span<const std::byte> bytes) : file_(std::move(file)), bytes_(bytes) {}
  void hash();

  UniqueFd file_;
  std::span<const std::byte> bytes_;
  std::uint64_t xxh3_ = 0;
  std::vector<std::uint64_t> chunks_;
};

/// How many chunks an image of so many bytes has.
constexpr std::size_t chunk_count(std::uint64_t bytes) { return (bytes + chunk_bytes - 1) / chunk_bytes; }

/// How long the chunk of such an image is.
constexpr std::size_t size_of_chunk(std::uint64_t bytes, std::uint64_t index) {
  return std::min<std::uint64_t>(chunk_bytes, bytes - index * chunk_bytes);
}

std::uint64_t hash_of(std::span<const std::byte> bytes);

/// All of it, of a file in memory.
Result<void> write_at(const UniqueFd& file, std::span<const std::byte> bytes, std::uint64_t offset);
Result<void> read_at(const UniqueFd& file, std::span<std::byte> bytes, std::uint64_t offset);

}  // namespace cppc::keeper
