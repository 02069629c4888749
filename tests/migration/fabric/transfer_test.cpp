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
    std::uint64_t bytes = 0, size = 0;
    for (const auto& range : pattern::parse_layout(layout)) {
      bytes += range.length;
      size = std::max(size, range.offset + range.length);
    }
    for (const auto* end : {&outcome.source, &outcome.target}) {
      EXPECT_EQ(end->status, CPPC_OK) << end->log;
      EXPECT_EQ(end->bytes, bytes);
      EXPECT_EQ(end->size, size);
      EXPECT_EQ(end->log, "");
    }
    EXPECT_TRUE(outcome.target.contents_right);
  }
};

TEST_P(Transfer, Nothing) { expect_arrives("", 0); }
TEST_P(Transfer, NothingIntoSomething) { expect_arrives("0:0,7:0", 64); }
TEST_P(Transfer, OneByte) { expect_arrives("0:1", 1); }
TEST_P(Transfer, OnePage) { expect_arrives("0:4096", 4096); }
TEST_P(Transfer, OneByteMoreThanAChunk) { expect_arrives("0:4194305", 5 * megabyte); }
TEST_P(Transfer, ManyChunks) { expect_arrives("0:67108864", 64 * megabyte); }
TEST_P(Transfer, UnalignedWithGaps) {
  expect_arrives("3:100,103:70000,70103:1,70110:10000001,20000001:33,20000034:0,20000035:65537", 20100000);
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
  const auto outcome = transfer("0:67108864", 64 * megabyte, {}, {"--die-after", "8000000"});
  EXPECT_TRUE(outcome.target.killed);
  EXPECT_EQ(outcome.source.status, CPPC_ERR_FABRIC) << outcome.source.log;  // and not the deadline
}

TEST_P(Transfer, SourceDies) {
  const auto outcome = transfer("0:67108864", 64 * megabyte, {"--die-after", "8000000"});
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

TEST_P(Transfer, DamagedChunk) {
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

TEST_P(Transfer, ExtentsThatDoNotFit) {
  for (const std::string layout : {"0:5000", "4000:97", "4097:0", "0:100,50:10", "100:10,0:10"}) {
    PeerProcess target(target_arguments(layout, 4096));
    PeerProcess source(source_arguments(target.offer(), layout));
    EXPECT_EQ(source.wait().status, CPPC_ERR_ARGUMENT) << layout;
  }
}

INSTANTIATE_TEST_SUITE_P(Providers, Transfer,
                         testing::Values(Way{"tcp", false}, Way{"tcp", true}, Way{"net", false}, Way{"net", true},
                                         Way{"shm", false}, Way{"shm", true}),
                         [](const auto& info) {
                           return info.param.provider + (info.param.tagged ? "_tagged" : "_rma");
                         });

}  // namespace
