/// What a block of the program's heap costs, when its state is kept by address, next to other allocators: the same
/// program with each of them preloaded, in turn.
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "figures.hpp"
#include "job.hpp"
#include "short_form.hpp"

namespace {

const int rounds = cppc::bench::unless_short(9, 1);

struct Allocator {
  const char* name;
  std::string library;  ///< none: the C library's own
};

struct Work {
  const char* name;
  const char* work;
  int threads;
  long operations;
};

constexpr std::array<Work, 6> works = {{{"pairs_1", "pairs", 1, 10'000'000},
                                        {"churn_small_1", "churn_small", 1, 2'000'000},
                                        {"churn_large_1", "churn_large", 1, 500'000},
                                        {"pairs_4", "pairs", 4, 5'000'000},
                                        {"churn_small_4", "churn_small", 4, 500'000},
                                        {"churn_large_4", "churn_large", 4, 100'000}}};

/// The C library's first, then ours; of the others those that are installed.
std::vector<Allocator> allocators() {
  std::vector<Allocator> all = {{"glibc", ""}, {"libcppc", cppc::test::library("libregion-malloc")}};
  const std::string libraries = "/usr/lib/x86_64-linux-gnu/";
  for (const auto& [name, file] :
       {std::pair("mimalloc", "libmimalloc.so.2"), std::pair("jemalloc", "libjemalloc.so.2")}) {
    if (std::filesystem::exists(libraries + file)) {
      all.push_back({name, libraries + file});
    } else {
      std::printf("%s is not installed: left out\n", name);
    }
  }
  return all;
}

/// Nanoseconds an operation; none, and it says so, when the program fails.
std::optional<double> measure(const Allocator& allocator, const Work& work) {
  using namespace cppc;
  std::vector<std::string> environment;
  if (!allocator.library.empty()) environment.push_back("LD_PRELOAD=" + allocator.library);
  const test::Finished finished =
      test::Process({test::tool("malloc-calls"), work.work, std::to_string(work.threads),
                     std::to_string(cppc::bench::unless_short(work.operations, work.operations / 100))},
                    environment)
          .wait();
  if (finished.status == 0) return std::stod(finished.output);
  std::fprintf(stderr, "malloc-calls %s with %s: status %d\n%s", work.name, allocator.name, finished.status,
               finished.errors.c_str());
  return std::nullopt;
}

std::string machine() {
  const std::string key = "model name";
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, key.size(), key) == 0) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

}  // namespace

int main() {
  using cppc::bench::spread;
  const std::vector<Allocator> all = allocators();
  std::printf("%-16s", "ns, median");
  for (const Allocator& allocator : all) std::printf(" %10s", allocator.name);
  std::printf(" %22s\n", "libcppc/glibc (range)");
  std::string ratios;
  for (const Work& work : works) {
    std::vector<std::vector<double>> times(all.size());
    std::vector<double> ratio;
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        const std::optional<double> time = measure(all[i], work);
        if (!time) return 1;
        times[i].push_back(*time);
      }
      ratio.push_back(times[1].back() / times[0].back());
    }
    std::printf("%-16s", work.name);
    for (const std::vector<double>& values : times) std::printf(" %10.1f", spread(values).median);
    const cppc::bench::Spread ours = spread(ratio);
    std::printf(" %8.2f (%.2f - %.2f)\n", ours.median, ours.low, ours.high);
    std::array<char, 64> text;
    std::snprintf(text.data(), text.size(), "%s\"%s\":%.3f", ratios.empty() ? "" : ",", work.name, ours.median);
    ratios += text.data();
  }
  std::printf("{\"bench\":\"malloc\",\"ratio_to_glibc\":{%s},\"machine\":\"%s, %u processors\"}\n", ratios.c_str(),
              machine().c_str(), std::thread::hardware_concurrency());
}
