/// Where a program's memory lies when its state is kept by address: the same places in every process, far from what the
/// kernel and the C library give away, so that bytes can be put back where they came from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace cppc::address {

inline constexpr std::uintptr_t kRoots = 0x2000'0000'0000;   ///< a page: roots.hpp
inline constexpr std::uintptr_t kTables = 0x2000'1000'0000;  ///< the heap's own data
inline constexpr std::uintptr_t kStack = 0x2080'0000'0000;   ///< the main thread's stack, which ends at the same place
inline constexpr std::uintptr_t kStackEnd = 0x2090'0000'0000;  ///< whatever its size is
inline constexpr std::uintptr_t kHeap = 0x2100'0000'0000;
inline constexpr std::uintptr_t kMappings = 0x2200'0000'0000;  ///< memory that the program asks for by mmap()
inline constexpr std::uintptr_t kBreak = 0x32f0'0000'0000;     ///< and by sbrk()
inline constexpr std::uintptr_t kEnd = 0x3300'0000'0000;

/// Stacks of threads, which do not travel: only their thread-locals do (process/team_threads.hpp).
inline constexpr std::uintptr_t kTeamStacks = kEnd;
inline constexpr std::uintptr_t kTeamStacksEnd = 0x3700'0000'0000;

/// Libraries that the program opens while it works, each with what it needs behind the end of a slot
/// (process/library_slot.hpp).
inline constexpr std::uintptr_t kOpenedLibraries = kTeamStacksEnd;
inline constexpr std::uintptr_t kOpenedLibrariesEnd = 0x3b00'0000'0000;

/// Those that others than the program open, such as MPI's plug-ins: the program may open what they need, too.
inline constexpr std::uintptr_t kOthersLibraries = kOpenedLibrariesEnd;
inline constexpr std::uintptr_t kOthersLibrariesEnd = 0x3c00'0000'0000;

/// From here on addresses are the system's own, the same in all processes.
inline constexpr std::uintptr_t kSystemHalf = 0x8000'0000'0000;

/// Whether the address lies in the program's own places: stacks of threads and libraries are not among them.
inline bool is_program_memory(const void* address) {
  const auto number = reinterpret_cast<std::uintptr_t>(address);
  return number >= kRoots && number < kEnd;
}

inline bool contains(std::span<const std::byte> outer, std::span<const std::byte> inner) {
  return inner.data() >= outer.data() && inner.data() + inner.size() <= outer.data() + outer.size();
}

}  // namespace cppc::address
