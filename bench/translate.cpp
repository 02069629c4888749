/// How long the translator takes for large programs, and how much memory: in C beside Clang's own parse of the same
/// file, in C++ and Fortran beside the compiler's own -O2.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "figures.hpp"
#include "job.hpp"
#include "process.hpp"
#include "short_form.hpp"
#include "translate/cost.hpp"
#include "translate/programs.hpp"

namespace {

using namespace cppc;
using Words = std::vector<std::string>;
using Json = nlohmann::ordered_json;

const int kRuns = cppc::bench::unless_short(3, 1);

struct Job {
  std::string language, suffix, text;
  Words translate;     ///< options of cppc
  std::string showme;  ///< the MPI compiler that says what else is needed
  Words compare;
};

struct Costs {
  std::vector<double> seconds;
  double megabytes = 0;
};

/// Nothing after a message when it fails.
bool add(const Words& command, Costs& costs) {
  const bench::Cost cost = bench::cost_of(command);
  if (cost.status != 0) {
    std::printf("%s ends with status %d: %s\n", command.front().c_str(), cost.status,
                cost.errors.substr(0, cost.errors.find('\n')).c_str());
    return false;
  }
  costs.seconds.push_back(cost.seconds);
  costs.megabytes = std::max(costs.megabytes, cost.megabytes);
  return true;
}

Words flags_of(const std::string& compiler) {
  Words flags;
  std::istringstream words(test::Process({compiler, "--showme:compile"}).wait().output);
  for (std::string word; words >> word;) flags.push_back(word);
  return flags;
}

/// A file that cppc leaves as it is says nothing about its time.
bool translated(const Job& job, const std::string& into) {
  for (const auto& entry : std::filesystem::directory_iterator(into))
    if (entry.path().filename() != "report.json") return true;
  std::printf("cppc leaves the program in %s as it is\n", job.language.c_str());
  return false;
}

double rounded(double value) { return std::round(value * 1000) / 1000; }

/// The medians; null when one of the two commands fails.
Json measure(const Job& job) {
  const test::Folder folder;
  const std::string file = folder.file("program" + job.suffix);
  std::ofstream(file) << job.text;
  const auto lines = std::count(job.text.begin(), job.text.end(), '\n');
  Words flags = flags_of(job.showme);
  flags.emplace_back("-DOMPI_SKIP_MPICXX");  // as cppc-c++ has it
  Words translate{test::tool("cppc")}, compare = job.compare;
  translate.insert(translate.end(), job.translate.begin(), job.translate.end());
  translate.insert(translate.end(), {file, "--into", folder.file("into"), "--"});
  translate.insert(translate.end(), flags.begin(), flags.end());
  compare.insert(compare.end(), {file, "-o", folder.file("object")});
  if (job.compare.front() == "gfortran") compare.insert(compare.end(), {"-J", folder.file("into")});
  compare.insert(compare.end(), flags.begin(), flags.end());
  Costs ours, theirs;
  for (int run = 0; run < kRuns; ++run) {
    std::filesystem::remove_all(folder.file("into"));
    std::filesystem::create_directory(folder.file("into"));
    if (!add(translate, ours) || !translated(job, folder.file("into")) || !add(compare, theirs)) return nullptr;
  }
  const bench::Spread own = bench::spread(ours.seconds), other = bench::spread(theirs.seconds);
  std::printf("%-8s %8ld  %8.2f (%7.2f - %7.2f) %8.0f  %8.2f (%7.2f - %7.2f) %8.0f  %s\n", job.language.c_str(), lines,
              own.median, own.low, own.high, ours.megabytes, other.median, other.low, other.high, theirs.megabytes,
              (job.compare.front() + " " + job.compare.back()).c_str());
  std::fflush(stdout);
  return {{"lines", lines},
          {"seconds", rounded(own.median)},
          {"mb", std::round(ours.megabytes)},
          {"compiler_seconds", rounded(other.median)},
          {"compiler_mb", std::round(theirs.megabytes)}};
}

}  // namespace

int main() {
  std::printf("%-8s %8s  %28s %8s  %28s %8s\n", "", "lines", "cppc, s (median, extremes)", "MB", "compared with, s",
              "MB");
  Json figures{{"bench", "translate"}, {"seconds", Json::object()}, {"mb", Json::object()}};
  for (const int lines : bench::unless_short(std::array{5000, 80000}, std::array{500, 5000})) {
    const Json one = measure({"C", ".c", bench::c_program(lines), {}, "mpicc", {"clang-19", "-w", "-fsyntax-only"}});
    if (one.is_null()) return 1;
    figures["seconds"][std::to_string(lines)] = one.at("seconds");
    figures["mb"][std::to_string(lines)] = one.at("mb");
  }
  const Job others[] = {{"Fortran",
                         ".f90",
                         bench::fortran_program(bench::unless_short(11000, 500)),
                         {"--by-address"},
                         "mpifort",
                         {"gfortran", "-w", "-c", "-O2"}},
                        {"C++",
                         ".cpp",
                         bench::cpp_program(bench::unless_short(30000, 500)),
                         {"--by-address"},
                         "mpicxx",
                         {"g++", "-w", "-std=c++20", "-c", "-O2"}}};
  bool complete = true;
  for (const Job& job : others) {
    figures[job.language] = measure(job);
    complete &= !figures[job.language].is_null();
  }
  std::printf("%s\n", figures.dump().c_str());
  return complete ? EXIT_SUCCESS : EXIT_FAILURE;
}
