/// Which images a keeper has, and for which there is no memory.
#include "images.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <span>
#include <string>
#include <vector>

#include "cppc/file_hash.hpp"

namespace cppc::keeper {
namespace {

constexpr std::uint64_t kMB = 1'000'000;

class ImagesTest : public testing::Test {
 protected:
  Held written(std::uint64_t set, int rank, const std::string& text) {
    const auto file = images_.make(set, rank, text.size());
    EXPECT_TRUE(file && write(file->get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    const auto image = images_.seal(set, rank, text.size(), FileHash::of(std::as_bytes(std::span(text))));
    EXPECT_TRUE(image) << image.error();
    return image ? *image : nullptr;
  }

  std::uint64_t free_ = 100 * kMB;
  Images images_{[this] { return free_; }};
};

TEST_F(ImagesTest, WhatARankHasWrittenIsFoundAndCannotBeChanged) {
  images_.begin(1);
  EXPECT_TRUE(images_.takes(1));
  const auto file = images_.make(1, 3, 5);
  ASSERT_TRUE(file);
  ASSERT_EQ(write(file->get(), "state", 5), 5);
  const auto image = images_.seal(1, 3, 5, FileHash::of(std::as_bytes(std::span("state", 5))));
  ASSERT_TRUE(image) << image.error();
  EXPECT_EQ(pwrite(file->get(), "other", 5, 0), -1) << "the rank has still a descriptor";
  EXPECT_EQ(images_.find(1, 3), *image);
  EXPECT_EQ(images_.find(1, 2), nullptr);
  EXPECT_EQ(images_.newest_of(3), *image);
}

TEST_F(ImagesTest, WhatIsNotAsTheRankHasToldIsRefused) {
  images_.begin(1);
  const auto file = images_.make(1, 0, 5);
  ASSERT_EQ(write(file->get(), "state", 5), 5);
  const auto damaged = images_.seal(1, 0, 5, FileHash::of(std::as_bytes(std::span("State", 5))));
  ASSERT_FALSE(damaged);
  EXPECT_NE(damaged.error().find("another checksum"), std::string::npos) << damaged.error();
  const auto shorter = images_.make(1, 1, 9);
  ASSERT_EQ(write(shorter->get(), "state", 5), 5);
  const auto incomplete = images_.seal(1, 1, 9, 0);
  ASSERT_FALSE(incomplete);
  EXPECT_NE(incomplete.error().find("5 bytes instead of 9"), std::string::npos) << incomplete.error();
  EXPECT_FALSE(images_.seal(1, 2, 5, 0)) << "nobody has written it";
}

TEST_F(ImagesTest, TheLastTwoCompleteSetsAreKeptAndOneBesideANewOne) {
  for (const std::uint64_t set : {1, 2, 3}) {
    images_.begin(set);
    written(set, 0, "state " + std::to_string(set));
    if (set == 3) {
      EXPECT_EQ(images_.find(1, 0), nullptr) << "memory for the new one";
    }
    images_.complete(set, 1);
    EXPECT_FALSE(images_.takes(set));
  }
  EXPECT_NE(images_.find(2, 0), nullptr);
  EXPECT_NE(images_.find(3, 0), nullptr);
  images_.begin(4);
  EXPECT_NE(images_.find(3, 0), nullptr);
  images_.discard(4);
  EXPECT_FALSE(images_.takes(4));
  EXPECT_FALSE(images_.make(4, 0, 1));
}

TEST_F(ImagesTest, WhatDoesNotFitIsRefusedWithNumbers) {
  images_.begin(1);
  ASSERT_TRUE(images_.make(1, 0, 60 * kMB));
  const auto second = images_.make(1, 1, 60 * kMB);
  ASSERT_FALSE(second);
  for (const char* number : {"60 MB does not fit", "100 MB are free", "60 MB of these promised"})
    EXPECT_NE(second.error().find(number), std::string::npos) << second.error();
  EXPECT_TRUE(images_.reservations().make(40 * kMB));
  EXPECT_FALSE(images_.reservations().make(41 * kMB));
}

TEST_F(ImagesTest, MemoryIsPromisedToOneImageFromOtherNodesAtATime) {
  auto first = images_.reservations().make(60 * kMB);
  ASSERT_TRUE(first) << first.error();
  EXPECT_FALSE(images_.reservations().make(60 * kMB));
  images_.begin(1);
  EXPECT_FALSE(images_.make(1, 0, 60 * kMB));
  const std::vector<char> half(30 * kMB, 'a');
  ASSERT_EQ(write(first->file.get(), half.data(), half.size()), static_cast<ssize_t>(half.size()));
  free_ -= 30 * kMB;
  EXPECT_TRUE(images_.reservations().make(39 * kMB)) << "what is written is not counted twice";
  EXPECT_FALSE(images_.reservations().make(41 * kMB));
  first = tl::unexpected(std::string("given up"));
  EXPECT_TRUE(images_.reservations().make(70 * kMB));
}

TEST_F(ImagesTest, AnImageOfASetThatIsDiscardedIsNotAdded) {
  images_.begin(1);
  const Held image = written(1, 0, "state");
  images_.discard(1);
  EXPECT_FALSE(images_.add(1, 0, image, /*complete=*/false));
  EXPECT_TRUE(images_.add(2, 0, image, /*complete=*/true)) << "one that others have, from before this keeper's time";
  EXPECT_NE(images_.find(2, 0), nullptr);
}

}  // namespace
}  // namespace cppc::keeper
