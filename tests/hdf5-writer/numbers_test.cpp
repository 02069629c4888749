/// Numbers of other machines become those of this one, and what is out of range is found.
#include "cppc/numbers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace cppc::image {
namespace {

constexpr Numbers long_of_x86_64{Class::signed_integer, 8, false, 0};
constexpr Numbers long_of_i386{Class::signed_integer, 4, false, 0};
constexpr Numbers double_of_s390x{Class::floating, 8, true, 53};
constexpr Numbers double_here{Class::floating, 8, false, 53};
constexpr Numbers long_double_of_i386{Class::floating, 12, false, 64};
constexpr Numbers long_double_of_x86_64{Class::floating, 16, false, 64};
constexpr Numbers long_double_of_s390x{Class::floating, 16, true, 113};

template <class T>
auto bytes_of(std::vector<T>& numbers) {
  return std::as_writable_bytes(std::span(numbers));
}

TEST(Numbers, GetNarrower) {
  std::vector<std::int64_t> wide{0, -1, std::numeric_limits<std::int32_t>::min(),
                                 std::numeric_limits<std::int32_t>::max()};
  std::vector<std::int32_t> narrow(wide.size());
  EXPECT_EQ(convert(long_of_x86_64, bytes_of(wide), long_of_i386, bytes_of(narrow), wide.size()), wide.size());
  EXPECT_TRUE(std::ranges::equal(wide, narrow));
}

TEST(Numbers, StopAtTheFirstThatDoesNotFit) {
  std::vector<std::int64_t> wide(100, 7);
  wide[63] = std::int64_t{1} << 31;
  std::vector<std::int32_t> narrow(wide.size());
  EXPECT_EQ(convert(long_of_x86_64, bytes_of(wide), long_of_i386, bytes_of(narrow), wide.size()), 63U);
  wide[63] = -(std::int64_t{1} << 31) - 1;
  EXPECT_EQ(convert(long_of_x86_64, bytes_of(wide), long_of_i386, bytes_of(narrow), wide.size()), 63U);
  EXPECT_EQ(narrow[62], 7);
}

TEST(Numbers, AreTurnedAround) {
  std::vector<double> numbers{1.0 / 3, -0.0, std::numeric_limits<double>::infinity(), 5e-324};
  std::vector<std::uint64_t> big(numbers.size());
  ASSERT_EQ(convert(double_here, bytes_of(numbers), double_of_s390x, bytes_of(big), numbers.size()), numbers.size());
  for (std::size_t i = 0; i < big.size(); ++i)
    EXPECT_EQ(__builtin_bswap64(big[i]), std::bit_cast<std::uint64_t>(numbers[i]));
}

TEST(Numbers, OfHigherPrecisionComeBackAsTheyWere) {
  std::vector<long double> numbers{1.0L / 3, -std::numeric_limits<long double>::max(), 0.0L,
                                   std::numeric_limits<long double>::min(), 6.02214076e23L};
  for (const Numbers& other : {long_double_of_i386, long_double_of_s390x}) {
    std::vector<std::byte> there(numbers.size() * other.size);
    ASSERT_EQ(convert(long_double_of_x86_64, bytes_of(numbers), other, there, numbers.size()), numbers.size());
    std::vector<long double> back(numbers.size());
    ASSERT_EQ(convert(other, there, long_double_of_x86_64, bytes_of(back), numbers.size()), numbers.size());
    EXPECT_EQ(back, numbers);
  }
}

TEST(Numbers, WithoutAFormAreRefused) {
  std::array<std::byte, 8> from{}, to{};
  EXPECT_FALSE(convert({Class::bytes, 8, false, 0}, from, double_here, to, 1));
  EXPECT_FALSE(convert({Class::floating, 8, false, 99}, from, double_here, to, 1));
  EXPECT_FALSE(convert(double_here, from, double_of_s390x, to, 2)) << "more than there are";
}

}  // namespace
}  // namespace cppc::image
