/// A file that an image is written to from front to back: past the page cache where the file system lets it, since the
/// processors have more to do than to copy what nobody reads soon.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "cppc/file_hash.hpp"

namespace cppc::migration {

class ImageOutput {
 public:
  using Bytes = std::span<const std::byte>;

  /// `file` outlives it. `go_on` is called before each write with how much of the file has been written; false: no
  /// more is.
  ImageOutput(int file, std::function<bool(std::uint64_t written)> go_on);

  /// The next bytes of the file. False: errno tells why not, unless it is unwanted.
  bool add(Bytes bytes);

  /// After the last ones: what the file begins with, in place of as many bytes that were added first. Returns when all
  /// is on its storage.
  bool finish(Bytes start);

  [[nodiscard]] bool unwanted() const { return unwanted_; }
  [[nodiscard]] std::uint64_t bytes() const { return written_; }
  [[nodiscard]] std::uint64_t hash() { return hash_.sum(); }  ///< when finished; the last call

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };

  bool flush();
  bool write_all(Bytes bytes);
  bool write_through_cache();

  int file_;
  std::function<bool(std::uint64_t)> go_on_;
  bool direct_;
  std::unique_ptr<std::byte[], Free> buffer_;
  std::size_t filled_ = 0;  ///< of the buffer
  std::uint64_t written_ = 0;
  FileHash hash_;
  bool unwanted_ = false;
};

}  // namespace cppc::migration
