// How an image is cut up: every byte once, in its place, in pieces of the allowed size.
#include "fabric/chunks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "pattern.hpp"

namespace {

using namespace cppc::fabric;

struct Cut {
  std::vector<pattern::Range> layout;
  std::vector<std::vector<std::byte>> memory = pattern::make(layout);
  std::vector<Extent> extents = pattern::extents_of(layout, memory);

  std::vector<Chunk> into(std::size_t chunk_bytes) const {
    std::vector<Chunk> chunks;
    Places places;
    for (const auto& extent : extents) places.add({.offset = extent.offset, .bytes = extent.bytes.size()});
    Chunker chunker(extents, {.plain = chunk_bytes, .packed = chunk_bytes}, places);
    while (auto chunk = chunker.next()) chunks.push_back(*chunk);
    return chunks;
  }

  bool covered_by(const std::vector<Chunk>& chunks, std::size_t chunk_bytes) const {
    std::vector<std::byte> file(layout.back().offset + layout.back().length + 100, pattern::untouched);
    std::uint64_t bytes = 0;
    for (const auto& chunk : chunks) {
      auto* place = file.data() + chunk.offset;
      for (const auto piece : chunk.pieces) place = std::ranges::copy(piece, place).out;
      if (chunk.coding == Coding::zero) place = std::fill_n(place, chunk.bytes, std::byte{0});
      EXPECT_EQ(place, file.data() + chunk.offset + chunk.bytes);
      EXPECT_TRUE(chunk.bytes <= chunk_bytes || chunk.coding == Coding::zero);
      EXPECT_EQ(chunk.index, static_cast<std::uint64_t>(&chunk - chunks.data()));
      EXPECT_GT(chunk.bytes, 0U);
      bytes += chunk.bytes;
    }
    std::uint64_t expected = 0;
    for (const auto& range : layout) expected += range.length;
    EXPECT_EQ(bytes, expected);
    return pattern::is_right(file, layout);
  }
};

TEST(Chunks, NoExtents) {
  const Places none;
  EXPECT_FALSE(Chunker({}, {10, 10}, none).next());
}

TEST(Chunks, OnlyEmptyExtents) { EXPECT_TRUE((Cut{.layout = {{0, 0}, {5, 0}}}.into(10).empty())); }

TEST(Chunks, LargeExtentsAreSentFromWhereTheyLie) {
  const Cut cut{.layout = {{0, 200'000}, {200'000, 100'000}}};
  const auto chunks = cut.into(80'000);
  EXPECT_TRUE(cut.covered_by(chunks, 80'000));
  ASSERT_EQ(chunks.size(), 5U);
  for (const auto& chunk : chunks) EXPECT_EQ(chunk.pieces.size(), 1U);
  EXPECT_EQ(chunks[0].pieces[0].data(), cut.memory[0].data());
  EXPECT_EQ(chunks[3].pieces[0].data(), cut.memory[1].data());
}

TEST(Chunks, SmallNeighboursTravelTogether) {
  const Cut cut{.layout = {{0, 10}, {10, 20}, {30, 30}, {100, 5}, {105, 100'000}}};
  const auto chunks = cut.into(1 << 20);
  EXPECT_TRUE(cut.covered_by(chunks, 1 << 20));
  ASSERT_EQ(chunks.size(), 3U);
  EXPECT_EQ(chunks[0].pieces.size(), 3U);
  EXPECT_EQ(chunks[1].offset, 100U);  // behind a gap, and before a large one
  EXPECT_EQ(chunks[1].bytes, 5U);
  EXPECT_EQ(chunks[2].bytes, 100'000U);
}

TEST(Chunks, ZerosAreNotSent) {
  const Cut cut{.layout = {{0, 100'000}, {100'000, 300'000, true}, {400'000, 70'000}}};
  const auto chunks = cut.into(1 << 20);
  EXPECT_TRUE(cut.covered_by(chunks, 1 << 20));
  ASSERT_EQ(chunks.size(), 3U);
  EXPECT_EQ(chunks[1].coding, Coding::zero);
  EXPECT_EQ(chunks[1].bytes, 300'000U);
  EXPECT_TRUE(chunks[1].pieces.empty());
}

TEST(Chunks, WithoutAPlaceAllIsPacked) {
  const Cut cut{.layout = {{0, 200'000}}};
  const Places none;
  Chunker chunker(cut.extents, {.plain = 1 << 20, .packed = 150'000}, none);
  EXPECT_EQ(chunker.next()->coding, Coding::packed);
  EXPECT_EQ(chunker.next()->bytes, 50'000U);
  EXPECT_TRUE(chunker.at_end());
}

TEST(Chunks, AreTheSameAgain) {
  const Cut cut{.layout = {{3, 1}, {4, 70'000}, {70'004, 1}, {70'010, 300'000}}};
  Places places;
  Chunker chunker(cut.extents, {.plain = 65'536, .packed = 4096}, places);
  while (const auto chunk = chunker.next()) {
    const auto again = chunker.again(chunk->index, chunk->offset, chunk->bytes, chunk->coding);
    ASSERT_TRUE(again);
    ASSERT_EQ(again->pieces.size(), chunk->pieces.size());
    for (std::size_t i = 0; i < again->pieces.size(); ++i) {
      EXPECT_EQ(again->pieces[i].data(), chunk->pieces[i].data());
      EXPECT_EQ(again->pieces[i].size(), chunk->pieces[i].size());
    }
  }
}

// The target says what it wants again; what it was never sent it does not get.
TEST(Chunks, AreNotMadeUp) {
  const Cut cut{.layout = {{10, 70'000}, {70'010, 70'000}, {200'000, 100}}};
  Places places;
  places.add({.offset = 10, .bytes = 140'000});
  Chunker chunker(cut.extents, {.plain = 65'536, .packed = 8192}, places);
  while (chunker.next()) continue;
  constexpr std::uint64_t far = ~std::uint64_t{0};
  EXPECT_TRUE(chunker.again(0, 10, 65'536, Coding::plain));
  EXPECT_FALSE(chunker.again(chunker.count(), 10, 65'536, Coding::plain));
  EXPECT_FALSE(chunker.again(0, 10, 65'537, Coding::plain));      // more than is sent at a time
  EXPECT_FALSE(chunker.again(0, 60'010, 20'000, Coding::plain));  // of two extents
  EXPECT_FALSE(chunker.again(0, 200'000, 100, Coding::plain));    // has no place
  EXPECT_TRUE(chunker.again(0, 200'000, 100, Coding::packed));
  EXPECT_FALSE(chunker.again(0, 10, 8193, Coding::packed));
  EXPECT_FALSE(chunker.again(0, 9, 10, Coding::packed));
  EXPECT_FALSE(chunker.again(0, 200'090, 11, Coding::packed));
  EXPECT_FALSE(chunker.again(0, 200'000, 0, Coding::packed));
  EXPECT_FALSE(chunker.again(0, far, far, Coding::zero));
  EXPECT_FALSE(chunker.again(0, 10, far - 5, Coding::zero));
  EXPECT_FALSE(chunker.again(0, 10, 100, static_cast<Coding>(9)));
}

TEST(Chunks, CoverEveryByteOnce) {
  const Cut cut{
      .layout = {{3, 1}, {4, 0}, {4, 70'000}, {70'004, 1}, {70'010, 300'000}, {400'000, 65'536}, {465'536, 17}}};
  for (const std::size_t chunk_bytes : {1UL, 7UL, 4096UL, 65'535UL, 65'536UL, 65'537UL, 1UL << 22}) {
    EXPECT_TRUE(cut.covered_by(cut.into(chunk_bytes), chunk_bytes)) << chunk_bytes;
  }
}

}  // namespace
