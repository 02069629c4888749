// Images that are damaged, or made to harm: an error or harmless entries, never more.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>

#include "format.hpp"
#include "reseal.hpp"
#include "samples.hpp"

namespace cppc::image {
namespace {

using namespace samples;

/// Errors are the purpose here; thousands of them are no news.
class Hostile : public testing::Test {
 protected:
  void SetUp() override { spdlog::set_level(spdlog::level::off); }
  void TearDown() override { spdlog::set_level(spdlog::level::info); }
};

/// Opens a file and reads all that it offers, as a careful receiver does: no more memory than is reasonable.
bool use(const Bytes& file) {
  constexpr std::uint64_t reasonable = 1 << 20;
  const auto reader = Reader::open(file);
  if (!reader) {
    return false;
  }
  Bytes contents;
  for (const auto& entry : reader->entries()) {
    contents.assign(std::min(entry.bytes, reasonable), std::byte{});
    EXPECT_LE(entry.stored_bytes, file.size());
    EXPECT_EQ(entry.bytes, entry.count * entry.type->size);
    EXPECT_EQ(reader->read_part(entry, 0, contents).has_value(), !entry.dead);
    EXPECT_EQ(reader->read_part(entry, entry.bytes - contents.size(), contents).has_value(), !entry.dead);
  }
  return true;
}

TEST_F(Hostile, EveryByteFlippedIsFound) {
  auto file = varied_file();
  ASSERT_TRUE(use(file));
  for (std::size_t i = 0; i < file.size(); ++i) {
    const auto original = file[i];
    file[i] ^= static_cast<std::byte>(1 << i % 8);
    ASSERT_FALSE(Reader::open(file)) << "byte " << i;
    file[i] = original;
  }
  EXPECT_TRUE(use(file));
}

TEST_F(Hostile, EveryTruncationIsFound) {
  const auto file = varied_file();
  for (std::size_t size = 0; size < file.size(); ++size) {
    const auto reader = Reader::open(std::span(file).first(size));
    ASSERT_FALSE(reader) << size << " bytes";
    ASSERT_EQ(reader.error(), CPPC_ERR_IMAGE) << size << " bytes";
  }
}

TEST_F(Hostile, BytesBehindTheEndAreFound) {
  auto file = varied_file();
  file.push_back(std::byte{0});
  EXPECT_EQ(Reader::open(file).error(), CPPC_ERR_IMAGE);
}

TEST_F(Hostile, RandomBytesAreNoImage) {
  std::mt19937_64 random(1);  // NOLINT: the same in every run
  for (int i = 0; i < 1000; ++i) {
    Bytes bytes(random() % 4096);
    for (auto& byte : bytes) {
      byte = static_cast<std::byte>(random());
    }
    ASSERT_EQ(Reader::open(bytes).error(), CPPC_ERR_IMAGE);
  }
}

TEST_F(Hostile, AnHdf5FileWithoutHeaderIsNoImage) {
  auto file = varied_file();
  std::fill_n(file.begin(), header_bytes, std::byte{0});
  EXPECT_EQ(Reader::open(file).error(), CPPC_ERR_IMAGE);
}

TEST_F(Hostile, OtherVersionsAndByteOrdersAreRefused) {
  const auto file = varied_file();
  for (const auto offset : {offsetof(Header, version), offsetof(Header, byte_order)}) {
    auto changed = file;
    std::reverse(changed.begin() + offset, changed.begin() + offset + 4);
    reseal(changed);
    EXPECT_EQ(Reader::open(changed).error(), CPPC_ERR_IMAGE);
  }
}

TEST_F(Hostile, TruncationsWithRightChecksum) {
  const auto file = varied_file();
  for (std::size_t size = header_bytes; size < file.size(); size += 97) {
    Bytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
    reseal(cut);
    use(cut);
  }
}

TEST_F(Hostile, FlipsWithRightChecksum) {
  auto file = varied_file();
  for (std::size_t i = 0; i < file.size(); ++i) {
    const auto original = file[i];
    for (const int flip : {0x01, 0x80, 0xff}) {
      file[i] = original ^ static_cast<std::byte>(flip);
      reseal(file);
      use(file);
    }
    file[i] = original;
  }
}

/// Where the numbers of the index are, those of the header included.
std::vector<std::size_t> numbers_of(const Header& header) {
  std::vector<std::size_t> offsets;
  for (std::size_t at = offsetof(Header, types); at < offsetof(Header, sealed); at += sizeof(std::uint64_t)) {
    offsets.push_back(at);
  }
  for (const auto& [table, columns] :
       {std::pair{header.types, TypeRow::columns.size()}, std::pair{header.members, MemberRow::columns.size()},
        std::pair{header.datasets, DatasetRow::columns.size()}, std::pair{header.objects, ObjectRow::columns.size()},
        std::pair{header.runs, RunRow::columns.size()}}) {
    for (std::uint64_t row = 1; row <= table.rows; ++row) {
      for (std::size_t column = columns; column > 0; --column) {
        offsets.push_back(table.offset + row * table.row_bytes - column * sizeof(std::uint64_t));
      }
    }
  }
  return offsets;
}

/// Values at which sizes and ranges go wrong.
std::vector<std::uint64_t> values_near(std::uint64_t value, std::uint64_t file_bytes) {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  return {0,        1,        2,          value + 1,      value - 1,      2 * value,  file_bytes,
          most,     most - 7, most / 2,   most / 8,       most / 8 + 1,   most / 4,   most - value,
          most / 3, 1U << 31, 0xffffffff, file_bytes + 1, file_bytes - 8, 0x100000000};
}

TEST_F(Hostile, ExtremeNumbersInTheIndexAreRefused) {
  const auto good = varied_file();
  const auto offsets = numbers_of(header_of(good));
  ASSERT_GT(offsets.size(), 100u);
  std::size_t refused = 0;
  for (const auto offset : offsets) {
    std::uint64_t number = 0;
    std::memcpy(&number, good.data() + offset, sizeof number);
    for (const auto value : values_near(number, good.size())) {
      auto file = good;
      std::memcpy(file.data() + offset, &value, sizeof value);
      reseal(file);
      refused += use(file) ? 0 : 1;
    }
  }
  EXPECT_GT(refused, offsets.size());  // most of them make no sense
}

TEST_F(Hostile, PairsOfNumbersAtRandom) {
  const auto good = varied_file();
  const auto offsets = numbers_of(header_of(good));
  std::mt19937_64 random(2);  // NOLINT: the same in every run
  for (int i = 0; i < 20000; ++i) {
    auto file = good;
    for (int changes = 0; changes < 3; ++changes) {
      const auto offset = offsets[random() % offsets.size()];
      std::uint64_t number = 0;
      std::memcpy(&number, file.data() + offset, sizeof number);
      const auto values = values_near(number, file.size());
      const auto value = values[random() % values.size()];
      std::memcpy(file.data() + offset, &value, sizeof value);
    }
    reseal(file);
    use(file);
  }
}

TEST_F(Hostile, PathsThatAreThereTwice) {
  auto file = file_of({{"heap/1", int32, 0, {}}, {"heap/2", int32, 0, {}}});
  const auto objects = header_of(file).objects;
  std::copy_n(file.begin() + objects.offset, objects.row_bytes, file.begin() + objects.offset + objects.row_bytes);
  reseal(file);
  EXPECT_EQ(Reader::open(file).error(), CPPC_ERR_IMAGE);
}

}  // namespace
}  // namespace cppc::image
