/// Memory for a copy of the state, taken before it is needed: the first touch of memory takes longer than filling it.
#pragma once

#include <cstddef>
#include <vector>

namespace cppc::migration {

/// Returned to the system with this object. One thread at a time.
class CopyMemory {
 public:
  CopyMemory() = default;
  CopyMemory(const CopyMemory&) = delete;
  CopyMemory& operator=(const CopyMemory&) = delete;
  ~CopyMemory();

  /// Takes and touches so much more. False: there is not so much.
  bool take(std::size_t bytes);

  /// The next so many bytes; of memory that is taken now, when what has been taken does not suffice. Null: there is
  /// none.
  std::byte* next(std::size_t bytes);

 private:
  struct Piece {
    std::byte* start;
    std::size_t bytes;
  };
  std::vector<Piece> pieces_;
  std::size_t piece_ = 0;  ///< the one that next() takes from
  std::size_t used_ = 0;   ///< bytes of it
};

}  // namespace cppc::migration
