#include "suite.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "job.hpp"
#include "loads.hpp"
#include "measure.hpp"
#include "report.hpp"

namespace cppc::bench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kRanks = 4;
/// Counted from 0; all have come to their time steps before.
constexpr int kSafePoint = 2;
constexpr std::chrono::seconds kLimit{900};

constexpr double kDouble = 8, kComplex = 16, kInt = 4;

struct Benchmark {
  std::string name;
  std::vector<Saved> by_hand;
  double other_mb;  ///< a rank's checkpoint of class C (EP: D), 64 ranks, by PC3 (Fernandes and others), table 3
};

/// BT and SP: each rank has two of the cells in which a cube of 64 points is cut, with room for one point more; `u` has
/// two layers around it.
std::vector<Saved> cells() {
  constexpr double kSide = 64 / 2 + 1, kCells = 2, kComponents = 5;
  const auto field = [](double side) { return kComponents * side * side * side * kCells * kDouble; };
  return {{"u", field(kSide + 4)}, {"forcing", field(kSide)}};
}

/// The declared arrays of the matrix, and x.
std::vector<Saved> cg() {
  constexpr double kOrder = 14000, kNonzeros = 11, kColumns = 2, kRows = 2;
  const double room =
      kOrder * (kNonzeros + 1) / kRanks * (kNonzeros + 1) + kNonzeros + kOrder * (kNonzeros + 2) / kColumns;
  return {{"a", room * kDouble},
          {"colidx", room * kInt},
          {"rowstr", (kOrder + 1) * kInt},
          {"x", (kOrder / kRows + 2) * kDouble}};
}

std::vector<Saved> ft() {
  constexpr double kPoints = 256.0 * 256 * 128 / kRanks;
  return {{"u0", kPoints * kComplex}, {"twiddle", kPoints * kDouble}, {"u", 256 * kComplex}};
}

/// With room for half as many keys again as a rank begins with.
std::vector<Saved> is() { return {{"key_array", 1.5 * (1 << 23) / kRanks * kInt}}; }

/// Pencils of 32 x 32 x 64 points, with two layers at the sides.
std::vector<Saved> lu() {
  constexpr double kField = 5.0 * (32 + 4) * (32 + 4) * 64 * kDouble;
  return {{"u", kField}, {"rsd", kField}, {"frct", kField}};
}

/// The finest level of a cube of 256 points, in blocks of 256 x 128 x 128.
std::vector<Saved> mg() {
  constexpr double kLevel = 258.0 * 130 * 130 * kDouble;
  return {{"u", kLevel}, {"v", kLevel}, {"r", kLevel}};
}

std::vector<Benchmark> benchmarks() {
  return {{"bt", cells(), 76.5}, {"cg", cg(), 42.5},   {"ep", {{"q, sx, sy", 12 * kDouble}}, 1.1},
          {"ft", ft(), 117.5},   {"is", is(), 37.8},   {"lu", lu(), 16.5},
          {"mg", mg(), 456.9},   {"sp", cells(), 40.1}};
}

/// The compilers of the suite, as its versions 3.0 to 3.4 name them. The old code needs what newer compilers refuse.
void write_compilers(const fs::path& file) {
  const std::string fortran = test::tool("cppc-fc"), c = test::tool("cppc-cc");
  std::ofstream(file) << "MPIF77 = " << fortran << "\nMPIFC = " << fortran << "\nFLINK = " << fortran
                      << "\nFMPI_LIB =\nFMPI_INC =\nFFLAGS = -O2 -w -std=legacy -fallow-invalid-boz\n"
                         "FLINKFLAGS = -O2\nMPICC = "
                      << c << "\nCLINK = " << c
                      << "\nCMPI_LIB =\nCMPI_INC =\nCFLAGS = -O2\nCLINKFLAGS = -O2\nCC = gcc\nUCC = gcc\n"
                         "BINDIR = ../bin\nRAND = randi8\n";
}

/// Returns the program, or nothing after a message.
fs::path build(const fs::path& suite, const std::string& name) {
  const test::Finished made =
      test::run({"make", "-C", suite, name, "CLASS=A", "NPROCS=" + std::to_string(kRanks)}, kLimit);
  const fs::path one = suite / "bin" / (name + ".A." + std::to_string(kRanks)), any = suite / "bin" / (name + ".A.x");
  if (made.status == 0 && fs::exists(one)) return one;
  if (made.status == 0 && fs::exists(any)) return any;
  std::printf("%-8s is not built: make %s CLASS=A NPROCS=%d ends with status %d\n%s", name.c_str(), name.c_str(),
              kRanks, made.status, made.errors.c_str());
  return {};
}

}  // namespace

Json measure_suite(const std::string& directory) {
  const fs::path given(directory);
  for (const char* part : {"config", "sys", "common", "BT"}) {
    if (fs::is_directory(given / part)) continue;
    std::fprintf(stderr, "image-size: %s is not the MPI version of the NAS Parallel Benchmarks: it has no %s\n",
                 directory.c_str(), part);
    std::exit(2);
  }
  const test::Folder folder;
  const fs::path suite = folder.file("npb");
  fs::copy(given, suite, fs::copy_options::recursive);
  fs::create_directories(suite / "bin");
  write_compilers(suite / "config/make.def");

  std::printf("NAS Parallel Benchmarks, class A, %d ranks, the largest; other: class C (EP: D) on 64 ranks, by PC3\n",
              kRanks);
  print_heading("other");
  Json all{{"saved_mb", Json::object()},
           {"live_mb", Json::object()},
           {"ratio", Json::object()},
           {"reachable_mb", Json::object()}};
  for (const Benchmark& one : benchmarks()) {
    const fs::path program = build(suite, one.name);
    if (program.empty()) continue;
    std::string output;
    const nlohmann::json ranks = test::measure_ranks({program}, kRanks, kSafePoint, kLimit, output);
    if (ranks.is_null()) {
      std::printf("%-8s no image at its third safe point: its loops have none, or its state cannot be saved\n",
                  one.name.c_str());
      continue;
    }
    const auto largest =
        std::ranges::max_element(ranks, {}, [](const nlohmann::json& rank) { return rank.at("saved").get<double>(); });
    add_figures(all, one.name, sizes_of(*largest), one.by_hand);
    print_line(one.name, sizes_of(*largest), one.by_hand, one.other_mb);
  }
  return all;
}

}  // namespace cppc::bench
