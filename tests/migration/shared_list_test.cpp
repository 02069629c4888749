#include "shared_list.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <thread>

namespace cppc::migration {
namespace {

using List = SharedList<std::int32_t, 256>;

/// The list number `seed`: of its elements and of its length each tells which one it is.
std::vector<std::int32_t> list_of(std::int32_t seed) {
  return std::vector<std::int32_t>(1 + static_cast<std::size_t>(seed) % List::capacity, seed);
}

TEST(SharedListTest, ZeroedMemoryIsAnEmptyList) {
  const List list{};
  EXPECT_TRUE(list.empty());
}

TEST(SharedListTest, ReaderGetsTheListWrittenLast) {
  List list{};
  for (const std::int32_t seed : {200, 3, 0}) {
    list.write(list_of(seed));
    EXPECT_EQ(list.read(), list_of(seed));
  }
  list.write({});
  EXPECT_TRUE(list.empty());
}

TEST(SharedListTest, ElementsBeyondTheCapacityAreLeftOut) {
  List list{};
  std::vector<std::int32_t> long_list(List::capacity + 10);
  std::iota(long_list.begin(), long_list.end(), 0);
  list.write(long_list);
  long_list.resize(List::capacity);
  EXPECT_EQ(list.read(), long_list);
}

TEST(SharedListTest, ConcurrentReaderGetsNoPartsOfTwoLists) {
  List list{};
  list.write(list_of(0));
  const std::jthread writer([&list](const std::stop_token& stop) {
    for (std::int32_t seed = 0; !stop.stop_requested(); seed = (seed + 1) % 10'000) list.write(list_of(seed));
  });
  std::set<std::int32_t> seen;
  while (seen.size() < 100) {
    const auto elements = list.read();
    ASSERT_FALSE(elements.empty());
    ASSERT_EQ(elements, list_of(elements.front()));
    seen.insert(elements.front());
  }
}

}  // namespace
}  // namespace cppc::migration
