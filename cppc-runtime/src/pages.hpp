/// Pages of memory. The first touch of one costs more than filling it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace cppc {

inline constexpr std::size_t huge_page = std::size_t{1} << 21;

/// Asks for huge pages; the system may refuse.
void advise_huge_pages(std::span<std::byte> memory);

/// Touches all pages that lie in it as a whole, without changing anything, as far as the system knows how to.
void touch(std::span<std::byte> memory);

/// Fills it with zeros; large memory without touching its pages.
void clear(std::span<std::byte> memory);

/// Bytes of this process that are in memory; 0 when the system does not say.
std::uint64_t resident_bytes();

}  // namespace cppc
