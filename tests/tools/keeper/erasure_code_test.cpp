/// Parities that keepers make of images of others, and images that are rebuilt from what is left.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>

#include "encode.hpp"
#include "nodes.hpp"
#include "rebuild.hpp"

namespace cppc::keeper {
namespace {

using namespace std::chrono_literals;

constexpr int kImages = 3, kRows = 2;
const auto always = [] { return true; };

/// Three images on nodes of their own, and nodes for two parities.
class ErasureCodeTest : public testing::Test {
 protected:
  ErasureCodeTest() {
    for (int i = 0; i < kImages + kRows; ++i) nodes_.push_back(std::make_unique<Node>(peers_));
  }
  Node& node(int piece) { return *nodes_[static_cast<std::size_t>(piece)]; }
  std::vector<std::string> at(int piece) { return {node(piece).addresses()}; }

  void write(std::uint64_t set, int rank, const Bytes& bytes) {
    ASSERT_TRUE(node(rank).images().add(set, rank, image_of(bytes), /*complete=*/true));
    written_[set].resize(kImages);
    written_[set][static_cast<std::size_t>(rank)] = bytes;
  }
  Member member(std::uint64_t set, int rank) {
    const Bytes& bytes = written_.at(set)[static_cast<std::size_t>(rank)];
    return {{set, rank, bytes.size(), FileHash::of(bytes), true}, at(rank)};
  }
  Encoding encoding(std::uint64_t set, int row) {
    Encoding all{{{}, kRows, row}, {}};
    for (int rank = 0; rank < kImages; ++rank) {
      all.name.ranks.push_back(rank);
      all.members.push_back(member(set, rank));
    }
    return all;
  }
  /// So many bytes have travelled.
  std::uint64_t encode_row(std::uint64_t set, int row) {
    const auto made = encode(peers_, node(kImages + row).images(), encoding(set, row), always);
    EXPECT_TRUE(made) << made.error();
    return made ? *made : 0;
  }
  Bytes parity(std::uint64_t set, int row) {
    const auto found = node(kImages + row).images().find_parity(set, encoding(set, row).name);
    EXPECT_TRUE(found);
    return found ? bytes_of(found->bytes) : Bytes();
  }
  /// By a keeper that has had nothing before.
  Bytes fresh_parity(std::uint64_t set, int row) {
    Node fresh(peers_);
    const Encoding all = encoding(set, row);
    const auto made = encode(peers_, fresh.images(), all, always);
    EXPECT_TRUE(made) << made.error();
    const auto found = fresh.images().find_parity(set, all.name);
    return found ? bytes_of(found->bytes) : Bytes();
  }
  Group group(std::uint64_t set) {
    Group all{{}, kRows, {}};
    for (int rank = 0; rank < kImages; ++rank) all.members.push_back(member(set, rank));
    for (int row = 0; row < kRows; ++row) all.parities.push_back({row, at(kImages + row)});
    return all;
  }
  static void lose(Group& group, int piece) {
    auto& at = piece < kImages ? group.members[static_cast<std::size_t>(piece)].at
                               : group.parities[static_cast<std::size_t>(piece - kImages)].at;
    at.clear();
  }
  void expect_rebuilt(const Group& group, int rank) {
    const auto image = rebuild(peers_, memory_, group, rank);
    ASSERT_TRUE(image) << image.error();
    const std::uint64_t set = group.members.front().label.set;
    EXPECT_EQ(bytes_of(*image), written_.at(set)[static_cast<std::size_t>(rank)]);
  }
  void write_some(std::uint64_t set) {
    write(set, 0, random_bytes(2 * chunk_bytes + 100, 1));
    write(set, 1, random_bytes(5, 2));
    write(set, 2, random_bytes(3 * chunk_bytes, 3));
  }
  void write_and_encode(std::uint64_t set) {
    write_some(set);
    for (int row = 0; row < kRows; ++row) encode_row(set, row);
  }

  const Peers peers_{"the job's key", 1s};
  std::uint64_t free_ = std::uint64_t{1} << 40;
  Reservations memory_{[this] { return free_; }};  // of the node where images are rebuilt
  std::vector<std::unique_ptr<Node>> nodes_;
  std::map<std::uint64_t, std::vector<Bytes>> written_;
};

TEST_F(ErasureCodeTest, AfterEachLossOfAsManyAsThereAreParitiesAllIsThere) {
  write_and_encode(1);
  for (int one = 0; one < kImages + kRows; ++one)
    for (int other = one + 1; other < kImages + kRows; ++other) {
      Group left = group(1);
      lose(left, one);
      lose(left, other);
      for (const int piece : {one, other})
        if (piece < kImages) expect_rebuilt(left, piece);
    }
}

TEST_F(ErasureCodeTest, RandomSizes) {
  std::mt19937 random(4711);
  for (std::uint64_t set = 1; set <= 10; ++set) {
    for (int rank = 0; rank < kImages; ++rank)
      write(set, rank, random_bytes(1 + random() % (2 * chunk_bytes), random()));
    for (int row = 0; row < kRows; ++row) {
      encode_row(set, row);
      EXPECT_EQ(parity(set, row), fresh_parity(set, row)) << "set " << set;
    }
    Group left = group(set);
    lose(left, 0);
    lose(left, 2);
    expect_rebuilt(left, 0);
    expect_rebuilt(left, 2);
  }
}

TEST_F(ErasureCodeTest, OnlyWhatHasChangedTravels) {
  write_and_encode(1);
  write_some(2);
  Bytes changed = written_[2][2];
  changed[chunk_bytes + 17] ^= std::byte{1};
  write(2, 2, changed);
  EXPECT_EQ(encode_row(2, 0), chunk_bytes);
  EXPECT_EQ(parity(2, 0), fresh_parity(2, 0));
  write_some(3);
  write(3, 2, changed);
  EXPECT_EQ(encode_row(3, 0), 0u);
  EXPECT_EQ(parity(3, 0), parity(2, 0));
  EXPECT_EQ(encode_row(3, 0), 0u) << "which is there";
}

TEST_F(ErasureCodeTest, ImagesMayGrowAndShrink) {
  write_and_encode(1);
  write(2, 0, random_bytes(4 * chunk_bytes + 1, 4));
  write(2, 1, random_bytes(chunk_bytes, 5));
  write(2, 2, random_bytes(100, 6));
  write(3, 0, random_bytes(7, 7));
  write(3, 1, random_bytes(chunk_bytes + 9, 8));
  write(3, 2, random_bytes(99, 9));
  for (const std::uint64_t set : {2, 3})
    for (int row = 0; row < kRows; ++row) {
      encode_row(set, row);
      EXPECT_EQ(parity(set, row), fresh_parity(set, row)) << "set " << set;
    }
}

TEST_F(ErasureCodeTest, WhatIsZeroDoesNotTravel) {
  Bytes mostly_zero(3 * chunk_bytes);
  mostly_zero[2 * chunk_bytes] = std::byte{1};
  for (int rank = 0; rank < kImages; ++rank) write(1, rank, mostly_zero);
  EXPECT_EQ(encode_row(1, 0), kImages * chunk_bytes);
  encode_row(1, 1);
  Group left = group(1);
  lose(left, 0);
  lose(left, 1);
  expect_rebuilt(left, 0);
}

/// A rank that has moved: the keeper of its node has none of its earlier images.
TEST_F(ErasureCodeTest, WithoutAnEarlierImageAllIsEncodedAnew) {
  write_and_encode(1);
  write_some(2);
  node(1).images().discard(1);
  EXPECT_GE(encode_row(2, 0), written_[2][0].size() + written_[2][2].size());
  EXPECT_EQ(parity(2, 0), fresh_parity(2, 0));
}

/// An image of the same set and rank, but not the one that the parity was made of.
TEST_F(ErasureCodeTest, AnotherEarlierImageIsNotTakenForIt) {
  write_and_encode(1);
  write_some(2);
  ASSERT_TRUE(node(0).images().add(1, 0, image_of(random_bytes(2 * chunk_bytes + 100, 99)), true));
  encode_row(2, 0);
  EXPECT_EQ(parity(2, 0), fresh_parity(2, 0));
}

TEST_F(ErasureCodeTest, ADamagedParityIsNotedAndAnotherUsed) {
  write_and_encode(1);
  const Encoding all = encoding(1, 0);
  Parity damaged = *node(kImages).images().find_parity(1, all.name);
  Bytes bytes = bytes_of(damaged.bytes);
  bytes[3] ^= std::byte{1};
  damaged.bytes = image_of(bytes);
  ASSERT_TRUE(node(kImages).images().add_parity(1, all.name, damaged, true));
  Group left = group(1);
  lose(left, 0);
  expect_rebuilt(left, 0);
  lose(left, kImages + 1);
  const auto wrong = rebuild(peers_, memory_, left, 0);
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().find("another checksum"), std::string::npos) << wrong.error();
}

TEST_F(ErasureCodeTest, APieceThatIsNotThereIsReplaced) {
  write_and_encode(1);
  node(1).images().discard(1);
  Group left = group(1);
  lose(left, 0);
  expect_rebuilt(left, 0);
  node(kImages).images().discard(1);
  const auto lost = rebuild(peers_, memory_, left, 0);
  ASSERT_FALSE(lost);
  EXPECT_NE(lost.error().find("of 3 pieces that it needs 2 are left"), std::string::npos) << lost.error();
}

/// Which takes connections, and says nothing.
TEST_F(ErasureCodeTest, ASilentKeeperIsAnError) {
  write_and_encode(1);
  const UniqueFd silent(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(bind(silent.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(silent.get(), 10), 0);
  ASSERT_EQ(getsockname(silent.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  const std::string there = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  Encoding all = encoding(1, 0);
  all.members[1].at = {there};
  Node fresh(peers_);
  const auto refused = encode(peers_, fresh.images(), all, always);
  ASSERT_FALSE(refused);
  for (const char* part : {"rank 1", "does not answer"})
    EXPECT_NE(refused.error().find(part), std::string::npos) << refused.error();
  Group left = group(1);
  lose(left, 0);
  left.members[1].at = {there};
  expect_rebuilt(left, 0);
}

TEST_F(ErasureCodeTest, WhatDoesNotFitOrIsNotWantedIsRefused) {
  write_some(1);
  EXPECT_FALSE(encode(peers_, node(kImages).images(), encoding(1, 0), [] { return false; }));
  node(kImages).leave_free(1000);
  const auto refused = encode(peers_, node(kImages).images(), encoding(1, 0), always);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().find("a parity of 0 MB does not fit"), std::string::npos) << refused.error();
}

TEST_F(ErasureCodeTest, ARebuiltImageNeedsMemory) {
  write_and_encode(1);
  Group left = group(1);
  lose(left, 0);
  free_ = 1000;
  const auto refused = rebuild(peers_, memory_, left, 0);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().find("an image of 0 MB does not fit"), std::string::npos) << refused.error();
}

TEST_F(ErasureCodeTest, OfASetThatIsRegroupedOnlyItsGroupsStay) {
  write_and_encode(1);
  const ParityName name = encoding(1, 0).name;
  node(kImages).images().keep_parities(1, {{0, 1, 2}});
  EXPECT_TRUE(node(kImages).images().find_parity(1, name));
  node(kImages).images().keep_parities(1, {{0, 2, 1}, {0, 1}});
  EXPECT_FALSE(node(kImages).images().find_parity(1, name));
}

TEST_F(ErasureCodeTest, StrangersGetNothing) {
  write_and_encode(1);
  const Peers stranger{"another key", 1s};
  Group left = group(1);
  lose(left, 0);
  EXPECT_FALSE(rebuild(stranger, memory_, left, 0));
}

TEST(ParityNameTest, IsReadAsItWasWrittenAndNothingElseIs) {
  const ParityName name{{3, 1, 4}, 2, 1};
  const auto said = [&] { return nlohmann::json::parse(to_json(name).dump()); };
  EXPECT_EQ(parity_name_in(said()), name);
  EXPECT_EQ(text(name), "parity 1 of ranks 3, 1 and 4");
  const auto with = [&](const char* field, const nlohmann::json& value) {
    nlohmann::json object = said();
    object[field] = nlohmann::json::parse(value.dump());
    return parity_name_in(object);
  };
  EXPECT_FALSE(with("row", 2)) << "the rows are 0 and 1";
  EXPECT_FALSE(with("row", -1));
  EXPECT_FALSE(with("rows", 254));
  EXPECT_FALSE(with("rows", "2"));
  EXPECT_FALSE(with("ranks", nlohmann::json::array()));
  EXPECT_FALSE(with("ranks", {1, -2}));
  EXPECT_FALSE(with("ranks", 7));
  EXPECT_FALSE(parity_name_in(nlohmann::json::array()));
}

}  // namespace
}  // namespace cppc::keeper
