// Whole transfers between two processes over loopback and shared memory, for every provider and both ways.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "fabric.hpp"
#include "pattern.hpp"
#include "peer_process.hpp"

namespace {

using Arguments = std::vector<std::string>;

struct Way {
  std::string provider;
  bool tagged = false;
};

std::ostream& operator<<(std::ostream& out, const Way& way) {
  return out << way.provider << (way.tagged ? " tagged" : "");
}

struct Outcome {
  PeerProcess::Result source, target;
};

constexpr std::uint64_t megabyte = 1 << 20;

class Transfer : public testing::TestWithParam<Way> {
 protected:
  static Arguments target_arguments(const std::string& layout, std::uint64_t capacity, const Arguments& more = {}) {
    Arguments arguments = {"target",    "--provider", GetParam().provider,      "--local",
                           "127.0.0.1", "--capacity", std::to_string(capacity), "--layout",
                           layout};
    if (GetParam().tagged) arguments.emplace_back("--tagged");
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  static Arguments source_arguments(const std::string& offer, const std::string& layout, const Arguments& more = {}) {
    Arguments arguments = {"source", "--offer", offer, "--layout", layout};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  static Outcome transfer(const std::string& layout, std::uint64_t capacity, const Arguments& source_more = {},
                          const Arguments& target_more = {}) {
    PeerProcess target(target_arguments(layout, capacity, target_more));
    PeerProcess source(source_arguments(target.offer(), layout, source_more));
    // The source first: a target whose source has died notices by itself.
    Outcome outcome;
    outcome.source = source.wait();
    outcome.target = target.wait();
    return outcome;
  }

  static void expect_arrives(const std::string& layout, std::uint64_t capacity, const Arguments& source_more = {}) {
    const auto outcome = transfer(layout, capacity, source_more);
    std::uint64_t bytes = pattern::head_bytes, zeros = 0;
    for (const auto& range : pattern::parse_layout(layout)) {
      bytes += range.length;
      zeros += range.zero ? range.length / 4096 * 4096 : 0;
    }
    for (const auto* end : {&outcome.source, &outcome.target}) {
      EXPECT_EQ(end->status, CPPC_OK) << end->log;
      EXPECT_EQ(end->bytes, bytes);
      EXPECT_LE(end->sent, bytes - zeros + bytes / 16384 + 64);  // with the maps of what is packed
      EXPECT_EQ(end->again, 0U);
      EXPECT_EQ(end->log, "");
    }
    EXPECT_TRUE(outcome.target.contents_right);
  }
};

TEST_P(Transfer, Nothing) { expect_arrives("", 0); }
TEST_P(Transfer, EmptyExtents) { expect_arrives("0:0,7:0", 64); }
TEST_P(Transfer, OneByte) { expect_arrives("0:1", 1); }
TEST_P(Transfer, OnePage) { expect_arrives("0:4096", 4096); }
TEST_P(Transfer, OneByteMoreThanAChunk) { expect_arrives("0:4194305", 5 * megabyte); }
TEST_P(Transfer, ManyChunks) { expect_arrives("0:67108864", 64 * megabyte); }
TEST_P(Transfer, UnalignedWithGaps) {
  expect_arrives("3:100,103:70000,70103:1,70110:10000001,20000001:33,20000034:0,20000035:65537", 20100000);
}
TEST_P(Transfer, ZerosDoNotTravel) { expect_arrives("0:100,100:67108864z,67108964:5000000", 73 * megabyte); }
TEST_P(Transfer, SmallZerosDoNotTravelEither) {
  std::string layout;
  for (std::uint64_t i = 0; i < 400; ++i)
    layout += std::to_string(i * 16384) + ":8192," + std::to_string(i * 16384 + 8192) + ":8192z,";
  expect_arrives(layout, 7 * megabyte);
}
TEST_P(Transfer, CompressedAllTheWay) {
  const std::string layout = "3:100,1000:20000000s,20001000:1000000,21001000:50000s,21051000:9000000z";
  expect_arrives(layout, 31 * megabyte, {"--compress"});
  const auto outcome = transfer(layout, 31 * megabyte, {"--compress"});
  EXPECT_LT(outcome.source.sent, 2 * megabyte);
  EXPECT_EQ(outcome.source.sent, outcome.target.sent);
}
TEST_P(Transfer, OtherTuning) { expect_arrives("5:1000003", 2 * megabyte, {"--chunk", "4099", "--in-flight", "9"}); }

TEST_P(Transfer, ManySmallExtents) {
  std::string layout;
  for (std::uint64_t i = 0; i < 3000; ++i) layout += std::to_string(i * 41) + ":41,";
  expect_arrives(layout + std::to_string(3000 * 41) + ":5000000", 6 * megabyte);
}

TEST_P(Transfer, StrangerIsRefusedAndTheSourceStillServed) {
  PeerProcess target(target_arguments("0:5000000", 5000000));
  const auto offer = target.offer();
  PeerProcess stranger(source_arguments(offer, "0:5000000", {"--wrong-token"}));
  const auto refused = stranger.wait();
  EXPECT_EQ(refused.status, CPPC_ERR_REFUSED) << refused.log;

  PeerProcess source(source_arguments(offer, "0:5000000"));
  EXPECT_EQ(source.wait().status, CPPC_OK);
  const auto received = target.wait();
  EXPECT_EQ(received.status, CPPC_OK) << received.log;
  EXPECT_TRUE(received.contents_right);
  EXPECT_NE(received.log.find("refused a fabric connection"), std::string::npos) << received.log;
}

TEST_P(Transfer, TargetDies) {
  const auto outcome = transfer("0:67108864", 64 * megabyte, {"--silence-ms", "2000"},
                                {"--silence-ms", "2000", "--die-after", "8000000"});
  EXPECT_TRUE(outcome.target.killed);
  EXPECT_EQ(outcome.source.status, CPPC_ERR_FABRIC) << outcome.source.log;  // and not the deadline
}

TEST_P(Transfer, SourceDies) {
  const auto outcome = transfer("0:67108864", 64 * megabyte, {"--silence-ms", "2000", "--die-after", "8000000"},
                                {"--silence-ms", "2000"});
  EXPECT_TRUE(outcome.source.killed);
  EXPECT_EQ(outcome.target.status, CPPC_ERR_FABRIC) << outcome.target.log;
}

TEST_P(Transfer, TargetCancels) {
  const auto outcome = transfer("0:67108864", 64 * megabyte, {}, {"--cancel-after", "8000000"});
  EXPECT_EQ(outcome.target.status, CPPC_ERR_CANCELLED) << outcome.target.log;
  EXPECT_EQ(outcome.source.status, CPPC_ERR_CANCELLED) << outcome.source.log;
}

TEST_P(Transfer, SourceCancels) {
  const auto outcome = transfer("0:67108864", 64 * megabyte, {"--cancel-after", "8000000"});
  EXPECT_EQ(outcome.source.status, CPPC_ERR_CANCELLED) << outcome.source.log;
  EXPECT_EQ(outcome.target.status, CPPC_ERR_CANCELLED) << outcome.target.log;
}

TEST_P(Transfer, NoSourceByTheDeadline) {
  PeerProcess target(target_arguments("0:1", 1, {"--timeout", "1"}));
  ASSERT_NE(target.offer(), "");
  EXPECT_EQ(target.wait().status, CPPC_ERR_TIMEOUT);
}

TEST_P(Transfer, NoTargetByTheDeadline) {
  std::string offer;
  {
    PeerProcess target(target_arguments("0:1", 1));
    offer = target.offer();
  }  // gone
  PeerProcess source(source_arguments(offer, "0:1", {"--timeout", "1"}));
  EXPECT_EQ(source.wait().status, CPPC_ERR_TIMEOUT);
}

TEST_P(Transfer, TargetThatUnpacksForLongIsNotTakenForDead) {
  // Signs of life come ten times in a silence: nine may be late.
  const auto outcome =
      transfer("0:5000000", 5 * megabyte, {"--silence-ms", "2000"}, {"--silence-ms", "2000", "--unpack-ms", "4500"});
  EXPECT_EQ(outcome.target.status, CPPC_OK) << outcome.target.log;
  EXPECT_EQ(outcome.source.status, CPPC_OK) << outcome.source.log;
  EXPECT_TRUE(outcome.target.contents_right);
}

TEST_P(Transfer, DamagedChunkIsSentAgain) {
  const auto outcome = transfer("9:3000000", 4 * megabyte, {"--lie", "hash-once"});
  EXPECT_EQ(outcome.target.status, CPPC_OK) << outcome.target.log;
  EXPECT_EQ(outcome.source.status, CPPC_OK) << outcome.source.log;
  EXPECT_EQ(outcome.target.again, 1U);
  EXPECT_TRUE(outcome.target.contents_right);
  EXPECT_NE(outcome.target.log.find("3000000 bytes at 9 did not arrive as they were sent"), std::string::npos);
}

TEST_P(Transfer, ChunkThatIsDamagedEachTime) {
  const auto outcome = transfer("9:3000000", 4 * megabyte, {"--lie", "hash"});
  EXPECT_EQ(outcome.target.status, CPPC_ERR_CHECKSUM) << outcome.target.log;
  EXPECT_EQ(outcome.source.status, CPPC_ERR_CHECKSUM) << outcome.source.log;
  EXPECT_NE(outcome.target.log.find("3000000 bytes at 9 did not arrive as they were sent"), std::string::npos);
}

TEST_P(Transfer, MissingChunk) {
  const auto outcome = transfer("9:3000000", 4 * megabyte, {"--lie", "digest"});
  EXPECT_EQ(outcome.target.status, CPPC_ERR_CHECKSUM) << outcome.target.log;
  EXPECT_EQ(outcome.source.status, CPPC_ERR_CHECKSUM) << outcome.source.log;
}

TEST_P(Transfer, ChunkOutsideOfTheImage) {
  const auto outcome = transfer("9:3000000", 4 * megabyte, {"--lie", "place"});
  EXPECT_EQ(outcome.target.status, CPPC_ERR_FABRIC) << outcome.target.log;
  EXPECT_EQ(outcome.source.status, CPPC_ERR_FABRIC) << outcome.source.log;
}

TEST_P(Transfer, ExtentsThatAreNotInOrder) {
  for (const std::string layout : {"0:100,50:10", "100:10,0:10"}) {
    PeerProcess target(target_arguments(layout, 4096));
    PeerProcess source(source_arguments(target.offer(), layout));
    EXPECT_EQ(source.wait().status, CPPC_ERR_ARGUMENT) << layout;
  }
}

TEST_P(Transfer, PlacesThatDoNotFit) {
  const auto expect = [](const std::string& sent, const std::string& expected, cppc_status status) {
    PeerProcess target(target_arguments(expected, 4 * megabyte));
    PeerProcess source(source_arguments(target.offer(), sent));
    EXPECT_EQ(source.wait().status, status) << sent;
    EXPECT_EQ(target.wait().status, status) << expected;
  };
  expect("0:5000", "0:4999", CPPC_ERR_FABRIC);
  expect("0:3000000", "0:2999999", CPPC_ERR_FABRIC);
  expect("0:3000000z", "0:2999999", CPPC_ERR_FABRIC);
  expect("1:5000", "0:5000", CPPC_ERR_FABRIC);
  expect("0:5000", "0:5000,5000:1", CPPC_ERR_CHECKSUM);
  expect("0:5000", "0:10,5:4995", CPPC_ERR_IMAGE);
}

TEST_P(Transfer, NoRoomInTheTarget) {
  const auto outcome = transfer("0:5000000", 5 * megabyte, {}, {"--no-room"});
  EXPECT_EQ(outcome.target.status, CPPC_ERR_MEMORY) << outcome.target.log;
  EXPECT_EQ(outcome.source.status, CPPC_ERR_MEMORY) << outcome.source.log;
}

INSTANTIATE_TEST_SUITE_P(Providers, Transfer,
                         testing::Values(Way{"tcp", false}, Way{"tcp", true}, Way{"net", false}, Way{"net", true},
                                         Way{"shm", false}, Way{"shm", true}),
                         [](const auto& info) {
                           return info.param.provider + (info.param.tagged ? "_tagged" : "_rma");
                         });

}  // namespace
