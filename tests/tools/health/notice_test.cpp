#include "notice.hpp"

#include <gtest/gtest.h>

namespace cppc::health {
namespace {

const std::string alert =
    R"({"status":"firing","labels":{"alertname":"NodeDiskFailing","cppc":"evacuate","instance":"10.0.0.7:9100","node":"node1","severity":"warning"},
 "annotations":{"summary":"/dev/sda fails its SMART test","deadline_s":"600"},"startsAt":"2026-11-22T19:47:10.893Z","endsAt":"0001-01-01T00:00:00Z","fingerprint":"a029e93f35d1740b"})";

std::string message(const std::string& alerts) {
  return R"({"version":"4","status":"firing","alerts":[)" + alerts + "]}";
}

std::string refusal(const std::string& text) {
  const auto read = notices_in(text);
  return read ? "" : read.error();
}

TEST(Notice, OneOrSeveral) {
  const auto read =
      notices_in(R"({"key":"k","source":"ipmi","node":"node1","reason":"fan","severity":"critical","deadline":90.5})");
  ASSERT_TRUE(read.has_value()) << read.error();
  ASSERT_EQ(read->size(), 1u);
  EXPECT_EQ(read->front().deadline_s, 90.5);
  EXPECT_TRUE(read->front().firing);
  EXPECT_EQ(to_json(read->front())["reason"], "fan");
  const auto two =
      notices_in(R"([{"key":"1","source":"s","node":"a"},{"key":"2","source":"s","node":"b","state":"resolved"}])");
  ASSERT_EQ(two->size(), 2u);
  EXPECT_FALSE((*two)[1].firing);
}

TEST(Notice, SaysWhatIsWrong) {
  EXPECT_EQ(refusal("{"), "the request is not JSON");
  EXPECT_EQ(refusal("7"), "notice 1: a notice has to be a JSON object");
  EXPECT_EQ(refusal(R"({"source":"s","node":"a"})"), "notice 1: the field \"key\" is missing");
  EXPECT_EQ(refusal(R"({"key":"k","source":"s","node":7})"), "notice 1: \"node\" has to be a string");
  EXPECT_EQ(refusal(R"({"key":"k","source":"s","node":"--all"})"), "notice 1: \"--all\" is no name of a node");
  EXPECT_EQ(refusal(R"({"key":"k","source":"s","node":"a;reboot"})"), "notice 1: \"a;reboot\" is no name of a node");
  EXPECT_EQ(refusal(R"([{"key":"k","source":"s","node":"a"},{"key":"k","source":"s","node":"a","state":"on"}])"),
            "notice 2: \"state\" has to be \"firing\" or \"resolved\", and not \"on\"");
  EXPECT_NE(refusal(R"({"key":"k","source":"s","node":"a","deadline":-1})").find("\"deadline\" has to be the seconds"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"key":"k","source":"s","node":"a","deadline":"soon"})").find("\"deadline\""),
            std::string::npos);
  EXPECT_EQ(refusal(R"({"key":"k","source":"s","node":"a","nodes":"b"})"), "notice 1: a notice has no field \"nodes\"");
}

TEST(Notice, ControlCharactersDoNotReachTheLog) {
  const auto read = notices_in("{\"key\":\"k\",\"source\":\"s\",\"node\":\"a\",\"reason\":\"x\\n\\u001b[2Jy\"}");
  EXPECT_EQ(read->front().reason, "x  [2Jy");
}

TEST(Alertmanager, AnAlertIsANotice) {
  const auto read = notices_of_alertmanager(message(alert));
  ASSERT_TRUE(read.has_value()) << read.error();
  const Notice& one = read->front();
  EXPECT_EQ(one.key, "a029e93f35d1740b@2026-11-22T19:47:10.893Z");
  EXPECT_EQ(one.source, "alertmanager");
  EXPECT_EQ(one.node, "node1");
  EXPECT_EQ(one.reason, "/dev/sda fails its SMART test");
  EXPECT_EQ(one.severity, "warning");
  EXPECT_EQ(one.labels.at("cppc"), "evacuate");
  EXPECT_EQ(one.deadline_s, 600);
}

TEST(Alertmanager, EachAlertHasItsOwnState) {
  std::string resolved = alert;
  resolved.replace(resolved.find("firing"), 6, "resolved");
  const auto read = notices_of_alertmanager(message(alert + "," + resolved));
  ASSERT_EQ(read->size(), 2u);
  EXPECT_TRUE((*read)[0].firing);
  EXPECT_FALSE((*read)[1].firing);
}

TEST(Alertmanager, WithoutALabelNodeTheInstancesHostIsTheNode) {
  std::string other = alert;
  other.replace(other.find("\"node\":\"node1\","), 15, "");
  EXPECT_EQ(notices_of_alertmanager(message(other))->front().node, "10.0.0.7");
}

TEST(Alertmanager, OtherVersionsAndWhatIsNoAlertAreRefusedByName) {
  EXPECT_EQ(notices_of_alertmanager("[]").error(), "the request is not a JSON object");
  EXPECT_EQ(notices_of_alertmanager(R"({"version":"5","alerts":[]})").error(),
            "version 5 of Alertmanager's webhook is not known, only 4 is");
  EXPECT_EQ(notices_of_alertmanager(R"({"version":"4","alerts":{}})").error(), "\"alerts\" has to be a list");
  EXPECT_EQ(notices_of_alertmanager(message("7")).error(), "alert 1: an alert is not an object");
  EXPECT_EQ(notices_of_alertmanager(message(R"({"status":"firing"})")).error(),
            "alert 1: the field \"fingerprint\" is missing");
}

}  // namespace
}  // namespace cppc::health
