// Files of images, on disk and in memory: contents, checksum, and an end before all is written.
#include "rank/image_output.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "cppc/unique_fd.hpp"

namespace cppc::migration {
namespace {

using Bytes = std::vector<std::byte>;

/// Some longer than what is written in one call, and some that are copied together.
const std::vector<std::size_t> kPieces{512, 1, 100'000, 5'000'000, 0, 4096, std::size_t{4} << 20, 70'000, 3};

Bytes random_bytes(std::size_t count) {
  std::mt19937 random(1);
  Bytes bytes(count);
  for (std::byte& one : bytes) one = static_cast<std::byte>(random());
  return bytes;
}

Bytes contents_of(const UniqueFd& file) {
  Bytes bytes(static_cast<std::size_t>(lseek(file.get(), 0, SEEK_END)));
  EXPECT_EQ(pread(file.get(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  return bytes;
}

class ImageOutputTest : public testing::TestWithParam<const char*> {
 protected:
  /// In the folder of the tests, whose file system is a disk's; or in memory.
  static UniqueFd make_file() {
    if (GetParam() == std::string("memory")) return UniqueFd(memfd_create("image", MFD_CLOEXEC));
    std::string name = "image-XXXXXX";
    UniqueFd file(mkostemp(name.data(), O_CLOEXEC));
    std::filesystem::remove(name);
    return file;
  }
};

TEST_P(ImageOutputTest, WritesTheStartAtLast) {
  const UniqueFd file = make_file();
  ASSERT_TRUE(file);
  ImageOutput output(file.get(), [](std::uint64_t) { return true; });
  Bytes expected;
  for (const std::size_t size : kPieces) {
    const Bytes piece = random_bytes(size);
    ASSERT_TRUE(output.add(piece)) << std::strerror(errno);
    expected.insert(expected.end(), piece.begin(), piece.end());
  }
  const Bytes start(FileHash::first_bytes, std::byte{7});
  std::ranges::copy(start, expected.begin());
  ASSERT_TRUE(output.finish(start)) << std::strerror(errno);
  EXPECT_TRUE(contents_of(file) == expected);
  EXPECT_EQ(output.bytes(), expected.size());
  EXPECT_EQ(output.hash(), FileHash::of(expected));
}

TEST_P(ImageOutputTest, EndsWhenItIsUnwanted) {
  const UniqueFd file = make_file();
  ASSERT_TRUE(file);
  ImageOutput output(file.get(), [](std::uint64_t written) { return written < (8 << 20); });
  const Bytes piece = random_bytes(1 << 20);
  int added = 0;
  while (added < 100 && output.add(piece)) ++added;
  EXPECT_LT(added, 20);
  EXPECT_TRUE(output.unwanted());
}

INSTANTIATE_TEST_SUITE_P(On, ImageOutputTest, testing::Values("disk", "memory"),
                         [](const auto& info) { return std::string(info.param); });

TEST(ImageOutputTest, TellsWhatCannotBeWritten) {
  const UniqueFd file(open("/dev/null", O_RDONLY | O_CLOEXEC));
  ImageOutput output(file.get(), [](std::uint64_t) { return true; });
  const Bytes piece = random_bytes(5 << 20);
  EXPECT_FALSE(output.add(piece));
  EXPECT_EQ(errno, EBADF);
  EXPECT_FALSE(output.unwanted());
}

TEST(FileHashTest, DependsOnEveryByte) {
  for (const std::size_t size : {std::size_t{1}, FileHash::first_bytes, std::size_t{2000}}) {
    const Bytes bytes = random_bytes(size);
    for (std::size_t i = 0; i < size; ++i) {
      Bytes other = bytes;
      other[i] ^= std::byte{1};
      EXPECT_NE(FileHash::of(other), FileHash::of(bytes)) << size << ' ' << i;
    }
  }
}

TEST(FileHashTest, IsThatOfThePieces) {
  const Bytes bytes = random_bytes(3000);
  FileHash hash;
  for (std::size_t i = 0; i < bytes.size(); i += 100) hash.add(std::span(bytes).subspan(i, 100));
  EXPECT_EQ(hash.sum(), FileHash::of(bytes));
}

}  // namespace
}  // namespace cppc::migration
