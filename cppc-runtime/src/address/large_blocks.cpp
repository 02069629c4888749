#include "address/large_blocks.hpp"

#include <cstring>

#include "address/runs.hpp"

namespace cppc::address::heap {

namespace {

constexpr std::size_t kCacheLine = 64;

/// Units of a block; more than there are when it is too large.
std::size_t units_of(std::size_t bytes, std::size_t offset) {
  if (bytes > kUnits * kUnitBytes) return kUnits;
  return (bytes + offset + kUnitBytes - 1) / kUnitBytes;
}

/// Blocks that all began at the start of a page would compete for the same few lines of the processor's caches.
std::size_t next_offset() { return tables().colour++ * 5 * kCacheLine % 4096; }

/// A run that starts at a multiple of `alignment` units.
std::uint32_t take_aligned_run(std::uint32_t length, std::uint32_t alignment) {
  std::uint32_t run = take_run(length + alignment - 1);
  if (run == 0) return 0;
  // Not free, for what is joined with its ends.
  std::memset(&kind(run), kInside, unit(run).length);
  // kHeap is a multiple of every alignment that fits the heap.
  const std::uint32_t skipped = (alignment - run % alignment) % alignment;
  if (skipped > 0) {
    const std::uint32_t front = run;
    run += skipped;
    unit(run).length = unit(front).length - skipped;
    unit(run).zero = unit(front).zero;
    unit(front).length = skipped;
    give_run(front);
  }
  shorten_run(run, length);
  return run;
}

}  // namespace

void* take_large(std::size_t bytes, std::size_t alignment) {
  const std::size_t offset = alignment <= kCacheLine ? next_offset() : 0;
  const std::size_t units = units_of(bytes, offset);
  const std::size_t aligned = alignment > kUnitBytes ? alignment / kUnitBytes : 1;
  if (units >= kUnits || aligned >= kUnits || units + aligned > kUnits) return nullptr;
  const auto length = static_cast<std::uint32_t>(units != 0 ? units : 1);
  const std::uint32_t run =
      aligned > 1 ? take_aligned_run(length, static_cast<std::uint32_t>(aligned)) : take_run(length);
  if (run == 0) return nullptr;
  unit(run).large = {.bytes = bytes, .offset = offset};
  kind(run) = kLarge;
  std::memset(&kind(run) + 1, kInside, length - 1);
  tables().large_bytes += bytes;
  tables().large_units += length;
  return large_block(run);
}

bool resize_large(std::uint32_t run, std::size_t bytes) {
  Unit& known = unit(run);
  const std::size_t units = units_of(bytes, known.large.offset);
  if (units >= kUnits) return false;
  const auto length = static_cast<std::uint32_t>(units);
  const std::uint32_t before = known.length;
  known.zero = false;
  if (length < before) shorten_run(run, length);
  if (length > before) {
    if (!lengthen_run(run, length)) return false;
    std::memset(&kind(run) + before, kInside, length - before);
  }
  tables().large_bytes += bytes - known.large.bytes;
  tables().large_units += length - before;
  known.large.bytes = bytes;
  return true;
}

void give_large(std::uint32_t run) {
  tables().large_bytes -= unit(run).large.bytes;
  tables().large_units -= unit(run).length;
  unit(run).zero = false;
  give_run(run);
}

}  // namespace cppc::address::heap
