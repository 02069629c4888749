/// A fuzzer without coverage: NAME RUNS feeds the parser with its seeds, then with RUNS inputs made from them, always
/// the same ones; NAME FILE with one input. An input at which the process dies is left in the file NAME.input.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "fuzz.hpp"

namespace {

using cppc::fuzz::Bytes;

constexpr std::size_t longest_input = 1 << 18;  // an image has 64 KiB and more
constexpr int most_changes = 6;
constexpr std::array<std::uint64_t, 14> numbers{0,
                                                1,
                                                2,
                                                0x7f,
                                                0xff,
                                                0x1000,
                                                0x7fff,
                                                0xffff,
                                                0x10000,
                                                0x7fffffff,
                                                0xffffffff,
                                                0x100000000,
                                                0x7fffffffffffffff,
                                                0xffffffffffffffff};

class Mutator {
 public:
  explicit Mutator(std::vector<Bytes> seeds) : seeds_(std::move(seeds)) {}

  Bytes next() {
    Bytes input = seeds_[below(seeds_.size())];
    for (std::size_t changes = 1 + below(most_changes); changes > 0; --changes) change(input);
    input.resize(std::min(input.size(), longest_input));
    return input;
  }

 private:
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }

  void change(Bytes& input) {
    const std::size_t at = below(input.size() + 1), rest = input.size() - at;
    const auto place = input.begin() + static_cast<std::ptrdiff_t>(at);
    const auto end_of = [&](std::size_t bytes) { return place + static_cast<std::ptrdiff_t>(bytes); };
    switch (below(7)) {
      case 0:
        if (rest > 0) *place ^= static_cast<std::byte>(1U << below(8));
        break;
      case 1:
        if (rest > 0) *place = static_cast<std::byte>(random_());
        break;
      case 2:
        put_number(input, at);
        break;
      case 3:
        input.erase(place, end_of(below(std::min<std::size_t>(rest, 64) + 1)));
        break;
      case 4:
        input.insert(place, 1 + below(16), static_cast<std::byte>(random_()));
        break;
      case 5: {
        const Bytes twice(place, end_of(below(std::min<std::size_t>(rest, 256) + 1)));
        input.insert(place, twice.begin(), twice.end());
        break;
      }
      default:
        splice(input, at);
    }
  }

  void put_number(Bytes& input, std::size_t at) {
    const std::uint64_t number = numbers[below(numbers.size())];
    const std::size_t width = std::size_t{1} << below(4);
    if (width <= input.size() - at) std::memcpy(input.data() + at, &number, width);
  }

  /// Goes on as another seed does somewhere.
  void splice(Bytes& input, std::size_t at) {
    const Bytes& other = seeds_[below(seeds_.size())];
    const std::size_t from = below(other.size() + 1);
    input.resize(at);
    input.insert(input.end(), other.begin() + static_cast<std::ptrdiff_t>(from), other.end());
  }

  std::vector<Bytes> seeds_;
  std::mt19937_64 random_{1};
};

Bytes current;
std::array<char, 4096> kept_as{};

extern "C" void keep_input(int signal) {
  const int file = open(kept_as.data(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  [[maybe_unused]] auto written = write(file, current.data(), current.size());
  constexpr std::string_view said = "the input is in ";
  written = write(STDERR_FILENO, said.data(), said.size());
  written = write(STDERR_FILENO, kept_as.data(), std::strlen(kept_as.data()));
  written = write(STDERR_FILENO, "\n", 1);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void run(Bytes input) {
  current = std::move(input);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(current.data()), current.size());
}

int run_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) return std::fprintf(stderr, "cannot read %s\n", path), EXIT_FAILURE;
  run(cppc::fuzz::bytes_of(text));
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view argument = argc == 2 ? argv[1] : "";
  int runs = 0;
  const auto parsed = std::from_chars(argument.begin(), argument.end(), runs);
  if (argument.empty()) return std::fprintf(stderr, "Usage: %s RUNS|FILE\n", argv[0]), 2;
  if (parsed.ec != std::errc{} || parsed.ptr != argument.end()) return run_file(argv[1]);
  const auto name = std::filesystem::current_path() / std::filesystem::path(argv[0]).filename();
  (name.string() + ".input").copy(kept_as.data(), kept_as.size() - 1);
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTERM}) std::signal(signal, keep_input);
  const auto seeds = cppc::fuzz::seeds();
  for (const Bytes& seed : seeds) run(seed);
  Mutator mutator(seeds);
  for (int i = 0; i < runs; ++i) run(mutator.next());
  std::printf("%zu seeds and %d inputs made from them\n", seeds.size(), runs);
  return EXIT_SUCCESS;
}
