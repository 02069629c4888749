/// What travels between two keepers, and what is refused.
#include "peers.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "nodes.hpp"
#include "stream.hpp"

namespace cppc::keeper {
namespace {

class PeersTest : public testing::Test {
 protected:
  PeersTest() {
    auto server = PeerServer::start(peers_, there_);
    EXPECT_TRUE(server) << server.error();
    server_ = std::move(*server);
    there_.begin(1);
    there_.begin(2);
  }
  static Label label(std::uint64_t set, const Held& image) { return {set, 7, image->bytes().size(), image->xxh3()}; }
  Result<std::uint64_t> copy(std::uint64_t set, const Bytes& bytes) {
    const Held image = image_of(bytes);
    auto sent = push(peers_, server_->addresses(), label(set, image), *image, [] { return true; });
    if (sent) {
      const Held arrived = there_.find(set, 7);
      EXPECT_TRUE(arrived != nullptr && Bytes(arrived->bytes().begin(), arrived->bytes().end()) == bytes);
    }
    return sent;
  }
  static Bytes state(std::size_t size) {
    Bytes bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 2654435761u >> 13);
    return bytes;
  }

  const Peers peers_{"the job's key", std::chrono::seconds(5)};
  std::uint64_t free_ = std::uint64_t{1} << 40;
  Images there_{[this] { return free_; }};
  Reservations memory_{[this] { return free_; }};
  std::unique_ptr<PeerServer> server_;
};

TEST_F(PeersTest, OnlyChangedChunksTravel) {
  Bytes bytes = state(5 * chunk_bytes + 100);
  const auto first = copy(1, bytes);
  ASSERT_TRUE(first) << first.error();
  EXPECT_EQ(*first, bytes.size());
  bytes[2 * chunk_bytes + 17] ^= std::byte{1};
  const auto second = copy(2, bytes);
  ASSERT_TRUE(second) << second.error();
  EXPECT_EQ(*second, chunk_bytes);
}

TEST_F(PeersTest, AnImageMayGrowAndShrink) {
  const Bytes bytes = state(3 * chunk_bytes + 100);
  ASSERT_TRUE(copy(1, bytes));
  const auto longer = copy(2, state(4 * chunk_bytes));
  ASSERT_TRUE(longer) << longer.error();
  EXPECT_EQ(*longer, chunk_bytes) << "the one that was the last";
  there_.begin(3);
  const auto shorter = copy(3, state(2 * chunk_bytes + 5));
  ASSERT_TRUE(shorter) << shorter.error();
  EXPECT_EQ(*shorter, 5u);
}

TEST_F(PeersTest, ItIsGotAgain) {
  const Bytes bytes = state(chunk_bytes + 1);
  const Held image = image_of(bytes);
  ASSERT_TRUE(copy(1, bytes));
  const auto got = fetch(peers_, memory_, server_->addresses(), label(1, image));
  ASSERT_TRUE(got) << got.error();
  EXPECT_EQ(Bytes((*got)->bytes().begin(), (*got)->bytes().end()), bytes);
  EXPECT_FALSE(fetch(peers_, memory_, server_->addresses(), label(2, image))) << "which it does not have";
  Label other = label(1, image);
  other.xxh3 ^= 1;
  EXPECT_FALSE(fetch(peers_, memory_, server_->addresses(), other));
  free_ = 1000;
  const auto refused = fetch(peers_, memory_, server_->addresses(), label(1, image));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().find("does not fit"), std::string::npos) << refused.error();
}

TEST_F(PeersTest, WhatIsNotWantedOrDoesNotFitIsRefused) {
  const Held image = image_of(state(chunk_bytes));
  const auto always = [] { return true; };
  EXPECT_FALSE(push(peers_, server_->addresses(), label(9, image), *image, always)) << "a set that nobody has begun";
  EXPECT_FALSE(push(peers_, server_->addresses(), label(1, image), *image, [] { return false; }));
  free_ = 1000;
  const auto refused = push(peers_, server_->addresses(), label(1, image), *image, always);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().find("does not fit"), std::string::npos) << refused.error();
}

TEST_F(PeersTest, StrangersGetNothing) {
  const Bytes bytes = state(100);
  const Held image = image_of(bytes);
  ASSERT_TRUE(copy(1, bytes));
  const Peers stranger{"another key", std::chrono::seconds(5)};
  EXPECT_FALSE(fetch(stranger, memory_, server_->addresses(), label(1, image)));
  EXPECT_FALSE(push(stranger, server_->addresses(), label(2, image), *image, [] { return true; }));
  EXPECT_EQ(there_.find(2, 7), nullptr);
  auto stream = Stream::connect(server_->addresses(), std::chrono::seconds(5));
  ASSERT_TRUE(stream) << stream.error();
  ASSERT_TRUE(stream->receive_line());
  ASSERT_TRUE(stream->send_line({{"what", 3}, {"proof", nullptr}}));
  EXPECT_FALSE(stream->receive_line());
}

}  // namespace
}  // namespace cppc::keeper
