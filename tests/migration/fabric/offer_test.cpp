// Offers as bytes.
#include <gtest/gtest.h>

#include <algorithm>

#include "fabric.hpp"
#include "fabric/endpoint.hpp"

namespace {

using cppc::fabric::Offer;

Offer some_offer() {
  Offer offer{.provider = "tcp;ofi_rxm",
              .address_format = 2,
              .address = std::vector<std::byte>(16, std::byte{7}),
              .node = 42,
              .rma = true};
  offer.token.fill(std::byte{9});
  return offer;
}

TEST(Offer, ComesBackAsItWas) {
  const auto before = some_offer();
  const auto after = Offer::decode(before.encode());
  ASSERT_TRUE(after);
  EXPECT_EQ(after->provider, before.provider);
  EXPECT_EQ(after->address_format, before.address_format);
  EXPECT_EQ(after->address, before.address);
  EXPECT_EQ(after->node, before.node);
  EXPECT_EQ(after->rma, before.rma);
  EXPECT_EQ(after->token, before.token);
}

TEST(Offer, OfferOfAnotherLengthIsRefused) {
  auto bytes = some_offer().encode();
  bytes.pop_back();
  EXPECT_EQ(Offer::decode(bytes).error(), CPPC_ERR_ARGUMENT);
  bytes.resize(bytes.size() + 2);
  EXPECT_EQ(Offer::decode(bytes).error(), CPPC_ERR_ARGUMENT);
  EXPECT_EQ(Offer::decode({}).error(), CPPC_ERR_ARGUMENT);
}

// Whatever the bytes are, decoding ends well: with an error, or with lengths that they can hold.
TEST(Offer, DamagedAnywhere) {
  const auto bytes = some_offer().encode();
  std::size_t refused = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    auto damaged = bytes;
    damaged[i] ^= std::byte{0xff};
    const auto offer = Offer::decode(damaged);
    if (!offer) {
      EXPECT_EQ(offer.error(), CPPC_ERR_ARGUMENT);
      ++refused;
      continue;
    }
    EXPECT_LE(offer->provider.size() + offer->address.size(), bytes.size());
  }
  // The magic number, the flag, the provider's length, and all but the lowest byte of the address's.
  EXPECT_EQ(refused, 8U + 4U + 8U + 7U);
}

// Whoever sends an address says how long it is; providers take what they need.
TEST(Offer, AnAddressMayBeAnything) {
  for (const std::string provider : {"tcp", "shm"}) {
    auto endpoint = cppc::fabric::Endpoint::open({.provider = provider, .local_address = "127.0.0.1"});
    ASSERT_TRUE(endpoint) << provider;
    for (const std::size_t bytes : {1, 2, 15, 256})
      (void)endpoint->impl().insert(std::vector<std::byte>(bytes, std::byte{'x'}));
    EXPECT_FALSE(endpoint->impl().insert({}));
    EXPECT_FALSE(endpoint->impl().insert(std::vector<std::byte>(257, std::byte{'x'})));
  }
}

}  // namespace
