/// Parts of the fabric by themselves: an offer, the head of an image, what has been packed, what has been compressed.
#include <spdlog/spdlog.h>

#include <algorithm>

#include "fabric/compressor.hpp"
#include "fabric/head.hpp"
#include "fabric/packing.hpp"
#include "fuzz.hpp"

namespace {

using namespace cppc::fabric;
using cppc::fuzz::Bytes;
using cppc::fuzz::require;

constexpr std::size_t most = 1 << 16;

enum Part : std::uint8_t { offer, head, packed, compressed, parts };

void try_offer(std::span<const std::byte> bytes) {
  const auto decoded = Offer::decode(bytes);
  if (!decoded) return;
  const auto again = Offer::decode(decoded->encode());
  require(again && again->provider == decoded->provider && again->address == decoded->address);
}

void try_head(std::span<const std::byte> bytes) {
  const auto extents = decode_head(bytes);
  if (!extents) return;
  std::size_t sum = encode_table(*extents).size();
  for (const Extent& extent : *extents) sum += extent.bytes.size();
  require(sum == bytes.size());
}

/// The first two bytes say how much it was before.
void try_packed(std::span<const std::byte> bytes) {
  if (bytes.size() < 2) return;
  const std::size_t before = std::to_integer<std::size_t>(bytes[0]) << 8 | std::to_integer<std::size_t>(bytes[1]);
  const auto runs = unpack(bytes.subspan(2), before);
  if (!runs) return;
  std::size_t end = 0;
  for (const Unpacked& run : *runs) {
    require(run.offset == end && (run.contents.empty() || run.contents.size() == run.bytes));
    end += run.bytes;
  }
  require(end == before);
}

void try_compressed(std::span<const std::byte> bytes) {
  static Compressor compressor;
  const auto restored = compressor.restore(bytes, most);
  require(!restored || restored->size() <= most);
}

}  // namespace

namespace cppc::fuzz {

std::vector<Bytes> seeds() {
  Offer one{.provider = "tcp;ofi_rxm", .address_format = 2, .address = Bytes(16, std::byte{7}), .node = 1, .rma = true};
  one.token.fill(std::byte{9});
  Bytes contents(20'000);
  std::fill_n(contents.begin() + 5000, 6000, std::byte{3});
  const std::vector<Extent> extents{{0, std::span(contents).first(100)}, {4096, std::span(contents).last(30)}};
  Bytes whole_head = encode_table(extents);
  for (const Extent& extent : extents) whole_head.insert(whole_head.end(), extent.bytes.begin(), extent.bytes.end());
  Bytes small(packed_bound(contents.size()));
  const std::vector<std::span<const std::byte>> pieces{contents};
  small.resize(pack(pieces, small));
  Bytes in_packed{static_cast<std::byte>(contents.size() >> 8), static_cast<std::byte>(contents.size())};
  in_packed.insert(in_packed.end(), small.begin(), small.end());
  Compressor compressor;
  Bytes less = contents;
  less.resize(compressor.compress(less).value_or(less.size()));
  return {with(Part::offer, one.encode()), with(Part::head, whole_head), with(Part::packed, in_packed),
          with(Part::compressed, less)};
}

}  // namespace cppc::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  spdlog::set_level(spdlog::level::off);
  if (size == 0) return 0;
  const auto bytes = std::as_bytes(std::span(data, size)).subspan(1);
  constexpr std::array attempts{try_offer, try_head, try_packed, try_compressed};
  static_assert(attempts.size() == parts);
  attempts[data[0] % attempts.size()](bytes);
  return 0;
}
