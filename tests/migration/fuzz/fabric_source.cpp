/// The source of a transfer, with a target that asks for anything.
#include <spdlog/spdlog.h>

#include <algorithm>

#include "fabric/guard.hpp"
#include "fabric/sender.hpp"
#include "fuzz.hpp"
#include "scripted_endpoint.hpp"

namespace {

using namespace cppc::fabric;
using cppc::fabric::fuzz::Step;
using cppc::fuzz::Bytes;
using Kind = Control::Kind;

/// What is sent: some that is large, some that is zero, some that is small.
struct Image {
  Bytes head = Bytes(400, std::byte{3});
  Bytes large = Bytes(200'000, std::byte{5});
  Bytes zeros = Bytes(150'000);
  Bytes small = Bytes(3000, std::byte{7});
  std::vector<Extent> head_extents{{0, std::span(head).first(100)}, {700, std::span(head).last(300)}};
  std::vector<Extent> contents{{1000, large}, {201'000, zeros}, {360'000, small}, {363'000, std::span(small).first(9)}};
};

const Image& image() {
  static const Image one;
  return one;
}

Step welcome(std::uint64_t slots, std::uint64_t bytes) {
  Step step{.message = {.kind = Kind::welcome, .bytes = bytes}};
  step.message.places[0].bytes = slots;
  return step;
}

Step taken(std::uint32_t slot) { return {.message = {.kind = Kind::taken, .slot = slot}}; }

Step places() {
  Step step{.message = {.kind = Kind::place, .count = 2}};
  step.message.places[0] = {.offset = 1000, .bytes = 200'000};
  step.message.places[1] = {.offset = 201'000, .bytes = 150'000};
  return step;
}

Step number(Kind kind, std::uint64_t index) { return {.message = {.kind = kind, .index = index}}; }

Step again(std::uint64_t index, std::uint64_t offset, std::uint64_t bytes, Coding coding) {
  return {.message = {.kind = Kind::again, .index = index, .offset = offset, .bytes = bytes, .coding = coding}};
}

/// The first byte chooses RMA or messages, and whether all is compressed.
Bytes input(std::uint8_t choices, const std::vector<Step>& steps) {
  return cppc::fuzz::with(choices, cppc::fabric::fuzz::script(steps));
}

std::vector<Step> whole_transfer() {
  std::vector<Step> steps{welcome(4, 1 << 20), number(Kind::send, 0), taken(0), places(), number(Kind::ready, 2)};
  for (std::uint32_t i = 1; i < 8; ++i) {
    steps.push_back(number(Kind::send, i));
    steps.push_back(taken(i % 4));
  }
  steps.push_back(again(1, 1000, 65'536, Coding::plain));
  steps.push_back(number(Kind::send, 1));
  steps.push_back(number(Kind::verdict, 0));
  steps.push_back(number(Kind::bye, 0));
  return steps;
}

}  // namespace

namespace cppc::fuzz {

std::vector<Bytes> seeds() {
  std::vector<Bytes> all;
  for (const std::uint8_t choices : {0, 1, 2, 3}) all.push_back(input(choices, whole_transfer()));
  all.push_back(input(1, {welcome(4, 8192), taken(0), taken(1), number(Kind::ready, 0), taken(0), taken(1), taken(2),
                          again(2, 1000, 4096, Coding::packed)}));
  // Other slots than before; what was never sent wanted again.
  all.push_back(
      input(1, {welcome(4, 8192), taken(0), taken(1), welcome(4, 1 << 20), number(Kind::ready, 0), taken(0)}));
  all.push_back(input(1, {again(0, 0, 10, Coding::packed)}));
  all.push_back(input(1, {welcome(4, 8192), taken(0), again(0, 1 << 20, 10, Coding::plain), taken(1)}));
  all.push_back(input(1, {welcome(4, 8192), taken(0), again(0, 0, 1 << 20, Coding::packed), taken(1)}));
  return all;
}

}  // namespace cppc::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  spdlog::set_level(spdlog::level::off);
  if (size == 0) return 0;
  const bool rma = (data[0] & 1) != 0, compress = (data[0] & 2) != 0;
  cppc::fabric::fuzz::play(std::as_bytes(std::span(data, size)).subspan(1),
                           [](std::uint64_t, std::span<const std::byte>) {});
  const auto endpoint = cppc::fabric::fuzz::make_endpoint(rma);
  const Offer offer{.provider = "script", .rma = rma, .token = cppc::fabric::fuzz::token()};
  const Cargo cargo{.head = image().head_extents, .contents = image().contents};
  const TransferLimits limits{.deadline = std::chrono::steady_clock::now() + std::chrono::hours(1), .cancelled = {}};
  const Tuning tuning{
      .chunk_bytes = 64 << 10, .in_flight = 3, .compression = compress ? Compression::on : Compression::off};
  const Progress progress;
  (void)guarded([&]() -> tl::expected<Transferred, cppc_status> {
    return Sender(*endpoint, offer, cargo, limits, progress, tuning).run();
  });
  return 0;
}
