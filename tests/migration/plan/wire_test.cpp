#include "cppc/wire.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace cppc::wire {
namespace {

template <class T>
T round_trip(const T& message) {
  const std::string line = encode(message);
  EXPECT_EQ(line.back(), '\n');
  EXPECT_EQ(line.find('\n'), line.size() - 1) << "one message is one line";
  const auto decoded = decode(line);
  EXPECT_TRUE(decoded.has_value()) << line;
  EXPECT_TRUE(std::holds_alternative<T>(decoded.value())) << line;
  return std::get<T>(*decoded);
}

TEST(Wire, HelloSurvivesTheRoundTrip) {
  const Hello hello = round_trip(Hello{"se\"cr\net", 2, 3, "node2", 4711, 64, 47993});
  EXPECT_EQ(hello.key, "se\"cr\net");
  EXPECT_EQ(hello.agent, 2);
  EXPECT_EQ(hello.agents, 3);
  EXPECT_EQ(hello.node, "node2");
  EXPECT_EQ(hello.pid, 4711);
  EXPECT_EQ(hello.job_size, 64);
  EXPECT_EQ(hello.mpirun, 47993);
}

TEST(Wire, RosterSurvivesTheRoundTrip) {
  const Roster roster = round_trip(Roster{1, {{5, 100, 1ull << 40, false}, {6, 101, 0, true}}, 8, ~0ull});
  EXPECT_EQ(roster.agent, 1);
  ASSERT_EQ(roster.ranks.size(), 2u);
  EXPECT_EQ(roster.ranks[0].rank, 5);
  EXPECT_EQ(roster.ranks[0].pid, 100);
  EXPECT_EQ(roster.ranks[0].bytes, 1ull << 40);
  EXPECT_FALSE(roster.ranks[0].finished);
  EXPECT_TRUE(roster.ranks[1].finished);
  EXPECT_EQ(roster.cores, 8);
  EXPECT_EQ(roster.memory_free, ~0ull);
}

TEST(Wire, ProgressAndOutcomeSurviveTheRoundTrip) {
  const Progress progress = round_trip(Progress{7, "ship", 10, 20, 3, {{5, 10, 20, 2}}});
  EXPECT_EQ(progress.id, 7u);
  EXPECT_EQ(progress.phase, "ship");
  EXPECT_EQ(progress.bytes_done, 10u);
  EXPECT_EQ(progress.bytes_total, 20u);
  EXPECT_EQ(progress.agent, 3);
  ASSERT_EQ(progress.ranks.size(), 1u);
  EXPECT_EQ(progress.ranks[0].chunks_again, 2u);
  EXPECT_EQ(progress.ranks[0].rank, 5);
  EXPECT_EQ(progress.ranks[0].bytes_total, 20u);
  const Outcome outcome =
      round_trip(Outcome{7, CPPC_ERR_CHECKSUM, "rank 5: wrong bytes", 1.5, 2.5, 3.5, 4.5, 99, {0.5, 6.5}});
  EXPECT_EQ(outcome.id, 7u);
  EXPECT_EQ(outcome.status, CPPC_ERR_CHECKSUM);
  EXPECT_EQ(outcome.reason, "rank 5: wrong bytes");
  EXPECT_EQ(outcome.frozen_ms, 1.5);
  EXPECT_EQ(outcome.response_ms, 2.5);
  EXPECT_EQ(outcome.evacuation_ms, 3.5);
  EXPECT_EQ(outcome.rebuild_ms, 4.5);
  EXPECT_EQ(outcome.image_bytes, 99u);
  EXPECT_EQ(outcome.downtime_ms, (std::vector<double>{0.5, 6.5}));
}

TEST(Wire, OrdersSurviveTheRoundTrip) {
  const Order order = round_trip(Order{9, {{5, 2}, {6, 0}}, {1}, 2.5, {0, 2}});
  EXPECT_EQ(order.id, 9u);
  ASSERT_EQ(order.moves.size(), 2u);
  EXPECT_EQ(order.moves[0].rank, 5);
  EXPECT_EQ(order.moves[0].to, 2);
  EXPECT_EQ(order.retire, std::vector<int>{1});
  EXPECT_EQ(order.timeout_s, 2.5);
  EXPECT_EQ(order.agents, (std::vector<int>{0, 2}));
  EXPECT_EQ(round_trip(Abandon{12}).id, 12u);
  EXPECT_EQ(round_trip(Abandoned{12, 2}).agent, 2);
  const MpiFailed failed = round_trip(MpiFailed{13, 2, "MPI_Test"});
  EXPECT_EQ(failed.id, 13u);
  EXPECT_EQ(failed.agent, 2);
  EXPECT_EQ(failed.reason, "MPI_Test");
  const Late late = round_trip(Late{14, 2, "rank 3 has not come by a safe point"});
  EXPECT_EQ(late.id, 14u);
  EXPECT_EQ(late.agent, 2);
  EXPECT_EQ(late.reason, "rank 3 has not come by a safe point");
  EXPECT_EQ(round_trip(Order{.id = 1, .agents = {1, 0}, .without_mpi = {0}}).without_mpi, std::vector<int>{0});
  EXPECT_TRUE(round_trip(Order{.id = 1, .checkpoint = "/dir", .stands = true}).stands);
  EXPECT_TRUE(round_trip(Proceed{.id = 1, .leaves = true}).leaves);
  const Substitute substitute = round_trip(Substitute{"secret", 2, 3});
  EXPECT_EQ(substitute.key, "secret");
  EXPECT_EQ(substitute.agent, 2);
  EXPECT_EQ(substitute.count, 3);
  EXPECT_EQ(round_trip(Placement{{0, 0, 1}}).agent_of, (std::vector<int>{0, 0, 1}));
  const Relay relay = round_trip(Relay{.id = 3, .from = 1, .to = 2, .tag = 70, .bytes = {0, 255}});
  EXPECT_EQ(relay.id, 3u);
  EXPECT_EQ(relay.from, 1);
  EXPECT_EQ(relay.to, 2);
  EXPECT_EQ(relay.tag, 70);
  EXPECT_EQ(relay.bytes, (std::vector<int>{0, 255}));
  EXPECT_EQ(round_trip(Cancel{9}).id, 9u);
  EXPECT_EQ(round_trip(Commit{10}).id, 10u);
  EXPECT_EQ(round_trip(Ready{11, 3}).agent, 3);
  EXPECT_EQ(round_trip(Farewell{3}).agent, 3);
  EXPECT_EQ(round_trip(RemoveRemains{{1, 65535}}).mpiruns, (std::vector<int>{1, 65535}));
  round_trip(Survey{});
  round_trip(Quit{});
  round_trip(End{});
}

TEST(Wire, TextThatIsNotUtf8DoesNotCostTheMessage) {
  const Outcome outcome = round_trip(Outcome{1, CPPC_ERR_SYSTEM, "bad \xff name"});
  EXPECT_EQ(outcome.status, CPPC_ERR_SYSTEM);
  EXPECT_EQ(outcome.reason, "bad \xEF\xBF\xBD name");
}

TEST(Wire, AnUnknownFieldIsIgnored) { EXPECT_TRUE(decode(R"({"type":"cancel","id":1,"later":true})").has_value()); }

class WireRefuses : public testing::TestWithParam<const char*> {};

TEST_P(WireRefuses, Line) {
  const auto decoded = decode(GetParam());
  ASSERT_FALSE(decoded.has_value());
  EXPECT_EQ(decoded.error(), CPPC_ERR_ARGUMENT);
}

INSTANTIATE_TEST_SUITE_P(Malformed, WireRefuses,
                         testing::Values("", "\n", "{", "[]", "null", "7", "\"cancel\"", "{}", R"({"id":1})",
                                         R"({"type":7,"id":1})", R"({"type":"nonsense","id":1})",
                                         R"({"type":"cancel"})", R"({"type":"cancel","id":1} x)",
                                         R"({"type":"cancel","id":1}{"type":"cancel","id":1})"));

INSTANTIATE_TEST_SUITE_P(
    WrongTypesAndBounds, WireRefuses,
    testing::Values(R"({"type":"cancel","id":"1"})", R"({"type":"cancel","id":-1})", R"({"type":"cancel","id":1.5})",
                    R"({"type":"cancel","id":18446744073709551616})", R"({"type":"cancel","id":null})",
                    R"({"type":"progress","id":1,"phase":"lunch","bytes_done":0,"bytes_total":0,"agent":0,"ranks":[]})",
                    R"({"type":"hello","key":"k","agent":3,"agents":3,"node":"n","pid":1,"job_size":1})",
                    R"({"type":"hello","key":"k","agent":0,"agents":2147483648,"node":"n","pid":1,"job_size":1})",
                    R"({"type":"order","id":1,"moves":{},"retire":[],"timeout_s":1})",
                    R"({"type":"order","id":1,"moves":[1],"retire":[],"timeout_s":1})",
                    R"({"type":"order","id":1,"moves":[],"retire":["1"],"timeout_s":1})",
                    R"({"type":"order","id":1,"moves":[],"retire":[],"timeout_s":-1})",
                    R"({"type":"order","id":1,"moves":[],"retire":[],"timeout_s":1e999})",
                    R"({"type":"roster","agent":0,"ranks":[{"rank":0,"pid":1,"bytes":0,"finished":0}],"cores":1,)"
                    R"("memory_free":0})",
                    R"({"type":"outcome","id":1,"status":1,"reason":"","frozen_ms":0,"response_ms":0,)"
                    R"("evacuation_ms":0,"rebuild_ms":0,"image_bytes":0,"downtime_ms":[]})",
                    R"({"type":"outcome","id":1,"status":0,"reason":"","frozen_ms":0,"response_ms":0,)"
                    R"("evacuation_ms":0,"rebuild_ms":0,"image_bytes":0,"downtime_ms":[-1]})"));

TEST(Wire, LongReasonIsCutOffAndTooLongOneRefused) {
  EXPECT_EQ(round_trip(Outcome{1, CPPC_OK, std::string(5000, 'x')}).reason, std::string(4096, 'x'));
  EXPECT_TRUE(decode(encode(Outcome{1, CPPC_OK, std::string(5000, '\xff')})).has_value());
  std::string line = encode(Outcome{1, CPPC_OK, "reason"});
  line.replace(line.find("\"reason\":\"") + 10, 6, std::string(20'000, 'x'));
  EXPECT_FALSE(decode(line).has_value());
}

TEST(Wire, AnyCutOffLineIsRefused) {
  const std::string line = encode(Roster{1, {{5, 100, 7, false}}, 8, 9});
  for (std::size_t length = 0; length + 1 < line.size(); ++length) {
    EXPECT_FALSE(decode(std::string_view(line).substr(0, length)).has_value()) << length;
  }
}

}  // namespace
}  // namespace cppc::wire
