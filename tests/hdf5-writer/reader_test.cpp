#include <algorithm>
#include <complex>
#include <cstring>
#include <limits>

#include "layout.hpp"
#include "samples.hpp"

namespace cppc::image {
namespace {

using namespace samples;

void expect_same(const Type& left, const Type& right) {
  EXPECT_EQ(left.cls, right.cls);
  EXPECT_EQ(left.size, right.size);
  EXPECT_EQ(left.name, right.name);
  ASSERT_EQ(left.members.size(), right.members.size());
  for (std::size_t i = 0; i < left.members.size(); ++i) {
    EXPECT_EQ(left.members[i].name, right.members[i].name);
    EXPECT_EQ(left.members[i].offset, right.members[i].offset);
    EXPECT_EQ(left.members[i].count, right.members[i].count);
    expect_same(*left.members[i].type, *right.members[i].type);
  }
}

/// The objects come back in order, with type and contents.
void expect_round_trip(const std::vector<Object>& objects) {
  const auto file = file_of(objects);
  const auto reader = Reader::open(file);
  ASSERT_TRUE(reader);
  ASSERT_EQ(reader->entries().size(), objects.size());
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const auto& entry = reader->entries()[i];
    const auto& given = objects[i];
    SCOPED_TRACE(given.path);
    EXPECT_EQ(entry.path, given.path);
    EXPECT_EQ(entry.count, given.count);
    EXPECT_EQ(entry.number, i);
    EXPECT_EQ(entry.bytes, given.count * given.type->size);
    expect_same(*entry.type, *given.type);
    ASSERT_FALSE(entry.dead);
    Bytes contents(entry.bytes, std::byte{0xee});
    ASSERT_TRUE(reader->read(entry, contents));
    EXPECT_EQ(std::memcmp(contents.data(), given.data.data(), contents.size()), 0);
  }
}

Bytes pattern(std::size_t size) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<std::byte>(i * 7 + i / 256 + 1);
  }
  return bytes;
}

TEST(RoundTrip, NoObjects) { expect_round_trip({}); }

TEST(RoundTrip, EveryClassInManySizes) {
  const auto contents = pattern(3 * 64);
  std::vector<Object> objects;
  for (const auto cls : {Class::bytes, Class::signed_integer, Class::unsigned_integer, Class::floating, Class::complex,
                         Class::reference}) {
    for (const std::size_t size : {1, 2, 3, 4, 8, 16, 32, 64}) {
      const auto name = std::to_string(static_cast<int>(cls)) + "/" + std::to_string(size);
      objects.push_back({"class/" + name, scalar(cls, size, name), 3, std::span(contents).first(3 * size)});
    }
  }
  expect_round_trip(objects);
}

TEST(RoundTrip, ExtremeValues) {
  using Double = std::numeric_limits<double>;
  using LongDouble = std::numeric_limits<long double>;
  const std::vector<double> doubles = {0.0, -0.0, Double::infinity(), Double::quiet_NaN(), Double::denorm_min()};
  const std::vector<long double> long_doubles = {LongDouble::max(), -LongDouble::min(), 1.0L / 3};
  const std::vector<std::complex<float>> complexes = {{1, -1}, {0, 2}};
  expect_round_trip({object("global/doubles", float64, doubles),
                     object("global/long", scalar(Class::floating, sizeof(long double), "long double"), long_doubles),
                     object("global/complex", scalar(Class::complex, 8, "float _Complex"), complexes)});
}

TEST(RoundTrip, Structures) {
  const auto few = particles(100);
  const auto many = particles(20000);
  expect_round_trip({object("heap/1", particle, few), object("heap/2", particle, many)});
}

TEST(RoundTrip, StructuresThatHdf5CannotDescribe) {
  const auto contents = pattern(65536);
  Type wide{Class::structure, 32768, "wide", {}};
  for (std::size_t i = 0; i < 4096; ++i) {
    wide.members.push_back({"member_" + std::to_string(i), i * 8, 1, float64});
  }
  const Type flexible{Class::structure, 16, "flexible", {{"size", 0, 1, int32}, {"rest", 16, 0, float64}}};
  const Type hidden{Class::structure, 8, "hidden", {}};
  const Type anonymous{Class::structure, 8, "", {{"", 0, 1, int32}, {"", 4, 1, int32}}};
  expect_round_trip({{"a/wide", std::make_shared<const Type>(wide), 2, contents},
                     {"a/flexible", std::make_shared<const Type>(flexible), 2, std::span(contents).first(32)},
                     {"a/hidden", std::make_shared<const Type>(hidden), 3, std::span(contents).first(24)},
                     {"a/anonymous", std::make_shared<const Type>(anonymous), 1, std::span(contents).first(8)}});
}

TEST(RoundTrip, DifferentTypesOfOneName) {
  const auto contents = pattern(64);
  const auto narrow = scalar(Class::unsigned_integer, 4, "node");
  const auto wide = scalar(Class::unsigned_integer, 8, "node");
  const auto other = scalar(Class::unsigned_integer, 8, "node~2");
  expect_round_trip({{"h/1", narrow, 16, contents}, {"h/2", wide, 8, contents}, {"h/3", other, 8, contents}});
}

TEST(RoundTrip, EqualTypesAtManyAddresses) {
  const auto contents = pattern(8 * 100);
  std::vector<Object> objects;
  for (std::size_t i = 0; i < 100; ++i) {
    objects.push_back(
        {"heap/" + std::to_string(i), scalar(Class::floating, 8, "double"), 1, std::span(contents).subspan(i * 8, 8)});
  }
  expect_round_trip(objects);
  const auto file = file_of(objects);
  const auto reader = Reader::open(file);
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->entries()[0].type, reader->entries()[99].type);
}

TEST(RoundTrip, AwkwardPaths) {
  const auto contents = pattern(large_object_bytes);
  std::vector<Object> objects;
  for (const std::string name : {".", "..", "a/b", "a%2Fb", "a", "a/b/c", "/", "//", "ünïcode", "with space", "~2"}) {
    objects.push_back({"./" + name, raw, contents.size(), contents});  // large: a dataset of that name
  }
  objects.push_back({"objects/" + std::string(1000, 'x'), raw, 1, std::span(contents).first(1)});
  expect_round_trip(objects);
}

TEST(RoundTrip, SizesAroundTheThresholds) {
  const auto contents = pattern(large_object_bytes + 8);
  std::vector<Object> objects;
  for (const std::size_t size :
       {std::size_t{1}, std::size_t{4096}, large_object_bytes - 1, large_object_bytes, large_object_bytes + 8}) {
    objects.push_back({"heap/" + std::to_string(size), raw, size, std::span(contents).first(size)});
  }
  expect_round_trip(objects);
}

TEST(RoundTrip, LargeWithZeros) {
  std::vector<double> sparse(1 << 20, 0.0);
  sparse[1000] = 1;
  sparse[700000] = -0.0;
  sparse.back() = 3;
  expect_round_trip({object("global/sparse", float64, sparse)});
}

TEST(RoundTrip, TenThousandSmallObjects) {
  const auto contents = pattern(10000 * 24);
  std::vector<Object> objects;
  for (std::size_t i = 0; i < 10000; ++i) {
    const auto bytes = std::span(contents).subspan(i * 24, 24);
    objects.push_back({"heap/" + std::to_string(i), i % 2 == 0 ? float64 : int32, i % 2 == 0 ? 3u : 6u, bytes});
  }
  expect_round_trip(objects);
}

TEST(RoundTrip, HolesAreLeftAsTheyAre) {
  std::vector<double> values(100000, 1.25);
  const std::vector<Part> holes{{0, 80}, {8000, 160000}, {700000, 100000}};
  Object whole = object("heap/1", float64, values);
  whole.holes = holes;
  const auto file = file_of({whole, object("heap/2", float64, values)});
  const auto reader = Reader::open(file);
  ASSERT_TRUE(reader);
  const auto& entry = reader->entries()[0];
  EXPECT_EQ(entry.stored_bytes, 800000U - 80 - 160000 - 100000);
  std::vector<double> read(values.size(), -1);
  ASSERT_TRUE(reader->read(entry, std::as_writable_bytes(std::span(read))));
  for (const auto& [offset, bytes] : holes) std::fill_n(values.begin() + offset / 8, bytes / 8, -1.0);
  EXPECT_EQ(read, values);
}

TEST(Writer, RefusesHolesThatMakeNoSense) {
  const std::vector<double> values(100, 1.0);
  const std::vector<std::vector<Part>> wrong{{{4, 8}}, {{8, 4}}, {{0, 808}}, {{800, 8}}, {{16, 8}, {8, 8}}, {{8, 0}}};
  for (const auto& holes : wrong) {
    auto writer = Writer::create();
    ASSERT_TRUE(writer);
    Object one = object("heap/1", float64, values);
    one.holes = holes;
    const auto added = writer->add(one);
    ASSERT_FALSE(added);
    EXPECT_EQ(added.error(), CPPC_ERR_ARGUMENT);
  }
}

TEST(Reader, DeadAndEmptyObjects) {
  const std::uint64_t huge = std::uint64_t{1} << 60;
  const auto file = file_of({{"heap/dead", float64, huge, {}}, {"heap/empty", float64, 0, {}}});
  const auto reader = Reader::open(file);
  ASSERT_TRUE(reader);
  const auto& dead = reader->entries()[0];
  const auto& empty = reader->entries()[1];
  EXPECT_TRUE(dead.dead);
  EXPECT_EQ(dead.bytes, 8 * huge);
  EXPECT_EQ(dead.stored_bytes, 0u);
  EXPECT_FALSE(empty.dead);
  EXPECT_TRUE(reader->read(empty, {}));
  Bytes contents(8);
  EXPECT_EQ(reader->read_part(dead, 0, contents).error(), CPPC_ERR_STATE);
}

TEST(Reader, SaysWhatIsStored) {
  const auto file = varied_file();
  const auto reader = Reader::open(file);
  ASSERT_TRUE(reader);
  const auto entries = reader->entries();
  ASSERT_EQ(entries.size(), 6u);
  EXPECT_EQ(entries[2].stored_bytes, entries[2].bytes);
  EXPECT_EQ(entries[3].stored_bytes, entries[3].bytes - 14000 - 1976);
  EXPECT_EQ(entries[4].stored_bytes, 0u);
  const auto stored = reader->stored(entries[3]);
  ASSERT_EQ(stored.size(), 2u);
  EXPECT_EQ(stored[1].object_offset, 14008u);
  EXPECT_EQ(stored[1].bytes, 400u);
  EXPECT_EQ(stored[1].file_offset, stored[0].file_offset + stored[0].bytes);
  EXPECT_TRUE(reader->stored(entries[4]).empty());
}

/// As the receiver of an image sees it before the contents are there.
TEST(Reader, ReadsTheHeadAlone) {
  const std::vector<double> large(100000, 1.25);
  const std::vector<std::int32_t> numbers{1, -2, 3};
  Object first = object("runtime/first", int32, numbers);
  first.in_head = true;
  const auto image = build({first, object("heap/1", float64, large), object("heap/2", int32, numbers)});
  const auto reader = Reader::open_head(image.head());
  ASSERT_TRUE(reader);
  EXPECT_FALSE(reader->sealed());
  std::vector<std::int32_t> read(3);
  ASSERT_TRUE(reader->read(reader->entries()[0], std::as_writable_bytes(std::span(read))));
  EXPECT_EQ(read, numbers);
  EXPECT_EQ(reader->read(reader->entries()[2], std::as_writable_bytes(std::span(read))).error(), CPPC_ERR_STATE);

  const auto file = file_of(image);
  const auto stored = reader->stored(reader->entries()[1]);
  ASSERT_EQ(stored.size(), 1u);
  EXPECT_EQ(std::memcmp(file.data() + stored[0].file_offset, large.data(), stored[0].bytes), 0);
}

TEST(Reader, GivesSignsOfLifeWhileItReadsAHeadUntilItIsToldToEnd) {
  std::vector<Object> objects;
  const std::vector<double> number{1};
  for (int i = 0; i < 20'000; ++i) objects.push_back(object("heap/" + std::to_string(i), float64, number));
  const auto image = build(objects);
  int signs = 0;
  const auto count = [&]() -> tl::expected<void, cppc_status> {
    if (++signs == 8) return tl::unexpected(CPPC_ERR_CANCELLED);
    return {};
  };
  ASSERT_TRUE(Reader::open_head(image.head(), count));
  EXPECT_EQ(signs, 5);
  const auto ended = Reader::open_head(image.head(), count);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error(), CPPC_ERR_CANCELLED);
}

TEST(Reader, RefusesAHeadThatIsNotWhole) {
  const std::vector<double> large(100000, 1.25);
  auto image = build({object("heap/1", float64, large)});
  const std::vector<Extent> head(image.head().begin(), image.head().end());
  ASSERT_GT(head.size(), 1u);
  for (std::size_t i = 0; i < head.size(); ++i) {
    auto missing = head;
    missing.erase(missing.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_FALSE(Reader::open_head(missing)) << i;
    auto shorter = head;
    shorter[i].bytes = shorter[i].bytes.first(shorter[i].bytes.size() - 1);
    EXPECT_FALSE(Reader::open_head(shorter)) << i;
    auto later = head;
    ++later[i].offset;
    EXPECT_FALSE(Reader::open_head(later)) << i;
  }
  EXPECT_TRUE(Reader::open_head(head));
}

TEST(Reader, ContentsAreCheckedOnceSealed) {
  const std::vector<double> large(100000, 1.25);
  auto image = build({object("heap/1", float64, large)});
  auto file = file_of(image);
  const auto place = Reader::open(file)->stored(Reader::open(file)->entries()[0])[0].file_offset;
  file[place + 12345] ^= std::byte{1};
  EXPECT_TRUE(Reader::open(file));
  EXPECT_FALSE(Reader::open(file)->sealed());
  image.seal();
  file = file_of(image);
  EXPECT_TRUE(Reader::open(file)->sealed());
  file[place + 12345] ^= std::byte{1};
  EXPECT_EQ(Reader::open(file).error(), CPPC_ERR_CHECKSUM);
}

TEST(Reader, ReadsAnyPart) {
  std::vector<double> sparse(5 * 512, 0.0);
  sparse[511] = 1;
  sparse[512] = 2;
  sparse[4 * 512] = 3;
  const auto file = file_of({object("heap/1", float64, sparse)});
  const auto reader = Reader::open(file);
  ASSERT_TRUE(reader);
  const auto given = std::as_bytes(std::span(sparse));
  for (std::size_t offset = 0; offset <= given.size(); offset += 509) {
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{4097}, given.size() - offset}) {
      if (size > given.size() - offset) {
        continue;
      }
      Bytes part(size, std::byte{0xee});
      ASSERT_TRUE(reader->read_part(reader->entries()[0], offset, part));
      EXPECT_TRUE(std::ranges::equal(part, given.subspan(offset, size))) << size << " from " << offset;
    }
  }
}

TEST(Reader, RefusesWrongDestinations) {
  const auto file = varied_file();
  const auto reader = Reader::open(file);
  ASSERT_TRUE(reader);
  const auto& entry = reader->entries()[0];
  Bytes contents(entry.bytes + 1);
  const auto room = std::span(contents);
  EXPECT_EQ(reader->read(entry, room).error(), CPPC_ERR_ARGUMENT);
  EXPECT_EQ(reader->read(entry, room.first(entry.bytes - 1)).error(), CPPC_ERR_ARGUMENT);
  EXPECT_EQ(reader->read_part(entry, 1, room.first(entry.bytes)).error(), CPPC_ERR_ARGUMENT);
  EXPECT_EQ(reader->read_part(entry, entry.bytes + 1, {}).error(), CPPC_ERR_ARGUMENT);
  auto foreign = entry;
  foreign.number = 1000;
  EXPECT_EQ(reader->read(foreign, room.first(entry.bytes)).error(), CPPC_ERR_ARGUMENT);
}

TEST(Reader, DoesNotNeedAlignment) {
  const auto file = varied_file();
  for (std::size_t shift = 1; shift < 8; ++shift) {
    Bytes shifted(shift);
    shifted.insert(shifted.end(), file.begin(), file.end());
    EXPECT_TRUE(Reader::open(std::span(shifted).subspan(shift)));
  }
}

}  // namespace
}  // namespace cppc::image
