#include "mpi/kept.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <new>
#include <span>

namespace cppc::mpi {
namespace {

struct Record {
  long number;
  bool flag;
};

constexpr std::array fields{cppc_field{"number", offsetof(Record, number), &cppc_type_long, 1},
                            cppc_field{"flag", offsetof(Record, flag), &cppc_type_bool, 1}};
constexpr cppc_type record_type = {CPPC_STRUCT, sizeof(Record), "record", fields.data(), fields.size()};

// A word of which a member has replaced the first byte only may still be an address to the check of a state, and one
// that leads out of it.
TEST(Kept, NothingIsKeptOfWhatWasBetweenMembers) {
  alignas(Record) std::array<unsigned char, sizeof(Record)> stack{};
  stack.fill(0xff);
  auto* const record = new (stack.data()) Record;
  record->number = 1;
  record->flag = true;

  Record* const kept = keep(record_type, *record);

  EXPECT_EQ(kept->number, 1);
  EXPECT_TRUE(kept->flag);
  const std::span bytes(reinterpret_cast<const unsigned char*>(kept), sizeof(Record));
  EXPECT_TRUE(std::ranges::all_of(bytes.subspan(offsetof(Record, flag) + 1), [](unsigned char b) { return b == 0; }));
  release_carried(kept);
}

}  // namespace
}  // namespace cppc::mpi
