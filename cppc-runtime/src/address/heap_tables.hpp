/// What the program's heap knows about its memory. All of it lies at fixed addresses (kTables), apart from the blocks,
/// and travels as bytes: the heap of another process in which they are put in place is the same.
///
/// Memory is divided into units. A unit is a slab, which has small blocks of one size; or belongs to a run of units
/// that is a large block, or free. All pointers here lead into the heap, which lies at the same place everywhere.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "address/places.hpp"
#include "address/size_classes.hpp"

namespace cppc::address::heap {

inline constexpr unsigned kUnitBits = 16;
inline constexpr std::size_t kUnitBytes = std::size_t{1} << kUnitBits;
inline constexpr std::uint32_t kUnits = (kMappings - kHeap) >> kUnitBits;

/// A small block that is free leads to the next one.
struct FreeBlock {
  FreeBlock* next;
};

/// The blocks of one size that one thread keeps.
struct CacheList {
  FreeBlock* first;
  std::uint32_t count;
  std::uint32_t limit;
};

/// Of one thread, which alone uses it.
struct alignas(64) Cache {
  std::array<CacheList, kSizeClasses> lists;
};

/// Of the first unit of a run; of the last one of a free run, `length`, too.
struct Unit {
  std::uint32_t length;
  std::uint32_t next;      ///< free run: of about this length; slab: with room, of the same class; 0: none
  std::uint32_t previous;  ///< likewise
  bool zero;               ///< free run, or large block when it was given out: nobody has written into it
  union {
    struct {
      std::uint32_t dirty;  ///< about how many of the free run's units have been in use since the system gave them
    } run;
    struct {
      FreeBlock* free;      ///< blocks that were given out before
      std::uint32_t fresh;  ///< blocks that have been given out; the others lie behind them
      std::uint32_t used;   ///< blocks in use, or kept by threads
    } slab;
    struct {
      std::size_t bytes;   ///< as asked for
      std::size_t offset;  ///< of the block, from where the run starts
    } large;
  };
};
static_assert(sizeof(Unit) == 32);

/// What a unit is, in one byte: all that has to be known to free a small block.
enum Kind : std::uint8_t {
  kFree = 0,
  kFirstSlab = 1,  ///< and the classes' following ones
  kLarge = 0xfe,
  kInside = 0xff,  ///< not the first unit of a large block; unit 0, which is never given out
};

inline constexpr unsigned kExactBins = 64;  ///< free runs of fewer units have a list for each length
inline constexpr unsigned kBins = 140;
inline constexpr std::uint32_t kCaches = 1024;

struct Tables {
  std::uint32_t top;          ///< units that were ever in use; the others lie behind them, nobody has written into them
  std::uint32_t slabs;        ///< units
  std::uint32_t dirty;        ///< of all free runs
  std::uint32_t idle;         ///< the least that `dirty` was since memory was last given back to the system
  std::uint64_t taken;        ///< units given out since then
  std::uint64_t large_bytes;  ///< of large blocks
  std::uint32_t large_units;
  std::uint32_t colour;                                  ///< of the next large block
  std::array<std::uint32_t, kBins> bins;                 ///< free runs by length
  std::array<std::uint64_t, 3> bins_used;                ///< bits
  std::array<std::uint32_t, kSizeClasses> with_room;     ///< slabs by class
  std::array<std::uint64_t, kCaches / 64> caches_taken;  ///< bits; number 0 is the main thread's
};

inline constexpr std::size_t kRootsBytes = 4096;
inline constexpr std::size_t kTablesBytes = 4096;
static_assert(sizeof(Tables) <= kTablesBytes);
inline constexpr std::uintptr_t kCachePlace = kTables + kTablesBytes;
inline constexpr std::uintptr_t kKindPlace = kTables + 0x1000'0000;
inline constexpr std::uintptr_t kUnitPlace = kTables + 0x2000'0000;
static_assert(kCachePlace + kCaches * sizeof(Cache) <= kKindPlace && kKindPlace + kUnits <= kUnitPlace);
static_assert(kUnitPlace + kUnits * sizeof(Unit) <= kStack);

inline Tables& tables() { return *reinterpret_cast<Tables*>(kTables); }
inline Cache& cache(std::size_t number) { return reinterpret_cast<Cache*>(kCachePlace)[number]; }
inline std::uint8_t& kind(std::size_t unit) { return reinterpret_cast<std::uint8_t*>(kKindPlace)[unit]; }
inline Unit& unit(std::size_t number) { return reinterpret_cast<Unit*>(kUnitPlace)[number]; }

inline std::byte* unit_memory(std::size_t number) {
  return reinterpret_cast<std::byte*>(kHeap + (number << kUnitBits));
}
/// Of an address for which owns() holds.
inline std::uint32_t unit_of(const void* address) {
  return static_cast<std::uint32_t>((reinterpret_cast<std::uintptr_t>(address) - kHeap) >> kUnitBits);
}
inline bool is_slab(std::uint8_t kind) { return static_cast<std::uint8_t>(kind - kFirstSlab) < kSizeClasses; }

}  // namespace cppc::address::heap
