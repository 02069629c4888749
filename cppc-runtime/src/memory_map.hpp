/// What memory this process has.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "cppc/status.h"

namespace cppc {

class MemoryMap {
 public:
  struct Range {
    std::uintptr_t begin;
    std::uintptr_t end;
    int protection;  ///< PROT_READ and its like
    bool shared;
    std::uint64_t offset;  ///< in the file
    std::string name;      ///< a file, or "[heap]" and the like; empty: of nothing in particular
    [[nodiscard]] bool writable() const { return (protection & PROT_WRITE) != 0; }
  };

  /// As it is now. CPPC_ERR_SYSTEM, logged, when the system does not say.
  static tl::expected<MemoryMap, cppc_status> read();

  /// By rising address.
  [[nodiscard]] const std::vector<Range>& ranges() const { return ranges_; }

  /// Null: no memory is there.
  [[nodiscard]] const Range* find(const void* address) const;

  [[nodiscard]] bool writable(std::span<const std::byte> memory) const;

  /// Whether any of it is shared with other processes.
  [[nodiscard]] bool shared(std::span<const std::byte> memory) const;

 private:
  std::vector<Range> ranges_;        ///< by rising address
  std::vector<std::size_t> shared_;  ///< of these
};

}  // namespace cppc
