/// Every program of tests/apps, made movable by cppc-cc, cppc-c++ and cppc-fc, and those in C by cppc-cc --portable as
/// well, moves about while it works: its result is that of the plain program, bit for bit. So do the plain programs
/// themselves, with libcppc preloaded. And each is ended after a checkpoint and goes on from it. CPPC_MIGRATIONS says
/// how often (once each rank), CPPC_SEED repeats a run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <ostream>
#include <tuple>

#include "restarted.hpp"
#include "restless.hpp"

namespace cppc::test {

void PrintTo(const Program& program, std::ostream* out) { *out << program.name; }

namespace {

const std::vector<std::string> kVariants{"gcc-O2", "gcc-O3", "clang-19-O2", "clang-19-O3"};

const std::vector<Program> kPrograms{
    {"heat", {"--quiet", "--size", "200"}, "--steps", 400, 400},
    {"cg", {"S"}, "--repeat", 1, 15},
    {"ep", {"S"}, "--repeat", 3, 192},
    {"is", {"S"}, "--repeat", 2, 20},
    {"mg", {"S"}, "--repeat", 4, 16},
    {"ft", {"S"}, "--repeat", 2, 12},
    {"md", {"--layers", "12"}, "--steps", 40, 40},
    {"tree", {}, "--steps", 40, 40},
    {"blocks", {"--size", "8"}, "--steps", 8, 8},
    {"types", {}, "--steps", 200, 200},
    {"objects", {}, "--steps", 200, 200},
    {"storm", {}, "--steps", 200, 200},
    {"records", {}, "--steps", 100, 100},
    {"onesided", {}, "--steps", 200, 200},
};

const std::vector<Program> kCppPrograms{
    {"halves", {}, "--steps", 100, 100}, {"particles", {}, "--steps", 100, 100}, {"spectral", {}, "--steps", 60, 60},
    {"h5steps", {}, "--steps", 20, 20},  {"wave", {}, "--steps", 200, 200},
};

/// Those that gcc alone compiles.
const std::vector<Program> kGccPrograms{
    {"stencil_omp", {}, "--steps", 30, 30}, {"cg_f90", {"S"}, "--repeat", 1, 15},  {"mg_f90", {"S"}, "--repeat", 4, 16},
    {"ft_f90", {"S"}, "--repeat", 2, 12},   {"wave_f77", {}, "--steps", 200, 200}, {"mixed", {}, "--steps", 100, 100},
    {"wave_f90", {}, "--steps", 200, 200},  {"ft_f77", {}, "--steps", 20, 20},     {"ft_f2c", {}, "--steps", 20, 20},
    {"ep_f90", {"S"}, "--repeat", 3, 192},  {"adi_f77", {}, "--steps", 4, 4},
};

unsigned number_from(const char* variable, unsigned otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? static_cast<unsigned>(std::stoul(text)) : otherwise;
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> operator+(std::vector<std::string> left, const std::vector<std::string>& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

class AppsTest : public testing::TestWithParam<std::tuple<std::string, Program>> {
 protected:
  /// The program's arguments; where it keeps a log or writes files, they are named after `log` in the folder.
  [[nodiscard]] std::vector<std::string> arguments(const std::string& log) const {
    std::vector<std::string> all = lasting(program_, migrations_);
    if (keeps_log()) all = all + std::vector<std::string>{"--log", folder_.file(log)};
    if (writes_files() || needs_files()) all = all + std::vector<std::string>{"--file", folder_.file(log)};
    return all;
  }
  [[nodiscard]] bool keeps_log() const { return program_.name == "md" || program_.name == "particles"; }
  [[nodiscard]] bool writes_files() const { return program_.name == "records"; }
  /// That it checks itself, and removes in the end.
  [[nodiscard]] bool needs_files() const {
    return program_.name == "h5steps" || program_.name == "cg_f90" || program_.name == "mg_f90" ||
           program_.name == "ft_f90";
  }

  /// `path` is the same program, movable with these options of cppc-run.
  void expect_same_from(const std::string& path, const std::vector<std::string>& options = {}) const;
  /// Likewise, ended after a checkpoint and started again from that.
  void expect_same_restarted(const std::string& path, const std::vector<std::string>& options = {}) const;
  void expect_same_files() const;

  [[nodiscard]] Finished run_plain() const {
    const std::vector<std::string> mpirun{"mpirun",          "--mca", "mpi_yield_when_idle", "1",
                                          "--oversubscribe", "-n",    std::to_string(kRanks)};
    return cluster_.run("head",
                        mpirun + std::vector<std::string>{plain_app(program_.name, variant_)} + arguments("plain"));
  }

  const std::string variant_ = std::get<0>(GetParam());
  const Program program_ = std::get<1>(GetParam());
  const int migrations_ = static_cast<int>(number_from("CPPC_MIGRATIONS", kRanks));
  const Folder folder_;
  const Cluster cluster_{kNodes};
};

void AppsTest::expect_same_from(const std::string& path, const std::vector<std::string>& options) const {
  const unsigned seed = number_from("CPPC_SEED", std::random_device()());
  std::cout << program_.name << " " << variant_ << ": CPPC_SEED=" << seed << std::endl;
  const Finished plain = run_plain();
  ASSERT_EQ(plain.status, 0) << plain.output << plain.errors;
  RestlessJob job(cluster_, folder_, program_, std::vector<std::string>{path} + arguments("movable"), migrations_, seed,
                  options);
  const Finished moved = job.run();
  EXPECT_EQ(job.problems(), "") << moved.errors;
  EXPECT_EQ(moved.status, 0) << moved.output << moved.errors;
  EXPECT_EQ(job.done(), migrations_);
  EXPECT_EQ(job.moved().size(), static_cast<std::size_t>(kRanks));
  EXPECT_EQ(answer(moved), answer(plain));
  expect_same_files();
}

void AppsTest::expect_same_restarted(const std::string& path, const std::vector<std::string>& options) const {
  const unsigned seed = number_from("CPPC_SEED", std::random_device()());
  std::cout << program_.name << " " << variant_ << ": CPPC_SEED=" << seed << std::endl;
  const Finished plain = run_plain();
  ASSERT_EQ(plain.status, 0) << plain.output << plain.errors;
  RestartedJob job(cluster_, folder_, program_, std::vector<std::string>{path} + arguments("movable"), migrations_,
                   seed, options);
  const Finished restarted = job.run();
  ASSERT_EQ(job.problems(), "");
  EXPECT_EQ(restarted.status, 0) << restarted.output << restarted.errors;
  EXPECT_FALSE(answer(restarted).empty());
  EXPECT_TRUE(answer(plain).ends_with(answer(restarted))) << answer(restarted) << "is not the end of\n"
                                                          << answer(plain);
  expect_same_files();
}

void AppsTest::expect_same_files() const {
  for (int rank = 0; keeps_log() && rank < kRanks; ++rank) {
    const std::string log = contents(folder_.file("plain." + std::to_string(rank)));
    ASSERT_FALSE(log.empty());
    EXPECT_EQ(contents(folder_.file("movable." + std::to_string(rank))), log) << "of rank " << rank;
  }
  for (const std::string name : {".rows", ".log"}) {
    if (!writes_files()) break;
    const std::string file = contents(folder_.file("plain" + name));
    ASSERT_FALSE(file.empty());
    EXPECT_EQ(contents(folder_.file("movable" + name)), file) << name;
  }
}

class PortableAppsTest : public AppsTest {};

class PreloadedAppsTest : public AppsTest {};

TEST_P(AppsTest, KeepsEveryBitOfItsResult) { expect_same_from(app(program_.name, variant_)); }

TEST_P(PortableAppsTest, KeepsEveryBitOfItsResult) { expect_same_from(portable_app(program_.name, variant_)); }

TEST_P(PreloadedAppsTest, KeepsEveryBitOfItsResult) {
  expect_same_from(plain_app(program_.name, variant_), {"--preload"});
}

TEST_P(AppsTest, RestartsWithEveryBit) { expect_same_restarted(app(program_.name, variant_)); }

TEST_P(PortableAppsTest, RestartsWithEveryBit) { expect_same_restarted(portable_app(program_.name, variant_)); }

TEST_P(PreloadedAppsTest, RestartsWithEveryBit) {
  expect_same_restarted(plain_app(program_.name, variant_), {"--preload"});
}

std::string name_of(const testing::TestParamInfo<AppsTest::ParamType>& one) {
  std::string name = std::get<0>(one.param) + "_" + std::get<1>(one.param).name;
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Programs, AppsTest,
                         testing::Combine(testing::ValuesIn(kVariants), testing::ValuesIn(kPrograms)), name_of);
INSTANTIATE_TEST_SUITE_P(CppPrograms, AppsTest,
                         testing::Combine(testing::ValuesIn(kVariants), testing::ValuesIn(kCppPrograms)), name_of);
INSTANTIATE_TEST_SUITE_P(GccPrograms, AppsTest,
                         testing::Combine(testing::Values("gcc-O2", "gcc-O3"), testing::ValuesIn(kGccPrograms)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Portable, PortableAppsTest,
                         testing::Combine(testing::ValuesIn(kVariants), testing::ValuesIn(kPrograms)), name_of);

INSTANTIATE_TEST_SUITE_P(Preloaded, PreloadedAppsTest,
                         testing::Combine(testing::ValuesIn(kVariants), testing::ValuesIn(kPrograms)), name_of);
INSTANTIATE_TEST_SUITE_P(PreloadedCpp, PreloadedAppsTest,
                         testing::Combine(testing::ValuesIn(kVariants), testing::ValuesIn(kCppPrograms)), name_of);
INSTANTIATE_TEST_SUITE_P(PreloadedGcc, PreloadedAppsTest,
                         testing::Combine(testing::Values("gcc-O2", "gcc-O3"), testing::ValuesIn(kGccPrograms)),
                         name_of);

}  // namespace
}  // namespace cppc::test
