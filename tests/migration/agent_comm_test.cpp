// What agents tell each other by MPI. Run under mpirun; every process is an agent.

#include "agent/agent_comm.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <numeric>
#include <span>
#include <thread>
#include <vector>

namespace cppc::migration {
namespace {

constexpr int kTag = 9;

int own_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

std::vector<int> everybody() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

AgentComm::Agents among(const std::vector<int>& ranks) {
  const auto self = std::ranges::find(ranks, own_rank()) - ranks.begin();
  return {MPI_COMM_WORLD, ranks, static_cast<int>(self)};
}

TEST(AgentComm, CarriesMessages) {
  AgentComm comm(among(everybody()), kTag + 1, [] {});
  const int next = (comm.rank() + 1) % comm.size();
  const int last = (comm.rank() + comm.size() - 1) % comm.size();
  const std::vector<std::byte> large(1 << 20, std::byte(comm.rank()));
  ASSERT_TRUE(comm.send(next, kTag, large));
  ASSERT_TRUE(comm.send(next, kTag, {}));
  EXPECT_EQ(comm.receive(last, kTag).value(), std::vector<std::byte>(1 << 20, std::byte(last)));
  EXPECT_TRUE(comm.receive(last, kTag)->empty());
  EXPECT_FALSE(comm.poll(last, kTag));
  EXPECT_TRUE(comm.barrier());
}

constexpr auto higher = [](auto one, auto other) { return std::max(one, other); };

TEST(AgentComm, AddsUp) {
  AgentComm comm(among(everybody()), kTag + 1, [] {});
  std::array<std::int64_t, 2> values{comm.rank(), 1};
  ASSERT_TRUE(comm.allreduce(values, std::plus<>()));
  EXPECT_EQ(values[0], comm.size() * (comm.size() - 1) / 2);
  EXPECT_EQ(values[1], comm.size());
  std::array<double, 1> highest{comm.rank() / 2.0};
  ASSERT_TRUE(comm.allreduce(highest, higher));
  EXPECT_EQ(highest[0], (comm.size() - 1) / 2.0);
}

TEST(AgentComm, BarrierReleasesNoAgentBeforeAllHaveArrived) {
  AgentComm comm(among(everybody()), kTag + 1, [] {});
  const auto now = [] { return std::chrono::steady_clock::now().time_since_epoch().count(); };
  for (int late = 0; late < comm.size(); ++late) {
    if (comm.rank() == late) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const auto entered = now();
    ASSERT_TRUE(comm.barrier());
    std::array<std::int64_t, 2> times{entered, -now()};
    ASSERT_TRUE(comm.allreduce(times, higher));
    EXPECT_LE(times[0], -times[1]) << "the last one to come, and the first one to go";
  }
}

// The first of them, who would be the root; then all but two.
TEST(AgentComm, DoesWithoutThoseThatAreGone) {
  std::vector<int> left = everybody();
  const int self = own_rank();
  int tag = kTag + 2;
  while (left.size() > 1) {
    left.erase(left.begin());
    if (self < left.front()) break;
    AgentComm comm(among(left), tag++, [] {});
    EXPECT_EQ(comm.rank(), self - left.front());
    EXPECT_EQ(comm.size(), static_cast<int>(left.size()));
    std::array<std::int64_t, 1> sum{self};
    ASSERT_TRUE(comm.allreduce(sum, std::plus<>()));
    EXPECT_EQ(sum[0], std::accumulate(left.begin(), left.end(), 0));
    ASSERT_TRUE(comm.send(comm.size() - 1, kTag, std::vector<std::byte>(3)));
    for (int from = 0; comm.rank() == comm.size() - 1 && from < comm.size(); ++from)
      EXPECT_EQ(comm.receive(from, kTag)->size(), 3U);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

// What goes by the controller otherwise goes by MPI here, to be relayed.
TEST(AgentComm, ReachesThoseWithoutMpiByWayOfAnother) {
  AgentComm::Agents agents = among(everybody());
  const int last = static_cast<int>(agents.ranks.size()) - 1;
  agents.ranks.back() = -1;
  AgentComm* here = nullptr;
  const auto hear = [&] {
    int there = 0;
    MPI_Status status;
    for (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status); there != 0; there = 0) {
      if (status.MPI_TAG < kTag + 1000) break;  // not relayed
      int size = 0;
      MPI_Get_count(&status, MPI_BYTE, &size);
      AgentComm::Bytes bytes(static_cast<std::size_t>(size));
      MPI_Recv(bytes.data(), size, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      here->deliver(status.MPI_SOURCE, status.MPI_TAG - 1000, std::move(bytes));
    }
  };
  const auto relay = [](int to, int tag, std::span<const std::byte> bytes) {
    return MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to, tag + 1000, MPI_COMM_WORLD) ==
           MPI_SUCCESS;
  };
  AgentComm comm(agents, kTag + 50, hear, relay);
  here = &comm;
  for (int round = 0; round < 10; ++round) {
    std::array<std::int64_t, 1> sum{own_rank() + round};
    ASSERT_TRUE(comm.allreduce(sum, std::plus<>()));
    EXPECT_EQ(sum[0], (last + 1) * (last + 2 * round) / 2);
    if (comm.rank() == last) {
      for (int to = 0; to < last; ++to) ASSERT_TRUE(comm.send(to, kTag, std::vector<std::byte>(2)));
    } else {
      EXPECT_EQ(comm.receive(last, kTag)->size(), 2U);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(AgentComm, WaitsNoLongerThanUntilItIsGivenUp) {
  if (everybody().size() == 1) GTEST_SKIP() << "nobody to wait for";
  if (own_rank() == 0) {  // the others do not come
    int looks = 0;
    AgentComm* waiting = nullptr;
    AgentComm comm(among(everybody()), kTag + 100, [&] {
      if (++looks == 100) waiting->break_off();
    });
    waiting = &comm;
    EXPECT_FALSE(comm.barrier());
    EXPECT_TRUE(comm.broken());
    EXPECT_EQ(comm.error(), "");
    std::array<std::int64_t, 1> value{0};
    EXPECT_FALSE(comm.allreduce(value, std::plus<>()));
    EXPECT_FALSE(comm.send(1, kTag, {}));
    EXPECT_FALSE(comm.receive(1, kTag));
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(AgentComm, MpiErrorIsNotTakenForAgreement) {
  const int size = static_cast<int>(everybody().size());
  std::vector<int> agents = everybody();
  agents.push_back(size);  // there is no such agent
  AgentComm comm(among(agents), kTag + 101, [] {});
  EXPECT_FALSE(comm.send(size, kTag, {}));
  EXPECT_TRUE(comm.broken());
  EXPECT_NE(comm.error().find("MPI_Isend has failed"), std::string::npos) << comm.error();
  std::array<std::int64_t, 1> value{0};
  EXPECT_FALSE(comm.allreduce(value, std::plus<>()));
}

}  // namespace
}  // namespace cppc::migration
