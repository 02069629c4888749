/// Memory for images and parities that are being made: nobody else gets what is promised to one of them. Any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "image.hpp"

namespace cppc::keeper {

/// A file without a name, empty at first.
struct Reservation {
  struct Promise {
    UniqueFd file;  ///< as well
    std::uint64_t bytes = 0;
  };
  UniqueFd file;
  /// Holds as long as this does. What the file has by then is not counted twice.
  std::shared_ptr<const Promise> promise;
};

class Reservations {
 public:
  /// Bytes that this process may still take.
  using MemoryFree = std::function<std::uint64_t()>;
  explicit Reservations(MemoryFree memory_free) : memory_free_(std::move(memory_free)) {}

  /// A file that may get so large, `what` for people; an error with numbers when there is not so much memory.
  Result<Reservation> make(std::uint64_t bytes, const char* what = "an image");

 private:
  std::uint64_t promised();

  const MemoryFree memory_free_;
  std::mutex mutex_;
  std::vector<std::weak_ptr<const Reservation::Promise>> promises_;
};

}  // namespace cppc::keeper
