// One end of a transfer, as a process of its own, for fabric_test.
//
// Standard output, a line each: "offer <hex>" (target), "result <status> <bytes> <sent> <again>", and of a target
// that received something "contents right" or "contents wrong". Messages go to standard error.
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "fabric.hpp"
#include "liar.hpp"
#include "pattern.hpp"

namespace {

using namespace cppc::fabric;
using Clock = std::chrono::steady_clock;

struct Settings {
  std::string provider;
  std::string local_address;
  std::string layout;
  std::string offer;
  std::uint64_t capacity = 0;
  std::uint64_t chunk_bytes = Tuning().chunk_bytes;
  std::uint64_t in_flight = Tuning().in_flight;
  std::uint64_t die_after = ~std::uint64_t{0};
  std::uint64_t cancel_after = ~std::uint64_t{0};
  int timeout_s = 120;
  int silence_ms = 10'000;
  int unpack_ms = 0;
  bool tagged = false;
  bool wrong_token = false;
  bool no_room = false;
  bool compress = false;
  std::string lie;
};

std::uint64_t moved = 0;  // bytes

TransferLimits limits_of(const Settings& settings) {
  return {.deadline = Clock::now() + std::chrono::seconds(settings.timeout_s),
          .cancelled = [&settings] { return moved >= settings.cancel_after; },
          .silence = std::chrono::milliseconds(settings.silence_ms)};
}

Progress progress_of(const Settings& settings) {
  return [&settings](const Transferred& so_far, std::uint64_t) {
    moved = so_far.bytes;
    if (so_far.bytes >= settings.die_after) kill(getpid(), SIGKILL);
  };
}

void print_result(const tl::expected<Transferred, cppc_status>& result) {
  const auto transferred = result.value_or(Transferred{});
  std::cout << "result " << (result ? CPPC_OK : result.error()) << ' ' << transferred.bytes << ' ' << transferred.sent
            << ' ' << transferred.again << std::endl;
}

int fail(cppc_status status) {
  print_result(tl::make_unexpected(status));
  return 0;
}

int run_target(const Settings& settings) {
  const auto layout = pattern::parse_layout(settings.layout);
  std::vector<std::byte> buffer(settings.capacity, pattern::untouched);
  auto endpoint =
      Endpoint::open({.provider = settings.provider, .local_address = settings.local_address, .rma = !settings.tagged});
  if (!endpoint) return fail(endpoint.error());
  auto receiver = Receiver::prepare(std::move(*endpoint));
  if (!receiver) return fail(receiver.error());
  std::cout << "offer " << pattern::to_hex(receiver->offer().encode()) << std::endl;

  bool right = true;
  const Unpack unpack = [&](std::span<const Extent> head,
                            const KeepAlive& keep_alive) -> tl::expected<std::vector<Place>, cppc_status> {
    right = pattern::is_head(head);
    if (settings.no_room) return tl::unexpected(CPPC_ERR_MEMORY);
    for (const auto end = Clock::now() + std::chrono::milliseconds(settings.unpack_ms); Clock::now() < end;) {
      if (auto alive = keep_alive(); !alive) return tl::unexpected(alive.error());
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return pattern::places_in(buffer, layout);
  };
  const auto result = receiver->receive(unpack, limits_of(settings), progress_of(settings));
  print_result(result);
  if (result) {
    right = right && pattern::is_right(buffer, layout);
    std::cout << "contents " << (right ? "right" : "wrong") << std::endl;
  }
  return 0;
}

int run_source(const Settings& settings) {
  auto offer = Offer::decode(pattern::from_hex(settings.offer));
  if (!offer) return fail(offer.error());
  if (settings.wrong_token) offer->token[3] ^= std::byte{1};
  auto endpoint = Endpoint::open_towards(*offer);
  if (!endpoint) return fail(endpoint.error());

  const auto layout = pattern::parse_layout(settings.layout);
  const auto memory = pattern::make(layout);
  const auto extents = pattern::extents_of(layout, memory);
  const auto head_memory = pattern::make(pattern::head_layout());
  const auto head = pattern::extents_of(pattern::head_layout(), head_memory);
  const auto limits = limits_of(settings);
  if (!settings.lie.empty()) {
    print_result(tell_lie(std::move(*endpoint), *offer, {.head = head, .contents = extents}, limits, settings.lie));
    return 0;
  }
  const Tuning tuning{.chunk_bytes = settings.chunk_bytes,
                      .in_flight = settings.in_flight,
                      .compression = settings.compress ? Compression::on : Compression::off};
  print_result(
      send(std::move(*endpoint), *offer, {.head = head, .contents = extents}, limits, progress_of(settings), tuning));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  spdlog::set_default_logger(spdlog::stderr_logger_mt("fabric_peer"));
  Settings settings;
  CLI::App app(
      "One end of a fabric transfer, for tests.\n\n"
      "Example: fabric_peer target --provider net --local 127.0.0.1 --capacity 4096 --layout 0:4096\n"
      "         fabric_peer source --offer <hex> --layout 0:4096");
  app.require_subcommand(1);
  auto* target = app.add_subcommand("target", "Make an offer and receive");
  auto* source = app.add_subcommand("source", "Send to the target that made an offer");
  target->add_option("--provider", settings.provider, "libfabric provider");
  target->add_option("--local", settings.local_address, "address to listen on");
  target->add_option("--capacity", settings.capacity, "bytes of the buffer")->required();
  target->add_flag("--no-room", settings.no_room, "give up when the head is there");
  target->add_option("--unpack-ms", settings.unpack_ms, "how long to work on the head");
  target->add_flag("--tagged", settings.tagged, "do not use RMA");
  source->add_option("--offer", settings.offer, "what the target printed")->required();
  source->add_option("--chunk", settings.chunk_bytes, "bytes in one write");
  source->add_option("--in-flight", settings.in_flight, "writes at a time");
  source->add_flag("--compress", settings.compress, "compress all");
  source->add_flag("--wrong-token", settings.wrong_token, "show another token than the offer's");
  source->add_option("--lie", settings.lie, "break the protocol: hash, hash-once, digest, place");
  for (auto* side : {target, source}) {
    side->add_option("--layout", settings.layout, "extents: offset:length,...");
    side->add_option("--timeout", settings.timeout_s, "deadline in seconds");
    side->add_option("--silence-ms", settings.silence_ms, "after which the other side is taken for dead");
    side->add_option("--die-after", settings.die_after, "SIGKILL oneself when this many bytes have moved");
    side->add_option("--cancel-after", settings.cancel_after, "cancel when this many bytes have moved");
  }
  CLI11_PARSE(app, argc, argv);
  return target->parsed() ? run_target(settings) : run_source(settings);
}
