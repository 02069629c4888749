/// The checksum of an image's file: XXH3-64 of all its bytes, the first ones behind the others. So it can be had in one
/// pass by who learns only at the end what belongs at the file's start. Finds accidents, not forgery. Not thread-safe.
#pragma once

#if defined(__x86_64__)
#include <xxh_x86dispatch.h>
#else
#include <xxhash.h>
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>

namespace cppc {

class FileHash {
 public:
  using Bytes = std::span<const std::byte>;

  /// How many of the file's bytes are the first ones; a shorter file has no others.
  static constexpr std::size_t first_bytes = 512;

  FileHash() : state_(XXH3_createState()) {  // throws std::bad_alloc
    if (state_ == nullptr) throw std::bad_alloc();
    XXH3_64bits_reset(state_.get());
  }

  /// The next bytes of the file.
  void add(Bytes bytes) {
    const Bytes first = bytes.first(std::min(bytes.size(), first_bytes - size_));
    if (!first.empty()) std::memcpy(first_.data() + size_, first.data(), first.size());
    size_ += first.size();
    if (first.size() < bytes.size())
      XXH3_64bits_update(state_.get(), bytes.data() + first.size(), bytes.size() - first.size());
  }

  /// In place of as many that the file has been said to begin with.
  void replace_start(Bytes bytes) { std::memcpy(first_.data(), bytes.data(), std::min(bytes.size(), size_)); }

  /// Of what has been added. The last call.
  std::uint64_t sum() {
    XXH3_64bits_update(state_.get(), first_.data(), size_);
    return XXH3_64bits_digest(state_.get());
  }

  static std::uint64_t of(Bytes file) {
    FileHash hash;
    hash.add(file);
    return hash.sum();
  }

 private:
  struct Free {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  std::unique_ptr<XXH3_state_t, Free> state_;
  std::array<std::byte, first_bytes> first_{};
  std::size_t size_ = 0;  ///< of the first ones
};

}  // namespace cppc
