#include <spdlog/spdlog.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>

#include "fabric/control.hpp"

namespace cppc::fabric {
namespace {

// An offer as bytes: this, and nothing else.
struct Encoded {
  static constexpr std::uint64_t magic_value = 0x324f524543505043;  // changes with the form

  std::uint64_t magic = magic_value;
  Token token{};
  std::uint64_t node = 0;
  std::uint32_t address_format = 0;
  std::uint32_t rma = 0;
  std::uint64_t provider_bytes = 0;
  std::uint64_t address_bytes = 0;
  std::array<char, 64> provider{};
  std::array<std::byte, longest_address> address{};
};
static_assert(std::is_trivially_copyable_v<Encoded> && sizeof(Encoded) == 376);

}  // namespace

std::vector<std::byte> Offer::encode() const {
  Encoded encoded{.token = token, .node = node, .address_format = address_format, .rma = rma ? 1U : 0U};
  encoded.provider_bytes = std::min(provider.size(), encoded.provider.size());
  encoded.address_bytes = std::min(address.size(), encoded.address.size());
  std::copy_n(provider.begin(), encoded.provider_bytes, encoded.provider.begin());
  std::copy_n(address.begin(), encoded.address_bytes, encoded.address.begin());
  const auto bytes = std::as_bytes(std::span(&encoded, 1));
  return {bytes.begin(), bytes.end()};
}

tl::expected<Offer, cppc_status> Offer::decode(std::span<const std::byte> bytes) {
  Encoded encoded;
  const bool whole = bytes.size() == sizeof encoded;
  if (whole) std::memcpy(&encoded, bytes.data(), sizeof encoded);
  if (!whole || encoded.magic != Encoded::magic_value || encoded.provider_bytes > encoded.provider.size() ||
      encoded.address_bytes > encoded.address.size() || encoded.rma > 1) {
    spdlog::error("{} bytes are not a fabric offer, or one of another version of CPPC Live", bytes.size());
    return tl::unexpected(CPPC_ERR_ARGUMENT);
  }
  return Offer{.provider = std::string(encoded.provider.data(), encoded.provider_bytes),
               .address_format = encoded.address_format,
               .address = {encoded.address.begin(), encoded.address.begin() + encoded.address_bytes},
               .node = encoded.node,
               .rma = encoded.rma != 0,
               .token = encoded.token};
}

std::uint64_t check_of(Control message) {
  message.check = 0;
  return XXH3_64bits(&message, sizeof message);
}

std::uint64_t digest_of(std::uint64_t index, std::uint64_t offset, std::uint64_t bytes) {
  const std::array<std::uint64_t, 3> parts = {index, offset, bytes};
  return XXH3_64bits(parts.data(), sizeof parts);
}

std::uint64_t tag_of(const Token& token, std::uint64_t index) {
  return XXH3_64bits_withSeed(token.data(), token.size(), index) >> 16;
}

}  // namespace cppc::fabric
