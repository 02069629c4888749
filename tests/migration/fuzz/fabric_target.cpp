/// The target of a transfer, fed by a source that says and sends anything.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>

#include "fabric/compressor.hpp"
#include "fabric/guard.hpp"
#include "fabric/hash.hpp"
#include "fabric/head.hpp"
#include "fabric/packing.hpp"
#include "fabric/reception.hpp"
#include "fuzz.hpp"
#include "scripted_endpoint.hpp"

namespace {

using namespace cppc::fabric;
using cppc::fabric::fuzz::Step;
using cppc::fuzz::Bytes;
using Kind = Control::Kind;

/// Where the contents belong.
struct Spot {
  std::uint64_t offset;
  std::size_t bytes;
};
constexpr std::array<Spot, 5> spots{{{1000, 70'000}, {71'000, 10}, {71'010, 5000}, {80'000, 65'536}, {200'000, 1}}};
std::array<Bytes, spots.size()> contents;

std::vector<Place> empty_places() {
  std::vector<Place> places;
  for (std::size_t i = 0; i < spots.size(); ++i) {
    contents[i].assign(spots[i].bytes, std::byte{1});
    places.push_back({spots[i].offset, contents[i]});
  }
  return places;
}

/// As a source writes to the places that it was told, and nowhere else.
void land(std::uint64_t offset, std::span<const std::byte> data) {
  for (std::size_t i = 0; i < spots.size(); ++i) {
    const auto& [begin, bytes] = spots[i];
    if (contents[i].empty() || offset < begin || offset - begin >= bytes) continue;
    const std::size_t room = bytes - (offset - begin);
    std::ranges::copy(data.first(std::min(data.size(), room)), contents[i].begin() + static_cast<long>(offset - begin));
  }
}

Bytes head_of_image() {
  const Bytes extent(300, std::byte{5});
  const std::vector<Extent> extents{{0, extent}, {900, std::span(extent).first(20)}};
  Bytes head = encode_table(extents);
  for (const Extent& one : extents) head.insert(head.end(), one.bytes.begin(), one.bytes.end());
  return head;
}

Bytes pack_one(const Bytes& bytes) {
  Bytes packed(packed_bound(bytes.size()));
  const std::vector<std::span<const std::byte>> pieces{bytes};
  packed.resize(pack(pieces, packed));
  return packed;
}

class Source {
 public:
  void hello(std::uint64_t head) { steps_.push_back({.message = {.kind = Kind::hello, .bytes = head, .count = 16}}); }
  void chunk(Coding coding, std::uint64_t offset, std::uint64_t bytes, Bytes data = {}, std::uint8_t flags = 0) {
    steps_.push_back({.flags = flags,
                      .message = {.kind = Kind::chunk,
                                  .index = next_++,
                                  .offset = offset,
                                  .bytes = bytes,
                                  .sent = data.size(),
                                  .coding = coding,
                                  .slot = static_cast<std::uint32_t>(next_ % 4)},
                      .data = std::move(data)});
  }
  void send(Kind kind, std::uint8_t flags = 0) { steps_.push_back({.flags = flags, .message = {.kind = kind}}); }

  /// The first byte chooses RMA or messages.
  [[nodiscard]] Bytes script(bool rma) const { return cppc::fuzz::with(rma, cppc::fabric::fuzz::script(steps_)); }

 private:
  std::vector<Step> steps_;
  std::uint64_t next_ = 0;
};

Source honest() {
  Source source;
  const Bytes head = head_of_image();
  source.hello(head.size());
  source.chunk(Coding::packed, 0, head.size(), pack_one(head));
  source.chunk(Coding::plain, 1000, 2000, Bytes(2000, std::byte{2}));
  source.chunk(Coding::zero, 3000, 68'000);
  Bytes small(5010, std::byte{4});
  source.chunk(Coding::packed, 71'000, small.size(), pack_one(small));
  Bytes less = pack_one(Bytes(65'536, std::byte{8}));
  Compressor compressor;
  less.resize(compressor.compress(less).value());
  source.chunk(Coding::compressed, 80'000, 65'536, less);
  source.chunk(Coding::zero, 200'000, 1);
  return source;
}

}  // namespace

namespace cppc::fuzz {

std::vector<Bytes> seeds() {
  Source good = honest();
  good.send(Kind::done);
  good.send(Kind::bye);
  Source repeats = honest();
  repeats.chunk(Coding::packed, 80'000, 5000, pack_one(Bytes(5000)), Step::wrong_hash);
  repeats.send(Kind::beat);
  repeats.send(Kind::hello, Step::stranger);
  repeats.send(Kind::done, Step::wrong_total);
  repeats.send(Kind::verdict);
  return {good.script(true), good.script(false), repeats.script(true), repeats.script(false)};
}

}  // namespace cppc::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  spdlog::set_level(spdlog::level::off);
  if (size == 0) return 0;
  const bool rma = (data[0] & 1) != 0;
  for (Bytes& one : contents) one.clear();
  cppc::fabric::fuzz::play(std::as_bytes(std::span(data, size)).subspan(1), land);
  const auto endpoint = cppc::fabric::fuzz::make_endpoint(rma);
  const Offer offer{.provider = "script", .rma = rma, .token = cppc::fabric::fuzz::token()};
  const Unpack unpack = [](std::span<const Extent>, const KeepAlive&) { return empty_places(); };
  const TransferLimits limits{.deadline = std::chrono::steady_clock::now() + std::chrono::hours(1), .cancelled = {}};
  std::uint64_t last = 0;
  const Progress progress = [&](const Transferred& so_far, std::uint64_t) { last = so_far.bytes; };
  const auto received = guarded([&]() -> tl::expected<Transferred, cppc_status> {
    return Reception(*endpoint, offer, unpack, limits, progress).run();
  });
  std::size_t all = 0;
  for (const Bytes& one : contents) all += one.size();
  if (received) cppc::fuzz::require(all > 0 && received->bytes >= all && received->bytes == last);
  return 0;
}
