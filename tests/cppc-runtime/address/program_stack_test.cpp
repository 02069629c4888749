#include "address/program_stack.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "address/places.hpp"

namespace cppc::address {
namespace {

class ProgramStackTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { ASSERT_EQ(program_stack::map(), CPPC_OK); }
};

int where(void* place) {
  int local = 0;
  *static_cast<std::uintptr_t*>(place) = reinterpret_cast<std::uintptr_t>(&local);
  return 42;
}

TEST_F(ProgramStackTest, RunsAFunctionAtItsPlace) {
  std::uintptr_t place = 0;
  EXPECT_EQ(program_stack::run(where, &place), 42);
  EXPECT_GT(place, kStack);
  EXPECT_LT(place, kHeap);
}

struct Copy {
  std::byte* end = nullptr;
  std::vector<std::byte> bytes;
  int stops = 0;
};

void take_copy(void* context, std::byte* end) {
  auto& copy = *static_cast<Copy*>(context);
  ++copy.stops;
  copy.end = end;
  const auto used = program_stack::used(end);
  copy.bytes.assign(used.begin(), used.end());
}

int stop_once(void* context) {
  volatile double local = 1.5;
  long sum = 1000;
  program_stack::stop(take_copy, context);
  return static_cast<int>(local * 2) + static_cast<int>(sum) + static_cast<Copy*>(context)->stops;
}

TEST_F(ProgramStackTest, GoesOnWithTheSameBytesAtTheSamePlace) {
  Copy copy;
  EXPECT_EQ(program_stack::run(stop_once, &copy), 1004);
  const auto used = program_stack::used(copy.end);
  std::memset(used.data(), 0xee, used.size());
  std::memcpy(used.data(), copy.bytes.data(), copy.bytes.size());
  EXPECT_EQ(program_stack::go_on(copy.end, program_stack::guard()), 1004);
  EXPECT_EQ(copy.stops, 1);
}

/// Where a function that returns leaves a word.
__attribute__((noinline)) volatile long* leave_word() {
  volatile long left[512];
  left[100] = 42;
  volatile long* place = &left[100];
  asm volatile("" : "+r"(place));
  return place;
}

int clear_what_was_left(void* found) {
  const volatile long live = 7;
  volatile long* const place = leave_word();
  program_stack::clear_unused();
  *static_cast<long*>(found) = *place;
  return static_cast<int>(live);
}

TEST_F(ProgramStackTest, ForgetsWhatFunctionsHaveLeft) {
  long found = 1;
  EXPECT_EQ(program_stack::run(clear_what_was_left, &found), 7);
  EXPECT_EQ(found, 0);
}

TEST_F(ProgramStackTest, GrowsDownwards) {
  const std::size_t before = program_stack::size();
  ASSERT_EQ(program_stack::grow(2 * before), CPPC_OK);
  EXPECT_EQ(program_stack::size(), 2 * before);
  ASSERT_EQ(program_stack::grow(before), CPPC_OK);
  EXPECT_EQ(program_stack::size(), 2 * before);
  auto* const end = reinterpret_cast<std::byte*>(kStackEnd);
  const std::span<std::byte> lower(end - before - (before / 2), before);
  EXPECT_TRUE(program_stack::holds(lower));
  std::memset(lower.data(), 1, lower.size());
  EXPECT_EQ(program_stack::grow(kStackEnd - kStack + 1), CPPC_ERR_MEMORY);
}

int divide_with_rounding(void* context) {
  unsigned control = 0;
  asm volatile("stmxcsr %0" : "=m"(control));
  const unsigned changed = control | 0x8040;  // flush to zero, denormals are zero
  asm volatile("ldmxcsr %0" ::"m"(changed));
  program_stack::stop(take_copy, context);
  unsigned now = 0;
  asm volatile("stmxcsr %0" : "=m"(now));
  asm volatile("ldmxcsr %0" ::"m"(control));
  return (now & 0x8040) == 0x8040 ? 1 : 0;
}

TEST_F(ProgramStackTest, KeepsTheControlWordOfFloatingPoint) {
  Copy copy;
  EXPECT_EQ(program_stack::run(divide_with_rounding, &copy), 1);
  const auto used = program_stack::used(copy.end);
  std::memcpy(used.data(), copy.bytes.data(), copy.bytes.size());
  EXPECT_EQ(program_stack::go_on(copy.end, program_stack::guard()), 1);
}

}  // namespace
}  // namespace cppc::address
