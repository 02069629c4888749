/// Pages of memory. The first touch of one costs more than filling it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>

namespace cppc {

inline constexpr std::size_t huge_page = std::size_t{1} << 21;

/// Where the pages begin and end in which some of the memory is.
std::pair<std::uintptr_t, std::uintptr_t> pages_of(std::span<const std::byte> memory);

/// Asks for huge pages; the system may refuse.
void advise_huge_pages(std::span<std::byte> memory);

/// Touches all pages that lie in it as a whole, without changing anything, as far as the system knows how to.
void touch(std::span<std::byte> memory);

/// Fills it with zeros; large memory without touching its pages.
void clear(std::span<std::byte> memory);

/// Calls show(part) for each run of whole pages in it, of `least` bytes or more, that are neither in memory nor swapped
/// out, by rising address, until that returns false: of private memory that is of no file they are zero, and nobody has
/// touched them. Shows none when the system does not say.
void visit_untouched(std::span<std::byte> memory, std::size_t least,
                     const std::function<bool(std::span<std::byte>)>& show);

/// Bytes of this process that are in memory; 0 when the system does not say.
std::uint64_t resident_bytes();

}  // namespace cppc
