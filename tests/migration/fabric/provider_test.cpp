// Which provider is taken, and what is said when it cannot be had.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "fabric.hpp"
#include "pattern.hpp"
#include "peer_process.hpp"

namespace {

using cppc::fabric::Offer;

PeerProcess::Result refused(const std::string& provider, const std::string& local = "127.0.0.1",
                            const std::vector<std::string>& environment = {}) {
  PeerProcess target({"target", "--provider", provider, "--local", local, "--capacity", "64"}, environment);
  EXPECT_EQ(target.offer(), "");
  return target.wait();
}

std::string taken(const std::string& provider, const std::vector<std::string>& environment = {}) {
  PeerProcess target({"target", "--provider", provider, "--local", "127.0.0.1", "--capacity", "64"}, environment);
  const auto offer = Offer::decode(pattern::from_hex(target.offer()));
  return offer ? offer->provider : "none";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Provider, IsFoundByShortAndByFullName) {
  EXPECT_EQ(taken("net"), "net");
  EXPECT_EQ(taken("net;ofi_rxm"), "net;ofi_rxm");
  EXPECT_EQ(taken("tcp"), "tcp;ofi_rxm");
  EXPECT_EQ(taken("shm"), "shm");
}

TEST(Provider, IsChosenBySetting) {
  EXPECT_EQ(taken("", {"CPPC_FABRIC=tcp"}), "tcp;ofi_rxm");
  EXPECT_EQ(taken("net", {"CPPC_FABRIC=tcp"}), "net");
}

TEST(Provider, BestOfThoseThatLibfabricMayUse) {
  EXPECT_EQ(taken("", {"CPPC_FABRIC=", "FI_PROVIDER=tcp,net,ofi_rxm,shm,sockets,udp"}), "net");
  EXPECT_EQ(taken("", {"CPPC_FABRIC=", "FI_PROVIDER=tcp,ofi_rxm,sockets,udp"}), "tcp;ofi_rxm");
}

TEST(Provider, NoneButUnfitOnes) {
  const auto result = refused("", "127.0.0.1", {"CPPC_FABRIC=", "FI_PROVIDER=sockets,udp"});
  EXPECT_EQ(result.status, CPPC_ERR_FABRIC);
  EXPECT_TRUE(contains(result.log, "no fabric")) << result.log;
}

TEST(Provider, UnknownIsRefusedAndThoseThereAreListed) {
  for (const auto& result : {refused("warp"), refused("", "127.0.0.1", {"CPPC_FABRIC=warp"})}) {
    EXPECT_EQ(result.status, CPPC_ERR_FABRIC);
    EXPECT_TRUE(contains(result.log, "'warp'")) << result.log;
    EXPECT_TRUE(contains(result.log, "tcp;ofi_rxm, net")) << result.log;
    EXPECT_FALSE(contains(result.log, "sockets")) << result.log;
  }
}

TEST(Provider, UnfitIsRefusedByName) {
  for (const std::string provider : {"sockets", "udp", "udp;ofi_rxd"}) {
    const auto result = refused(provider);
    EXPECT_EQ(result.status, CPPC_ERR_FABRIC);
    EXPECT_TRUE(contains(result.log, "'" + provider + "' is too slow or erratic")) << result.log;
  }
}

TEST(Provider, LocalAddressMustBeOfThisNode) {
  const auto result = refused("net", "203.0.113.7");
  EXPECT_EQ(result.status, CPPC_ERR_FABRIC);
  EXPECT_TRUE(contains(result.log, "203.0.113.7")) << result.log;
}

TEST(Provider, LocalAddressMustBeNumeric) { EXPECT_EQ(refused("net", "localhost").status, CPPC_ERR_ARGUMENT); }

TEST(Provider, SharedMemoryOfAnotherNode) {
  PeerProcess target({"target", "--provider", "shm", "--capacity", "64"});
  auto offer = Offer::decode(pattern::from_hex(target.offer()));
  ASSERT_TRUE(offer);
  offer->node ^= 1;
  PeerProcess source({"source", "--offer", pattern::to_hex(offer->encode()), "--layout", "0:1"});
  const auto result = source.wait();
  EXPECT_EQ(result.status, CPPC_ERR_FABRIC);
  EXPECT_TRUE(contains(result.log, "another node")) << result.log;
}

TEST(Provider, OfferOfAProviderThatIsNotHere) {
  PeerProcess target({"target", "--provider", "net", "--local", "127.0.0.1", "--capacity", "64"});
  PeerProcess source({"source", "--offer", target.offer(), "--layout", "0:1"}, {"FI_PROVIDER=tcp,ofi_rxm"});
  const auto result = source.wait();
  EXPECT_EQ(result.status, CPPC_ERR_FABRIC);
  EXPECT_TRUE(contains(result.log, "'net' is not available")) << result.log;
}

}  // namespace
