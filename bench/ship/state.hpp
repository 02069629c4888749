/// The state that is moved: a few large arrays and 10,000 small objects, of numbers that cannot be compressed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "result.hpp"

namespace cppc::bench {

struct Piece {
  std::string path;
  std::span<double> values;
};

/// All pieces lie in one block of memory without gaps, so that the bare bytes can be moved as one; the small ones in
/// another order than they are listed in, as on a heap that has seen some use.
class State {
 public:
  /// About `bytes` (10 MB at least), resident: moving it meets no page for the first time.
  static Result<State> make(std::uint64_t bytes);

  [[nodiscard]] std::span<std::byte> memory() { return std::as_writable_bytes(values()); }
  [[nodiscard]] std::span<const Piece> large() const { return large_; }
  [[nodiscard]] std::span<const Piece> small() const { return small_; }

  void fill(std::uint64_t seed);
  [[nodiscard]] bool is_filled(std::uint64_t seed) const;
  void clear();

 private:
  struct Unmap {
    std::size_t bytes = 0;
    void operator()(double* memory) const;
  };
  explicit State(std::unique_ptr<double, Unmap> block);
  [[nodiscard]] std::span<double> values() const { return {block_.get(), block_.get_deleter().bytes / sizeof(double)}; }

  std::unique_ptr<double, Unmap> block_;
  std::vector<Piece> large_, small_;
};

}  // namespace cppc::bench
