/// How fast the state of a rank is looked through for addresses that mean nothing elsewhere, which is done while all
/// ranks stand still: next to copying the same memory, in turn. Of numbers, and of addresses of the program's own.
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include "address/places.hpp"
#include "address/word_scan.hpp"
#include "figures.hpp"
#include "short_form.hpp"

namespace {

using namespace cppc;
using Words = std::vector<std::uintptr_t>;

const std::size_t kBytes = cppc::bench::unless_short(std::size_t{256}, std::size_t{8}) << 20;
const int kRounds = cppc::bench::unless_short(9, 1);

double gigabytes_a_second(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return kBytes / 1e9 / std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Where libraries and stacks lie, and the page of an executable's start.
address::Windows windows() {
  address::Windows windows;
  windows.below.add(0x3f'f000, 0x40'0000);
  windows.above.add(0x7fff'f000'0000, 0x7fff'ffff'f000);
  return windows;
}

void look_through(const Words& words) {
  if (address::pass_over(words, windows()) == words.size()) return;
  std::fprintf(stderr, "a word that leads nowhere was taken for one that leads out\n");
  std::exit(1);
}

Words numbers() {
  std::mt19937_64 random(1);
  std::normal_distribution<double> value(0, 1e3);
  Words words(kBytes / sizeof(std::uintptr_t));
  for (std::uintptr_t& word : words) word = std::bit_cast<std::uintptr_t>(value(random));
  return words;
}

Words addresses() {
  std::mt19937_64 random(1);
  Words words(kBytes / sizeof(std::uintptr_t));
  for (std::uintptr_t& word : words) word = address::kHeap + random() % kBytes / 16 * 16;
  return words;
}

}  // namespace

int main() {
  const Words doubles = numbers();
  const Words pointers = addresses();
  Words copy(doubles.size());
  std::vector<double> of_doubles, of_pointers, of_memcpy;
  for (int round = 0; round < kRounds; ++round) {
    of_doubles.push_back(gigabytes_a_second([&] { look_through(doubles); }));
    of_pointers.push_back(gigabytes_a_second([&] { look_through(pointers); }));
    of_memcpy.push_back(gigabytes_a_second([&] { std::memcpy(copy.data(), doubles.data(), kBytes); }));
  }
  std::printf("%-28s %10s %10s %10s\n", "GB/s, one thread", "median", "lowest", "highest");
  nlohmann::ordered_json figures{{"bench", "check"}};
  const auto report = [&](const char* what, const char* name, const std::vector<double>& values) {
    const bench::Spread spread = bench::spread(values);
    std::printf("%-28s %10.1f %10.1f %10.1f\n", what, spread.median, spread.low, spread.high);
    figures[name] = std::round(spread.median * 10) / 10;
  };
  report("the check, of numbers", "numbers_gb_s", of_doubles);
  report("the check, of addresses", "addresses_gb_s", of_pointers);
  report("memcpy", "memcpy_gb_s", of_memcpy);
  std::printf("%s\n", figures.dump().c_str());
}
