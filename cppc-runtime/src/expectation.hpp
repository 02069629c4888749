/// What a replacement can make ready before the state comes.
#pragma once

#include <cstdint>
#include <span>

namespace cppc {

/// As cppc_runtime::large_blocks and cppc_runtime::expect.
std::uint64_t large_blocks(std::span<std::uint64_t> sizes) noexcept;
void expect(std::span<const std::uint64_t> sizes) noexcept;

}  // namespace cppc
