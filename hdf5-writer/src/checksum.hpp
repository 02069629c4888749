/// The checksums of an image: XXH3-128, which finds accidents, not forgery.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

namespace cppc::image {

using Checksum = std::array<std::byte, 16>;

class Checksummer {
 public:
  Checksummer();  ///< throws std::bad_alloc
  void add(std::span<const std::byte> bytes);
  [[nodiscard]] Checksum sum() const;

 private:
  struct Deleter {
    void operator()(void* state) const;
  };
  std::unique_ptr<void, Deleter> state_;
};

}  // namespace cppc::image
