/// What goes into a rank's image at a time step of each program of this folder. Portably built: the comment at the top
/// of the program says what is live there, and for some the compiler saves more, which is listed. With its state kept
/// by address, a program's image leaves out the same arrays.
#include <gtest/gtest.h>

#include <ostream>

#include "job.hpp"
#include "measure.hpp"

namespace cppc::test {

/// Objects of the state of the same type and size.
struct Array {
  std::string what, type;
  long bytes;
  int live, not_live;  ///< how many; live can be kAny
  /// Of those not live: the compiler cannot tell yet, and saves them (ARCHITECTURE.md, The compiler). Neither more nor
  /// less than that may be saved: what it learns comes off here.
  int saved_all_the_same = 0;
  /// Bytes at the edge of those that are not live that nobody writes anew, so that they are.
  long rim = 0;
};
constexpr int kAny = -1;

struct LiveSet {
  std::string program;
  std::vector<std::string> arguments;
  int safe_point;
  std::vector<Array> arrays;
};

void PrintTo(const LiveSet& set, std::ostream* out) { *out << set.program; }

namespace {

/// What a program may save beside its arrays: options, command line, sizes, counters, the variables on the way to the
/// safe point.
constexpr long kScalars = 2048;

const std::vector<LiveSet> kLiveSets{
    {"heat",
     {"--quiet", "--size", "200", "--steps", "20"},
     4,
     {{"now, next", "double", 202 * 202 * 8, 1, 1, 0, 804 * 8}, {"block.packed", "double", 4 * 200 * 8, 0, 1}}},
    {"cg",
     {"S", "--quiet"},
     4,
     {{"matrix.row_begin", "int", 1401 * 4, 1, 0},
      {"matrix.columns", "int", 78148 * 4, 1, 0},
      {"matrix.values", "double", 78148 * 8, 1, 0},
      {"x; z, q, r, whole", "double", 1400 * 8, 1, 4}}},
    {"ep", {"S", "--repeat", "3"}, 2, {{"numbers", "double", 2 * 65536 * 8, 0, 1}}},
    {"is", {"S"}, 4, {{"keys", "int", 65536 * 4, 1, 0}, {"bucket_counts, all_bucket_counts", "int", 512 * 4, 0, 2}}},
    {"mg", {"S", "--repeat", "2"}, 4, {{"u, v; r", "double", 34 * 34 * 34 * 8, 2, 1}}},
    {"ft",
     {"S"},
     4,
     {{"spectrum; field", "struct complex", 64 * 64 * 64 * 16, 1, 1}, {"roots", "struct complex", 256 * 16, 1, 0}}},
    {"md",
     {"--layers", "12", "--steps", "20"},
     4,
     // Room for 1022 atoms: 972, rounded up as grow() does.
     {{"atoms", "struct atom", 1022 * 80, 1, 0}, {"heads of cells", "int", 63 * 4, 0, 1, 1}}},
    {"tree",
     {"--steps", "20"},
     4,
     {{"nodes", "struct node", 32, kAny, 0},
      {"their quarters", "pointer", 4 * 8, kAny, 0},
      {"roots", "pointer", 64 * 8, 1, 0},
      {"work", "double", 64 * 8, 0, 1}}},
    {"blocks",
     {"--size", "64", "--steps", "12"},
     4,
     {{"addresses of rows", "pointer", 66 * 8, 1, 0},
      {"rows; those of the rim", "double", 66 * 8, 64, 2, 2},
      {"row_heat", "double", 64 * 8, 1, 0}}},
    {"types",
     {"--rows", "120", "--columns", "160", "--steps", "20"},
     4,
     {{"addresses of rows", "pointer", 120 * 8, 2, 0},
      {"cells; next", "int", 120 * 162 * 4, 1, 1, 0, 120 * 8},
      {"outgoing; incoming", "struct parcel", 32, 1, 1, 1},
      {"history", "struct summary", 16 * 24, 1, 0},
      {"requests", "request", 40, 6, 0}}},
};

struct Count {
  int saved = 0, all = 0;
  long rim = 0;
};

class LiveSetTest : public testing::TestWithParam<LiveSet> {};

TEST_P(LiveSetTest, NothingElseIsSaved) {
  const LiveSet& set = GetParam();
  std::vector<std::string> command{portable_app(set.program)};
  command.insert(command.end(), set.arguments.begin(), set.arguments.end());
  const nlohmann::json measured = measure(command, set.safe_point);

  std::vector<Count> counts(set.arrays.size());
  long others = 0;
  for (const auto& object : measured.at("objects")) {
    if (object.at("section") == "runtime") continue;  // libcppc's own tables
    std::size_t i = 0;
    while (i < set.arrays.size() &&
           (object.at("type") != set.arrays[i].type || object.at("bytes") != set.arrays[i].bytes))
      ++i;
    if (i < set.arrays.size()) {
      const bool most = 2 * object.at("saved").get<long>() > set.arrays[i].bytes;
      ++counts[i].all;
      counts[i].saved += most ? 1 : 0;
      counts[i].rim += most ? 0 : object.at("saved").get<long>();
    } else {
      others += object.at("saved").get<long>();
    }
  }
  for (std::size_t i = 0; i < set.arrays.size(); ++i) {
    const Array& array = set.arrays[i];
    const int live = array.live == kAny ? counts[i].all : array.live;
    EXPECT_GT(counts[i].all, 0) << array.what;
    EXPECT_EQ(counts[i].saved, live + array.saved_all_the_same) << array.what;
    EXPECT_EQ(counts[i].rim, array.rim) << array.what;
    EXPECT_LE(counts[i].all, live + array.not_live) << array.what;
  }
  EXPECT_LE(others, kScalars) << measured.dump(1);
}

/// A run in which what is dead is much more than what is kept by address only.
struct Load {
  std::string program;
  std::vector<std::string> arguments;
  int safe_point;
};

void PrintTo(const Load& load, std::ostream* out) { *out << load.program; }

const std::vector<Load> kLoads{
    {"heat", {"--quiet", "--size", "1000", "--steps", "8"}, 4},
    {"ep", {"S", "--repeat", "3"}, 2},
    {"mg", {"W", "--repeat", "2"}, 4},
    {"ft", {"S"}, 4},
    {"types", {"--rows", "1000", "--columns", "1000", "--steps", "8"}, 4},
};

class ImageSizeTest : public testing::TestWithParam<Load> {};

TEST_P(ImageSizeTest, IsHardlyLargerByAddress) {
  // Buffers of streams, parts of the heap that are not told from blocks, global variables, the stack.
  constexpr long kMore = 400'000;
  const Load& load = GetParam();
  const auto saved = [&](const std::string& path) {
    std::vector<std::string> command{path};
    command.insert(command.end(), load.arguments.begin(), load.arguments.end());
    return measure(command, load.safe_point);
  };
  const nlohmann::json by_types = saved(portable_app(load.program));
  const nlohmann::json by_address = saved(app(load.program));
  EXPECT_GT(by_types.at("reachable").get<long>(), by_types.at("saved").get<long>() + 2 * kMore);
  EXPECT_LE(by_address.at("saved").get<long>(), by_types.at("saved").get<long>() + kMore) << by_address.dump(1);
}

INSTANTIATE_TEST_SUITE_P(Programs, ImageSizeTest, testing::ValuesIn(kLoads),
                         [](const testing::TestParamInfo<Load>& one) { return one.param.program; });

INSTANTIATE_TEST_SUITE_P(Programs, LiveSetTest, testing::ValuesIn(kLiveSets),
                         [](const testing::TestParamInfo<LiveSet>& one) { return one.param.program; });

}  // namespace
}  // namespace cppc::test
