#include "address/region_heap.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "pages.hpp"
#include "region_heap_fixture.hpp"

namespace cppc::address {
namespace {

bool all_zero(const void* block, std::size_t bytes) {
  const auto* first = static_cast<const char*>(block);
  return std::all_of(first, first + bytes, [](char byte) { return byte == 0; });
}

/// In a child of this process; its exit status.
template <typename Work>
int in_child(Work work) {
  const pid_t child = fork();
  if (child == 0) _exit(work() ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(SizeClasses, HoldWhatBelongsToThemAndWasteLittle) {
  for (std::size_t bytes = 0; bytes <= kLargestSmall; ++bytes) {
    const std::size_t given = size_class_bytes(size_class_of(bytes));
    ASSERT_GE(given, bytes);
    ASSERT_TRUE(given <= bytes + 16 || given <= bytes * 5 / 4) << bytes;
  }
}

TEST_F(RegionHeapTest, StartsOnceInAProcess) {
  const auto again = RegionHeap::start();
  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error(), CPPC_ERR_STATE);
}

TEST_F(RegionHeapTest, BlocksOfAllSizesAreAlignedAndApart) {
  std::map<std::uintptr_t, std::size_t> blocks;
  for (std::size_t bytes = 0; bytes < 300'000; bytes += bytes / 16 + 1) {
    void* block = RegionHeap::allocate(bytes);
    ASSERT_NE(block, nullptr);
    ASSERT_EQ(number(block) % 16, 0U);
    ASSERT_TRUE(RegionHeap::owns(block));
    ASSERT_GE(RegionHeap::usable_size(block), bytes);
    std::memset(block, 1, bytes);
    ASSERT_TRUE(blocks.emplace(number(block), std::max<std::size_t>(bytes, 1)).second);
  }
  for (auto next = std::next(blocks.begin()); next != blocks.end(); ++next) {
    const auto& [start, bytes] = *std::prev(next);
    ASSERT_LE(start + bytes, next->first);
  }
  for (const auto& [start, bytes] : blocks) RegionHeap::release(reinterpret_cast<void*>(start));
}

TEST_F(RegionHeapTest, AlignsAsAsked) {
  std::vector<void*> blocks;
  for (std::size_t alignment = 1; alignment <= 8 * kMiB; alignment *= 2) {
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{520}, std::size_t{70'000}, 3 * kMiB}) {
      void* block = RegionHeap::allocate_aligned(alignment, bytes);
      ASSERT_NE(block, nullptr);
      ASSERT_EQ(number(block) % alignment, 0U) << alignment << ' ' << bytes;
      std::memset(block, 1, bytes);
      blocks.push_back(block);
    }
  }
  EXPECT_EQ(std::set<void*>(blocks.begin(), blocks.end()).size(), blocks.size());
  for (void* block : blocks) RegionHeap::release(block);
}

TEST_F(RegionHeapTest, UsesMemoryAgain) {
  void* small = RegionHeap::allocate(40);
  RegionHeap::release(small);
  EXPECT_EQ(RegionHeap::allocate(40), small);
  RegionHeap::release(RegionHeap::allocate(5 * kMiB));
  const std::size_t extent = RegionHeap::extent();
  for (int i = 0; i < 1000; ++i) {
    void* one = RegionHeap::allocate(3 * kMiB);
    void* other = RegionHeap::allocate(kMiB);
    RegionHeap::release(one);
    RegionHeap::release(other);
  }
  EXPECT_EQ(RegionHeap::extent(), extent);
}

TEST_F(RegionHeapTest, JoinsFreeNeighboursInAnyOrder) {
  std::vector<void*> blocks;
  for (int i = 0; i < 16; ++i) blocks.push_back(RegionHeap::allocate(kMiB));
  const std::size_t extent = RegionHeap::extent();
  std::shuffle(blocks.begin(), blocks.end(), std::mt19937(1));
  for (void* block : blocks) RegionHeap::release(block);
  void* all = RegionHeap::allocate(16 * kMiB);
  EXPECT_EQ(RegionHeap::extent(), extent);
  RegionHeap::release(all);
}

TEST_F(RegionHeapTest, SlabsWithoutBlocksServeOtherSizes) {
  std::vector<void*> blocks(100'000);
  for (void*& block : blocks) block = RegionHeap::allocate(64);
  const std::size_t extent = RegionHeap::extent();
  for (void* block : blocks) RegionHeap::release(block);
  void* large = RegionHeap::allocate(5 * kMiB);
  EXPECT_EQ(RegionHeap::extent(), extent);
  RegionHeap::release(large);
}

TEST_F(RegionHeapTest, GrowsByAsMuchAsIsAskedFor) {
  void* large = RegionHeap::allocate(3000 * kMiB);
  ASSERT_NE(large, nullptr);
  static_cast<char*>(large)[0] = 1;
  static_cast<char*>(large)[3000 * kMiB - 1] = 1;
  EXPECT_GE(RegionHeap::live_bytes(), 3000 * kMiB);
  RegionHeap::release(large);
  EXPECT_LT(RegionHeap::live_bytes(), 100 * kMiB);
}

TEST_F(RegionHeapTest, ZeroesWhatWasInUseAndDoesNotTouchWhatWasNot) {
  const std::size_t before = resident_bytes();
  void* fresh = RegionHeap::allocate_zeroed(400 * kMiB);
  EXPECT_LT(resident_bytes(), before + 50 * kMiB);
  EXPECT_TRUE(all_zero(fresh, kMiB));
  RegionHeap::release(fresh);
  for (const std::size_t bytes : {std::size_t{24}, std::size_t{30'000}, 2 * kMiB}) {
    void* used = RegionHeap::allocate(bytes);
    std::memset(used, 1, bytes);
    RegionHeap::release(used);
    void* zeroed = RegionHeap::allocate_zeroed(bytes);
    EXPECT_TRUE(all_zero(zeroed, bytes));
    std::memset(zeroed, 1, bytes);
    void* resized = RegionHeap::resize(zeroed, bytes / 4);
    RegionHeap::release(resized);
    zeroed = RegionHeap::allocate_zeroed(bytes);
    EXPECT_TRUE(all_zero(zeroed, bytes));
    RegionHeap::release(zeroed);
  }
}

TEST_F(RegionHeapTest, GivesMuchFreeMemoryBackToTheSystem) {
  constexpr std::size_t bytes = 400 * kMiB;
  const std::size_t before = resident_bytes();
  void* large = RegionHeap::allocate(bytes);
  std::memset(large, 1, bytes);
  ASSERT_GE(resident_bytes(), before + bytes);
  RegionHeap::release(large);
  EXPECT_LT(resident_bytes(), before + bytes / 2);
  void* zeroed = RegionHeap::allocate_zeroed(bytes);
  EXPECT_TRUE(all_zero(zeroed, bytes));
  RegionHeap::release(zeroed);
}

TEST_F(RegionHeapTest, KeepsFreeMemoryForReuseUntilItIsIdleForLong) {
  constexpr std::size_t bytes = 200 * kMiB;
  void* large = RegionHeap::allocate(bytes);
  std::memset(large, 1, bytes);
  const std::size_t before = resident_bytes();
  RegionHeap::release(large);
  EXPECT_GT(resident_bytes(), before - bytes / 2);
  for (int i = 0; i < 2000; ++i) RegionHeap::release(RegionHeap::allocate(kMiB));
  EXPECT_LT(resident_bytes(), before - bytes / 2);
}

TEST_F(RegionHeapTest, ResizesInPlaceWhereItCan) {
  auto* block = static_cast<char*>(RegionHeap::allocate(kMiB));
  std::memset(block, 7, kMiB);
  EXPECT_EQ(RegionHeap::resize(block, kMiB / 2), block);
  EXPECT_EQ(RegionHeap::resize(block, kMiB), block);
  EXPECT_TRUE(std::all_of(block, block + kMiB / 2, [](char byte) { return byte == 7; }));
  EXPECT_EQ(RegionHeap::usable_size(block), kMiB);
  auto* moved = static_cast<char*>(RegionHeap::resize(block, 100));
  EXPECT_TRUE(std::all_of(moved, moved + 100, [](char byte) { return byte == 7; }));
  EXPECT_EQ(RegionHeap::resize(moved, 90), moved);
  auto* large = static_cast<char*>(RegionHeap::resize(moved, 200'000));
  EXPECT_TRUE(std::all_of(large, large + 90, [](char byte) { return byte == 7; }));
  RegionHeap::release(large);
}

TEST_F(RegionHeapTest, BlocksAreFreedByOtherThreads) {
  constexpr int kThreads = 4;
  constexpr int kBlocks = 20'000;
  std::vector<std::atomic<unsigned char*>> places(64);
  std::atomic<bool> damaged = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      std::mt19937 random(static_cast<unsigned>(i));
      for (int k = 0; k < kBlocks; ++k) {
        const std::size_t bytes = 16 + random() % (k % 50 == 0 ? 200'000 : 600);
        auto* mine = static_cast<unsigned char*>(RegionHeap::allocate(bytes));
        mine[0] = static_cast<unsigned char>(i + 1);
        std::memset(mine + 8, mine[0], 8);
        unsigned char* other = places[random() % places.size()].exchange(mine);
        if (other == nullptr) continue;
        if (!std::all_of(other + 8, other + 16, [&](unsigned char byte) { return byte == other[0]; })) damaged = true;
        RegionHeap::release(other);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (auto& place : places) {
    if (place != nullptr) RegionHeap::release(place);
  }
  EXPECT_FALSE(damaged);
}

TEST_F(RegionHeapTest, ThreadsThatEndLeaveNothingBehind) {
  const auto work = [] {
    std::vector<void*> blocks;
    for (std::size_t bytes = 16; bytes < 60'000; bytes *= 2) blocks.push_back(RegionHeap::allocate(bytes));
    for (void* block : blocks) RegionHeap::release(block);
  };
  std::thread(work).join();
  const std::size_t extent = RegionHeap::extent();
  const std::size_t live = RegionHeap::live_bytes();
  for (unsigned i = 0; i < heap::kCaches + 100; ++i) std::thread(work).join();
  EXPECT_EQ(RegionHeap::extent(), extent);
  EXPECT_EQ(RegionHeap::live_bytes(), live);
}

TEST_F(RegionHeapTest, MoreThreadsThanThereAreCachesGetMemory) {
  std::atomic<unsigned> done = 0;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < heap::kCaches + 50; ++i) {
    threads.emplace_back([&] {
      void* block = RegionHeap::allocate(100);
      ++done;
      while (done < heap::kCaches + 50) std::this_thread::yield();
      RegionHeap::release(block);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(done, heap::kCaches + 50);
}

TEST_F(RegionHeapTest, AChildOfForkGoesOn) {
  std::atomic<bool> stop = false;
  std::thread other([&] {
    while (!stop) RegionHeap::release(RegionHeap::allocate(100'000));
  });
  void* block = RegionHeap::allocate(1000);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(in_child([&] {
                RegionHeap::release(block);
                for (int k = 0; k < 1000; ++k)
                  RegionHeap::release(RegionHeap::allocate(static_cast<std::size_t>(k) * 100));
                live_parts();
                return RegionHeap::allocate(kMiB) != nullptr;
              }),
              0);
  }
  stop = true;
  other.join();
  RegionHeap::release(block);
}

TEST_F(RegionHeapTest, NoMemoryIsToldAndTheHeapGoesOn) {
  EXPECT_EQ(in_child([] {
              rlimit limit{};
              if (getrlimit(RLIMIT_AS, &limit) != 0) return false;
              const rlimit none{.rlim_cur = 1, .rlim_max = limit.rlim_max};
              if (setrlimit(RLIMIT_AS, &none) != 0) return false;
              errno = 0;
              while (RegionHeap::allocate(50 * kMiB) != nullptr) continue;
              const bool told = errno == ENOMEM;
              const bool small = RegionHeap::allocate(100) != nullptr;
              return told && small && setrlimit(RLIMIT_AS, &limit) == 0 && RegionHeap::allocate(50 * kMiB) != nullptr;
            }),
            0);
  for (const std::size_t bytes : {SIZE_MAX, SIZE_MAX / 2, std::size_t{kMappings - kHeap}}) {
    errno = 0;
    EXPECT_EQ(RegionHeap::allocate(bytes), nullptr);
    EXPECT_EQ(errno, ENOMEM);
    EXPECT_EQ(RegionHeap::allocate_aligned(kMiB, bytes), nullptr);
  }
  EXPECT_EQ(RegionHeap::allocate_aligned(std::size_t{1} << 62, 1), nullptr);
  void* block = RegionHeap::allocate(kMiB);
  EXPECT_EQ(RegionHeap::resize(block, SIZE_MAX), nullptr);
  EXPECT_EQ(RegionHeap::usable_size(block), kMiB);
  RegionHeap::release(block);
}

TEST_F(RegionHeapTest, FreeOfWhatIsNoBlockEndsTheProcess) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto freed = [](std::size_t bytes, std::size_t offset) {
    if (!test::heap_is_started()) return;
    RegionHeap::release(static_cast<std::byte*>(RegionHeap::allocate(bytes)) + offset);
  };
  EXPECT_DEATH(freed(100, 8), "is no block of the program's heap");
  EXPECT_DEATH(freed(kMiB, 16), "is no block of the program's heap");
  EXPECT_DEATH(freed(kMiB, kMiB / 2), "is no block of the program's heap");
  const auto twice = [](std::size_t bytes) {
    if (!test::heap_is_started()) return;
    void* block = RegionHeap::allocate(bytes);
    RegionHeap::release(block);
    RegionHeap::release(block);
  };
  EXPECT_DEATH(twice(100), "is no block of the program's heap");
  EXPECT_DEATH(twice(kMiB), "is no block of the program's heap");
}

TEST_F(RegionHeapTest, KeepsWhatIsWrittenInAnyOrderOfCalls) {
  struct Block {
    unsigned char* start;
    std::size_t bytes;
    unsigned char pattern;
  };
  std::mt19937 random(3);
  std::vector<Block> blocks;
  const auto size = [&]() -> std::size_t {
    const unsigned kind = random() % 100;
    return kind < 80 ? random() % 400 : kind < 97 ? random() % 40'000 : random() % 1'000'000;
  };
  const auto intact = [](const Block& block, std::size_t bytes) {
    return std::all_of(block.start, block.start + bytes, [&](unsigned char byte) { return byte == block.pattern; });
  };
  for (int i = 0; i < 150'000; ++i) {
    const unsigned what = random() % 10;
    if (blocks.empty() || (what < 5 && blocks.size() < 2000)) {
      const std::size_t bytes = size();
      const std::size_t alignment = std::size_t{1} << (random() % 8 == 0 ? random() % 18 : 0);
      void* got = what == 0   ? RegionHeap::allocate_zeroed(bytes)
                  : what == 1 ? RegionHeap::allocate_aligned(alignment, bytes)
                              : RegionHeap::allocate(bytes);
      ASSERT_NE(got, nullptr);
      ASSERT_TRUE(what != 0 || all_zero(got, bytes));
      blocks.push_back({static_cast<unsigned char*>(got), bytes, static_cast<unsigned char>(random())});
      std::memset(got, blocks.back().pattern, bytes);
      continue;
    }
    Block& block = blocks[random() % blocks.size()];
    ASSERT_TRUE(intact(block, block.bytes)) << i;
    if (what == 5) {
      const std::size_t bytes = size();
      block.start = static_cast<unsigned char*>(RegionHeap::resize(block.start, bytes));
      ASSERT_TRUE(intact(block, std::min(bytes, block.bytes)));
      block.bytes = bytes;
      std::memset(block.start, block.pattern, bytes);
    } else {
      RegionHeap::release(block.start);
      block = blocks.back();
      blocks.pop_back();
    }
  }
  for (const Block& block : blocks) {
    ASSERT_TRUE(intact(block, block.bytes));
    RegionHeap::release(block.start);
  }
}

}  // namespace
}  // namespace cppc::address
