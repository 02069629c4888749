/// Logins of browsers, and what they may ask afterwards.
#include "browser_access.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace cppc::tools {
namespace {

using nlohmann::json;

const std::string token = "0123456789abcdef0123456789abcdef";

HttpRequest request(const std::string& method, const std::string& path) {
  HttpRequest one;
  one.method = method;
  one.path = path;
  one.peer = "192.0.2.1";
  return one;
}

HttpRequest login(const std::string& with = token, const std::string& peer = "192.0.2.1") {
  HttpRequest one = request("POST", "/v1/session");
  one.authorization = {"Bearer " + with};
  one.peer = peer;
  return one;
}

std::string header(const HttpAnswer& answer, const std::string& name) {
  for (const auto& [one, value] : answer.headers)
    if (one == name) return value;
  return "";
}

class BrowserAccessTest : public testing::Test {
 protected:
  /// With what a browser that has logged in sends along.
  HttpRequest known(const std::string& method, const std::string& path) {
    const HttpAnswer answer = access_(login()).value();
    const std::string cookie = header(answer, "Set-Cookie");
    HttpRequest one = request(method, path);
    one.cookie = "other=1; " + cookie.substr(0, cookie.find(';'));
    one.csrf_token = json::parse(answer.body)["csrf"];
    return one;
  }
  /// 0: it is read and answered.
  int status(const HttpRequest& head) {
    const auto answer = access_(head);
    return answer ? answer->status : 0;
  }

  BrowserAccess access_{token, {"cppc-run", 4711, true}};
};

TEST_F(BrowserAccessTest, EverybodyGetsThePageAndNothingElse) {
  for (const char* path : {"/", "/page.js", "/page.css", "/icon.svg"}) {
    const HttpAnswer page = access_(request("GET", path)).value();
    EXPECT_EQ(page.status, 200) << path;
    EXPECT_EQ(header(page, "Content-Security-Policy").substr(0, 18), "default-src 'self'");
    EXPECT_EQ(header(page, "X-Content-Type-Options"), "nosniff");
    EXPECT_FALSE(page.body.empty());
  }
  for (const char* path : {"/v1/job", "/v1/events", "/page", "/../page.js", ""})
    EXPECT_EQ(status(request("GET", path)), 401) << path;
  EXPECT_EQ(status(request("POST", "/")), 401);
}

TEST_F(BrowserAccessTest, TheTokenGivesASession) {
  const HttpAnswer answer = access_(login()).value();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(json::parse(answer.body)["server"], "cppc-run");
  const std::string cookie = header(answer, "Set-Cookie");
  EXPECT_EQ(cookie.substr(0, 10), "cppc-4711=");
  EXPECT_NE(cookie.find("; HttpOnly; SameSite=Strict; Secure"), std::string::npos) << cookie;
  EXPECT_EQ(status(known("GET", "/v1/job")), 0);
  EXPECT_EQ(status(known("POST", "/v1/migrations")), 0);
  BrowserAccess plain(token, {"cppc-health", 80, false});
  EXPECT_EQ(header(plain(login()).value(), "Set-Cookie").find("Secure"), std::string::npos);
}

TEST_F(BrowserAccessTest, ACookieAloneIsNotEnough) {
  for (const char* method : {"GET", "POST", "DELETE"}) {
    HttpRequest without = known(method, "/v1/migrations/1");
    HttpRequest other = without, no_cookie = without;
    EXPECT_EQ(status(without), 0);
    without.csrf_token = "";
    other.csrf_token = known(method, "/").csrf_token;
    no_cookie.cookie.replace(no_cookie.cookie.find("4711"), 4, "4712");
    EXPECT_EQ(status(without), 401);
    EXPECT_EQ(status(other), 401) << "of another session";
    EXPECT_EQ(status(no_cookie), 401);
  }
}

TEST_F(BrowserAccessTest, ProgramsShowTheTokenAsBefore) {
  HttpRequest one = request("POST", "/v1/migrations");
  one.authorization = {"Bearer " + token};
  EXPECT_EQ(status(one), 0);
}

TEST_F(BrowserAccessTest, WhoLogsOutIsNotKnownAnyMore) {
  HttpRequest one = known("GET", "/v1/job");
  HttpRequest out = one;
  out.method = "DELETE";
  out.path = "/v1/session";
  EXPECT_EQ(status(out), 200);
  EXPECT_EQ(status(one), 401);
  EXPECT_EQ(status(out), 401);
}

TEST_F(BrowserAccessTest, TenWrongTokensOfAnAddressAreEnough) {
  for (int i = 0; i < 10; ++i) EXPECT_EQ(status(login("wrong")), 401);
  EXPECT_EQ(status(login("wrong")), 429);
  EXPECT_EQ(status(login()), 429) << "the right one, too";
  EXPECT_EQ(status(login(token, "192.0.2.2")), 200);
  HttpRequest program = login();
  program.path = "/v1/job";
  EXPECT_EQ(status(program), 0) << "programs do not log in";
}

TEST(FailedLogins, AreForgottenAfterAMinute) {
  FailedLogins failed;
  const Sessions::Time now{};
  for (int i = 0; i < 10; ++i) failed.add("a", now + std::chrono::seconds(i));
  EXPECT_TRUE(failed.too_many("a", now + std::chrono::seconds(59)));
  EXPECT_FALSE(failed.too_many("a", now + std::chrono::seconds(60)));
}

TEST(Sessions, EndAfterTwelveHoursOrWhenThereAreTooMany) {
  Sessions sessions;
  const Sessions::Time now{};
  const auto first = sessions.open(now);
  EXPECT_TRUE(sessions.is_open(first.id, first.csrf, now + std::chrono::hours(11)));
  EXPECT_FALSE(sessions.is_open("", "", now));
  EXPECT_FALSE(sessions.is_open(first.id, first.csrf, now + std::chrono::hours(12)));
  const auto second = sessions.open(now);
  for (int i = 0; i < 63; ++i) sessions.open(now);
  EXPECT_TRUE(sessions.is_open(second.id, second.csrf, now));
  sessions.open(now);
  EXPECT_FALSE(sessions.is_open(second.id, second.csrf, now));
}

}  // namespace
}  // namespace cppc::tools
