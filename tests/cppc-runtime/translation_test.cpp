/// An image of another architecture: its objects become those of the same source here, and what does not fit is refused
/// by name.
#include "translation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "references.hpp"
#include "registry.hpp"

namespace cppc {
namespace {

/// struct { long steps; double width; struct item* next; char label[3]; } here, and as an image of i386 has it.
struct Item {
  long steps;
  double width;
  Item* next;
  char label[3];
};
constexpr cppc_type narrow_long{CPPC_SIGNED, 4, "long", nullptr, 0};
constexpr std::array here_fields{cppc_field{"steps", offsetof(Item, steps), &cppc_type_long, 1},
                                 cppc_field{"width", offsetof(Item, width), &cppc_type_double, 1},
                                 cppc_field{"next", offsetof(Item, next), &cppc_type_pointer, 1},
                                 cppc_field{"label", offsetof(Item, label), &cppc_type_char, 3}};
constexpr std::array image_fields{cppc_field{"steps", 0, &narrow_long, 1}, cppc_field{"width", 4, &cppc_type_double, 1},
                                  cppc_field{"next", 12, &cppc_type_pointer, 1},
                                  cppc_field{"label", 20, &cppc_type_char, 3}};
constexpr cppc_type here_type{CPPC_STRUCT, sizeof(Item), "struct item", here_fields.data(), here_fields.size()};
constexpr cppc_type image_type{CPPC_STRUCT, 23, "struct item", image_fields.data(), image_fields.size()};
constexpr std::size_t image_bytes = 23;

const Architecture i386{.name = "i386", .big_endian = false, .long_double_significand = 64};

/// Of integers, little-endian ones, as HDF5 does it.
std::uint64_t widen(const cppc_numbers* from_form, const void* from, const cppc_numbers* to_form, void* to,
                    std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    std::int64_t value = 0;
    if (from_form->size == 4) {
      std::int32_t small = 0;
      std::memcpy(&small, static_cast<const std::byte*>(from) + 4 * i, sizeof small);
      value = small;
    } else {
      std::memcpy(&value, static_cast<const std::byte*>(from) + 8 * i, sizeof value);
    }
    if (to_form->size == 4 && value != static_cast<std::int32_t>(value)) return i;
    std::memcpy(static_cast<std::byte*>(to) + to_form->size * i, &value, to_form->size);
  }
  return count;
}

class TranslationTest : public testing::Test {
 protected:
  TranslationTest() { registry().types = {&here_type}; }
  ~TranslationTest() override { registry().types.clear(); }

  /// Two items, the first of which leads to the second.
  std::array<std::byte, 2 * image_bytes> image() {
    std::array<std::byte, 2 * image_bytes> bytes{};
    const std::int32_t steps = -5;
    const double width = 0.25;
    const std::uint64_t second = std::uint64_t{1} << 36 | std::uint64_t{6} << 2;  // leaf 6 of object 0
    std::memcpy(bytes.data(), &steps, sizeof steps);
    std::memcpy(bytes.data() + 4, &width, sizeof width);
    std::memcpy(bytes.data() + 12, &second, sizeof second);
    std::memcpy(bytes.data() + 20, "ab", 3);
    return bytes;
  }

  Object items(Item* at) {
    Object object{.section = CPPC_SECTION_HEAP, .name = "1", .layout = &layout_of(&here_type), .count = 2};
    object.address = reinterpret_cast<std::byte*>(at);
    object.in_image = &layout_of(&image_type);
    return object;
  }
};

TEST_F(TranslationTest, FindsTheTypeOfTheSameName) {
  Translation translation(i386, widen);
  EXPECT_TRUE(translation.foreign());
  EXPECT_EQ(translation.own(layout_of(&image_type)), &layout_of(&here_type));
  EXPECT_EQ(translation.own(layout_of(&narrow_long)), &layout_of(&cppc_type_long));
  static constexpr cppc_type unknown{CPPC_STRUCT, 23, "struct other", image_fields.data(), image_fields.size()};
  EXPECT_EQ(translation.own(layout_of(&unknown)), nullptr);
  static constexpr cppc_type fewer{CPPC_STRUCT, 12, "struct item", image_fields.data(), 2};
  EXPECT_EQ(translation.own(layout_of(&fewer)), nullptr);
}

TEST_F(TranslationTest, PutsMembersAndPointersWhereTheyAreHere) {
  std::array<Item, 2> memory{};
  const std::array objects{items(memory.data())};
  const OutsideDecoder outside;
  const ReferenceDecoder decoder(objects, {}, outside);
  std::vector<LateReference> late;
  const auto bytes = image();
  ASSERT_EQ(decoder.translate(objects[0], bytes.data(), objects[0].address, Translation(i386, widen), late), CPPC_OK);
  EXPECT_EQ(memory[0].steps, -5);
  EXPECT_EQ(memory[0].width, 0.25);
  EXPECT_EQ(memory[0].next, &memory[1]);
  EXPECT_STREQ(memory[0].label, "ab");
  EXPECT_EQ(memory[1].next, nullptr);
}

/// struct { unsigned root : 12, level : 4; int : 3; unsigned quarter : 2; } as both orders of bytes have it.
constexpr cppc_type bits_type{CPPC_BYTES, 3, "bits 0:12 12:4 19:2", nullptr, 0};
constexpr std::array little_bits{std::byte{0xbc}, std::byte{0x5a}, std::byte{2 << 3}};  // 0xabc, 5, 2
constexpr std::array big_bits{std::byte{0xab}, std::byte{0xc5}, std::byte{2 << 3}};
const Architecture s390x{.name = "s390x", .big_endian = true, .long_double_significand = 113};

TEST_F(TranslationTest, GivesBitFieldsTheOtherOrder) {
  const Layout& layout = layout_of(&bits_type);
  std::array<std::byte, 6> twice{}, read{}, expected{};
  std::ranges::copy(big_bits, twice.begin() + 3);
  std::ranges::copy(little_bits, expected.begin() + 3);
  ASSERT_TRUE(Translation(s390x, widen).numbers(layout, twice.data(), layout, read.data(), 2));
  EXPECT_EQ(read, expected);
  ASSERT_TRUE(Translation(i386, widen).numbers(layout, expected.data(), layout, read.data(), 2));
  EXPECT_EQ(read, expected) << "the same order";
}

TEST_F(TranslationTest, RefusesBytesThatMayBeAnything) {
  static constexpr std::array names{"bytes", "bits", "bits 0:25", "bits 0:8 x", "bits 3"};
  for (const char* name : names) {
    const cppc_type type{CPPC_BYTES, 3, name, nullptr, 0};
    Layout layout;
    layout.type = &type;
    std::array<std::byte, 3> read{};
    EXPECT_FALSE(Translation(s390x, widen).numbers(layout, big_bits.data(), layout, read.data(), 1)) << name;
  }
}

TEST_F(TranslationTest, BitFieldsElsewhereAreAnotherType) {
  static constexpr cppc_type other{CPPC_BYTES, 3, "bits 0:12 16:4 21:2", nullptr, 0};
  static constexpr cppc_field here{"(bits)", 0, &bits_type, 1}, there{"(bits)", 0, &other, 1};
  static constexpr cppc_type one{CPPC_STRUCT, 3, "struct bits", &here, 1},
      two{CPPC_STRUCT, 3, "struct bits", &there, 1};
  EXPECT_FALSE(same_members(layout_of(&one), layout_of(&two)));
}

TEST_F(TranslationTest, RefusesByNameWhatDoesNotFit) {
  const std::int64_t wide[] = {1, std::int64_t{1} << 40};
  std::int32_t narrow[2];
  const Translation translation(i386, widen);
  const auto done = translation.numbers(layout_of(&cppc_type_long), reinterpret_cast<const std::byte*>(wide),
                                        layout_of(&narrow_long), reinterpret_cast<std::byte*>(narrow), 2);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().failed_at, sizeof(std::int32_t));
  EXPECT_NE(done.error().why.find("1099511627776 of 8 bytes, which does not fit into the 4 bytes of long"),
            std::string::npos)
      << done.error().why;
}

TEST_F(TranslationTest, RefusesBytesOfNoKnownMeaning) {
  const std::byte from[8]{};
  std::byte to[8];
  const Layout& bytes = layout_of(&cppc_type_bytes);
  EXPECT_FALSE(Translation(i386, widen).numbers(bytes, from, bytes, to, 8));
  EXPECT_TRUE(Translation(Architecture::here(), nullptr).numbers(bytes, from, bytes, to, 8));
}

}  // namespace
}  // namespace cppc
