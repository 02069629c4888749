#include "rank/memory_snapshot.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "cppc/image.hpp"
#include "rank/huge_pages.hpp"
#include "rank/image_bytes.hpp"

namespace cppc::migration {
namespace {

using Numbers = std::vector<int>;

Numbers counted(std::size_t count) {
  Numbers numbers(count);
  std::iota(numbers.begin(), numbers.end(), 1);
  return numbers;
}

bool has_child() {
  siginfo_t info{};
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0;
}

TEST(MemorySnapshotTest, HasWhatWasThereWhenItWasTaken) {
  Numbers numbers = counted(100'000);
  const auto snapshot = MemorySnapshot::take();
  ASSERT_TRUE(snapshot) << snapshot.error();
  std::ranges::fill(numbers, 0);
  Numbers read(numbers.size());
  const std::size_t half = numbers.size() / 2 * sizeof(int);
  const std::array pieces{iovec{numbers.data(), half},
                          iovec{numbers.data() + numbers.size() / 2, numbers.size() * sizeof(int) - half}};
  ASSERT_TRUE(snapshot->read(pieces, std::as_writable_bytes(std::span(read))));
  EXPECT_EQ(read, counted(numbers.size()));
}

TEST(MemorySnapshotTest, IsNoChildThatAProgramWaitsFor) {
  {
    const auto snapshot = MemorySnapshot::take();
    ASSERT_TRUE(snapshot) << snapshot.error();
    EXPECT_TRUE(has_child());
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
  }
  EXPECT_FALSE(has_child());
}

/// As old libraries for networks want it: what such a snapshot lacks is not found in the next one either.
TEST(MemorySnapshotTest, SaysThatMemoryIsMissing) {
  const auto try_it = [] {
    const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(memory, bytes, MADV_DONTFORK);
    const auto snapshot = MemorySnapshot::take();
    std::vector<std::byte> read(bytes);
    const bool there = snapshot && snapshot->read(std::array{iovec{memory, bytes}}, read);
    const auto next = MemorySnapshot::take();
    _exit(!there && !next && next.error().find("MADV_DONTFORK") != std::string::npos ? 0 : 1);
  };
  EXPECT_EXIT(try_it(), testing::ExitedWithCode(0), "");
}

/// Memory that a child has together with its parent.
class SharedNumber {
 public:
  SharedNumber()
      : number_(
            static_cast<int*>(mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
  SharedNumber(const SharedNumber&) = delete;
  SharedNumber& operator=(const SharedNumber&) = delete;
  ~SharedNumber() { munmap(number_, sizeof(int)); }
  int& operator*() const { return *number_; }

 private:
  int* number_;
};

TEST(MemorySnapshotTest, WorksOnWhatWasThereWhenItIsAsked) {
  const SharedNumber sum;
  Numbers numbers = counted(1000);
  const auto snapshot = MemorySnapshot::take([&] { *sum = std::accumulate(numbers.begin(), numbers.end(), 0); });
  ASSERT_TRUE(snapshot) << snapshot.error();
  std::ranges::fill(numbers, 0);
  EXPECT_EQ(*sum, 0) << "nobody has asked yet";
  EXPECT_TRUE(snapshot->do_work([] { return true; }));
  EXPECT_EQ(*sum, 500'500);
}

TEST(MemorySnapshotTest, SaysThatItsWorkWasNotDone) {
  const auto ended = MemorySnapshot::take([] { _exit(0); });
  ASSERT_TRUE(ended) << ended.error();
  EXPECT_FALSE(ended->do_work([] { return true; }));
  const auto endless = MemorySnapshot::take([] { pause(); });
  ASSERT_TRUE(endless) << endless.error();
  int asked = 0;
  EXPECT_FALSE(endless->do_work([&asked] { return ++asked < 3; })) << "nobody wanted it any more";
}

/// Memory of a whole number of huge pages of which the system makes none by itself: only then it is known what is
/// there.
class HugePagesTest : public testing::Test {
 protected:
  HugePagesTest() { madvise(all_.data(), all_.size(), MADV_NOHUGEPAGE); }
  HugePagesTest(const HugePagesTest&) = delete;
  HugePagesTest& operator=(const HugePagesTest&) = delete;
  ~HugePagesTest() override { munmap(all_.data(), all_.size()); }

  static constexpr std::size_t kBytes = std::size_t{4} << 21;
  const std::span<std::byte> all_{
      static_cast<std::byte*>(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)),
      kBytes};
};

TEST_F(HugePagesTest, WhatWasNeverWrittenToIsNotInMemory) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  EXPECT_FALSE(all_in_memory(all_));
  std::ranges::fill(all_.first(kBytes - page), std::byte{7});
  EXPECT_TRUE(all_in_memory(all_.first(kBytes - page)));
  EXPECT_FALSE(all_in_memory(all_)) << "the last page is missing";
}

/// Whether the system has huge pages is its own affair.
TEST_F(HugePagesTest, KeepWhatIsInThemWhenTheyAreJoined) {
  std::ranges::fill(all_.first(kBytes / 2), std::byte{7});
  madvise(all_.data(), all_.size(), MADV_HUGEPAGE);
  join_huge_pages({all_}, {});
  EXPECT_EQ(std::ranges::count(all_, std::byte{7}), kBytes / 2);
  EXPECT_EQ(std::ranges::count(all_, std::byte{0}), kBytes / 2);
}

/// Objects that share a dataset, one in the head, and one that is read in many pieces.
class ImageBytesTest : public testing::Test {
 protected:
  ImageBytesTest() {
    auto writer = image::Writer::create();
    add(*writer, "runtime/head", head_);
    for (std::size_t i = 0; i < small_.size(); ++i) add(*writer, "heap/" + std::to_string(i), small_[i]);
    add(*writer, "global/large", large_);
    auto image = std::move(*writer).finish();
    image_ = std::make_unique<image::Image>(*std::move(image));
  }
  static void add(image::Writer& writer, const std::string& path, const Numbers& numbers) {
    image::Object object;
    object.path = path;
    object.type = std::make_shared<image::Type>(
        image::Type{.cls = image::Class::signed_integer, .size = sizeof(int), .name = "int", .members = {}});
    object.count = numbers.size();
    object.data = std::as_bytes(std::span(numbers));
    object.in_head = path.starts_with("runtime/");
    ASSERT_TRUE(writer.add(object));
  }
  static std::vector<std::byte> all_of(ImageBytes bytes) {
    std::vector<std::byte> all;
    const auto take = [&](std::span<const std::byte> piece) {
      all.insert(all.end(), piece.begin(), piece.end());
      return true;
    };
    EXPECT_TRUE(bytes.show_all(take, take)) << bytes.error();
    return all;
  }

  const Numbers head_ = counted(10);
  std::vector<Numbers> small_ = std::vector(3000, counted(7));
  Numbers large_ = counted(1'000'000);
  std::unique_ptr<image::Image> image_;
};

TEST_F(ImageBytesTest, AreThoseOfTheSnapshot) {
  const std::vector<std::byte> before = all_of({*image_, nullptr});
  ASSERT_EQ(before.size(), image_->size());
  const auto snapshot = MemorySnapshot::take();
  ASSERT_TRUE(snapshot) << snapshot.error();
  for (Numbers& numbers : small_) std::ranges::fill(numbers, 0);
  std::ranges::fill(large_, 0);
  EXPECT_NE(all_of({*image_, nullptr}), before);
  EXPECT_EQ(all_of({*image_, &*snapshot}), before);
}

TEST_F(ImageBytesTest, AreCheckedByTheSealOfTheSnapshot) {
  const auto snapshot = MemorySnapshot::take();
  ASSERT_TRUE(snapshot) << snapshot.error();
  large_.front() = 0;
  ImageBytes bytes(*image_, &*snapshot);
  ASSERT_TRUE(image_->seal([&](const auto& add) {
    const auto add_contents = [&](std::span<const std::byte> piece) {
      add(piece);
      return true;
    };
    return bytes.show_all(add_contents, [](std::span<const std::byte>) { return true; });
  }));
  const auto good = image::Reader::open(all_of({*image_, &*snapshot}));
  EXPECT_TRUE(good && good->sealed());
  const auto changed = image::Reader::open(all_of({*image_, nullptr}));
  EXPECT_FALSE(changed) << "what has been written to since is another image";
}

}  // namespace
}  // namespace cppc::migration
