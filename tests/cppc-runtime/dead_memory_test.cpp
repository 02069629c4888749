/// Parts of objects that nobody will read.
#include "dead_memory.hpp"

#include <gtest/gtest.h>

#include <array>

bool operator==(const cppc_part& one, const cppc_part& other) {
  return one.offset == other.offset && one.bytes == other.bytes;
}

namespace cppc {
namespace {

using Parts = std::vector<cppc_part>;

class DeadMemoryTest : public testing::Test {
 protected:
  [[nodiscard]] std::span<const std::byte> bytes(std::size_t offset, std::size_t count) const {
    return std::span(memory_).subspan(offset, count);
  }
  [[nodiscard]] Parts parts() const { return dead_.parts_of(bytes(100, 100)); }

  std::array<std::byte, 300> memory_{};
  DeadMemory dead_;
};

TEST_F(DeadMemoryTest, AnObjectNamedByItsStartIsDeadAltogether) {
  dead_.add_object(&memory_[100]);
  EXPECT_EQ(parts(), (Parts{{0, 100}}));
  EXPECT_EQ(dead_.parts_of(bytes(101, 10)), Parts{});
}

TEST_F(DeadMemoryTest, NeighboursAndOverlapsAreOnePart) {
  dead_.add_range(bytes(150, 20), {});
  dead_.add_range(bytes(110, 10), {});
  dead_.add_range(bytes(120, 10), {});
  dead_.add_range(bytes(112, 4), {});
  dead_.add_range(bytes(165, 10), {});
  EXPECT_EQ(parts(), (Parts{{10, 20}, {50, 25}}));
}

TEST_F(DeadMemoryTest, OtherObjectsAreLeftAlone) {
  dead_.add_range(bytes(90, 5), {});
  dead_.add_range(bytes(200, 5), {});
  EXPECT_EQ(parts(), Parts{});
  dead_.add_range(bytes(190, 50), {});
  EXPECT_EQ(parts(), (Parts{{90, 10}})) << "no further than the object";
}

TEST_F(DeadMemoryTest, NeighbouringObjectsMayBeNamedOneAfterTheOther) {
  dead_.add_range(bytes(0, 100), {});
  dead_.add_range(bytes(100, 60), {});
  dead_.add_range(bytes(160, 40), {});
  EXPECT_EQ(parts(), (Parts{{0, 100}}));
}

TEST_F(DeadMemoryTest, OfVeryManySmallOnesSomeAreLeftOut) {
  std::vector<std::byte> much(1 << 20);
  for (std::size_t i = 0; i + 16 <= much.size(); i += 16) dead_.add_range(std::span(much).subspan(i, 8), {});
  const auto found = dead_.parts_of(much);
  EXPECT_GE(found.size(), 1000U);
  EXPECT_LT(found.size(), much.size() / 16);
  for (const auto& [offset, size] : found) EXPECT_TRUE(offset % 16 == 0 && size == 8);
}

TEST_F(DeadMemoryTest, NothingIsDeadInAnObjectThatAnotherPointerLeadsTo) {
  for (const std::size_t other : {100, 150, 200}) {
    const std::array<const void*, 2> others{&memory_[20], &memory_[other]};
    dead_.add_range(bytes(110, 10), others);
    EXPECT_EQ(parts(), Parts{}) << other;
  }
  const std::array<const void*, 2> elsewhere{&memory_[99], &memory_[201]};
  dead_.add_range(bytes(110, 10), elsewhere);
  EXPECT_EQ(parts(), (Parts{{10, 10}}));
}

TEST_F(DeadMemoryTest, NothingIsDeadOutsideTheObjectThatItHasToBeIn) {
  for (const std::size_t within : {100, 150, 199}) {
    dead_.clear();
    dead_.add_range(bytes(90, 20), {}, &memory_[within]);
    EXPECT_EQ(parts(), (Parts{{0, 10}})) << within;
    EXPECT_EQ(dead_.parts_of(bytes(0, 100)), Parts{}) << within;
  }
  for (const void* within : {static_cast<const void*>(&memory_[99]), static_cast<const void*>(&memory_[200]),
                             static_cast<const void*>(nullptr)}) {
    dead_.clear();
    dead_.add_range(bytes(110, 10), {}, within);
    EXPECT_EQ(parts(), Parts{}) << within;
  }
}

TEST_F(DeadMemoryTest, NeighboursThatHaveToBeInDifferentObjectsStayApart) {
  dead_.add_range(bytes(110, 10), {}, &memory_[99]);
  dead_.add_range(bytes(120, 10), {}, &memory_[100]);
  EXPECT_EQ(parts(), (Parts{{20, 10}}));
}

TEST_F(DeadMemoryTest, IsForgotten) {
  dead_.add_object(&memory_[100]);
  dead_.add_range(bytes(110, 10), {});
  dead_.clear();
  EXPECT_EQ(parts(), Parts{});
}

}  // namespace
}  // namespace cppc
