/// What the program has forbidden with mprotect() in its heap, among its variables and on its stack. In memory by
/// mmap(), process/mappings.hpp carries it.
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <span>
#include <tl/expected.hpp>
#include <vector>

#include "address/pieces.hpp"
#include "memory_map.hpp"

namespace cppc::address {

/// Of pages in the pieces that are not to be read and written as usual.
std::vector<Protection> protections_of(const MemoryMap& memory, std::span<const Piece> pieces);

/// Allows what the program allows. CPPC_ERR_SYSTEM, logged, when the system does not.
cppc_status protect(std::span<const Protection> protections);

/// Pages that cannot be read can be while this exists. The program must stand still.
class Readable {
 public:
  Readable() = default;
  /// CPPC_ERR_SYSTEM, logged, when the system does not allow it.
  static tl::expected<Readable, cppc_status> open(std::span<const Protection> protections);
  Readable(Readable&& other) noexcept = default;
  Readable& operator=(Readable&& other) noexcept = default;
  Readable(const Readable&) = delete;
  Readable& operator=(const Readable&) = delete;
  ~Readable();

 private:
  std::vector<Protection> opened_;
};

}  // namespace cppc::address
