/// For tests of the heap at a fixed place.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "address/region_heap.hpp"
#include "heap_for_tests.hpp"

namespace cppc::address {

inline constexpr std::size_t kMiB = std::size_t{1} << 20;

class RegionHeapTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(test::heap_is_started()); }
};

inline std::uintptr_t number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

/// The memory that a capture would carry.
inline std::vector<std::span<std::byte>> live_parts() {
  std::vector<std::span<std::byte>> parts;
  RegionHeap::visit_live([&](std::span<std::byte> part) { parts.push_back(part); });
  return parts;
}

}  // namespace cppc::address
