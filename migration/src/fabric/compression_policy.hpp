/// Whether it pays to compress: on a wire that is slow enough, and for memory that becomes small enough.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "fabric.hpp"

namespace cppc::fabric {

class CompressionPolicy {
 public:
  using Seconds = std::chrono::duration<double>;

  explicit CompressionPolicy(Compression wish) : wish_(wish) {}

  /// Whether to try it with the next chunk; to be asked once a chunk.
  bool wanted();

  /// Whether chunks that are copied anyway are to be compressed: the last answer of wanted().
  [[nodiscard]] bool compresses() const { return compresses_; }

  /// So much was delivered as it is, in all, since sending began.
  void delivered(std::uint64_t bytes, Seconds since);

  /// A chunk of `before` bytes became `after`, which took `time`.
  void compressed(std::size_t before, std::size_t after, Seconds time);

 private:
  bool decide();
  [[nodiscard]] bool pays() const;

  const Compression wish_;
  double wire_seconds_ = 0;      // a byte; 0: not known
  double compress_seconds_ = 0;  // a byte
  double remainder_ = 0;         // of a byte
  bool tried_ = false;
  bool compresses_ = false;
  unsigned skipped_ = 0;  // chunks since the last trial, when it does not pay
  unsigned between_trials_ = 32;
};

}  // namespace cppc::fabric
