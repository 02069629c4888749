// Opens, uses and closes both ends of many transfers in one process, and fails if anything is left behind or was
// changed: descriptors, mappings, memory, threads, signal handlers.
//
// fabric_cycles <provider> <cycles>
#include <malloc.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "fabric.hpp"
#include "pattern.hpp"

namespace {

using namespace cppc::fabric;

struct Possessions {
  long descriptors = 0, mappings = 0, threads = 0, kilobytes = 0;
};

long entries_of(const char* directory) {
  return std::distance(std::filesystem::directory_iterator(directory), std::filesystem::directory_iterator());
}

Possessions count() {
  std::ifstream maps("/proc/self/maps");
  Possessions now;
  now.mappings = std::count(std::istreambuf_iterator<char>(maps), {}, '\n');
  now.descriptors = entries_of("/proc/self/fd");
  now.threads = entries_of("/proc/self/task");
  malloc_trim(0);
  long total_pages = 0, resident_pages = 0;
  std::ifstream("/proc/self/statm") >> total_pages >> resident_pages;
  now.kilobytes = resident_pages * (sysconf(_SC_PAGESIZE) / 1024);
  return now;
}

constexpr std::size_t image_bytes = 300'000;

TransferLimits limits() {
  return {.deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1), .cancelled = {}};
}

// One transfer, and an endpoint that was opened in vain. The two ends share a socket for the offer.
bool receive_one(const std::string& provider, int channel) {
  static std::vector<std::byte> buffer(image_bytes);
  const auto unused = Endpoint::open({.provider = provider, .local_address = "127.0.0.1"});
  auto endpoint = Endpoint::open({.provider = provider, .local_address = "127.0.0.1"});
  if (!unused || !endpoint) return false;
  auto receiver = Receiver::prepare(std::move(*endpoint));
  if (!receiver) return false;
  const auto offer = receiver->offer().encode();
  const Unpack unpack = [&](std::span<const Extent>,
                            const KeepAlive&) -> tl::expected<std::vector<Place>, cppc_status> {
    return std::vector<Place>{{0, buffer}};
  };
  return write(channel, offer.data(), offer.size()) == static_cast<ssize_t>(offer.size()) &&
         receiver->receive(unpack, limits()).has_value();
}

bool send_one(int channel) {
  static const auto memory = pattern::make({{0, image_bytes}});
  static const std::vector<Extent> extents = {{.offset = 0, .bytes = memory[0]}};
  std::vector<std::byte> bytes(4096);
  const auto length = read(channel, bytes.data(), bytes.size());
  if (length <= 0) return false;
  const auto offer = Offer::decode(std::span(bytes).first(static_cast<std::size_t>(length)));
  if (!offer) return false;
  const auto unused = Endpoint::open_towards(*offer);
  auto endpoint = Endpoint::open_towards(*offer);
  return unused && endpoint &&
         send(std::move(*endpoint), *offer, {.head = {}, .contents = extents}, limits()).has_value();
}

std::vector<void (*)(int)> signal_handlers() {
  std::vector<void (*)(int)> handlers;
  for (int signal = 1; signal < 32; ++signal) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    handlers.push_back(action.sa_handler);
  }
  return handlers;
}

template <class Cycle>
bool repeat(const std::string& name, int cycles, Cycle cycle) {
  constexpr int warm_up = 10;
  const auto handlers = signal_handlers();
  Possessions before;
  for (int i = 0; i < warm_up + cycles; ++i) {
    if (i == warm_up) before = count();
    if (!cycle()) {
      std::cerr << name << ": cycle " << i << " failed\n";
      return false;
    }
  }
  const auto after = count();
  const bool signals_kept = signal_handlers() == handlers;
  const long kilobytes = after.kilobytes - before.kilobytes;
  std::cout << name << ": after " << cycles << " cycles " << after.descriptors - before.descriptors
            << " more descriptors, " << after.mappings - before.mappings << " more mappings, " << kilobytes
            << " KB more memory, " << after.threads << " thread, signal handlers "
            << (signals_kept ? "kept" : "changed") << std::endl;
  // The allowance is for the allocator's whims; what is leaked in every cycle would exceed it.
  return signals_kept && after.descriptors == before.descriptors && after.mappings <= before.mappings + 2 &&
         after.threads == 1 && kilobytes < cycles * 4L;
}

int run(const std::string& provider, int cycles) {
  std::array<int, 2> channel{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel.data()) != 0) return EXIT_FAILURE;
  const pid_t child = fork();  // before libfabric is used for the first time
  if (child < 0) return EXIT_FAILURE;
  if (child == 0) {
    return repeat("source on " + provider, cycles, [&] { return send_one(channel[0]); }) ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  const bool clean = repeat("target on " + provider, cycles, [&] { return receive_one(provider, channel[1]); });
  int status = 0;
  waitpid(child, &status, 0);
  return clean && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  spdlog::set_default_logger(spdlog::stderr_logger_mt("fabric_cycles"));
  if (argc != 3) {
    std::cerr << "usage: fabric_cycles <provider> <cycles>, such as: fabric_cycles net 100\n";
    return EXIT_FAILURE;
  }
  return run(argv[1], std::atoi(argv[2]));
}
