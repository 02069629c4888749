/// The job's interface over the network, with a controller and agents that are not real.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "certificate.hpp"
#include "controller.hpp"
#include "credential.hpp"
#include "fake_agents.hpp"
#include "http_client.hpp"
#include "munged.hpp"
#include "process.hpp"

namespace cppc::run {
namespace {

using nlohmann::json;
using test::Finished;
using test::Process;
using test::Socket;
using Words = std::vector<std::string>;
using Headers = std::vector<std::pair<std::string, std::string>>;
using namespace std::chrono_literals;

const std::string token = "0123456789abcdef0123456789abcdef";

class NetworkTest : public testing::Test {
 protected:
  NetworkTest() { std::filesystem::permissions(token_file_, std::filesystem::perms(0600)); }

  Result<std::unique_ptr<Controller>> try_start(const NetworkAccess& access, const std::string& id = "app-1") const {
    return Controller::start({id, "./app", {{"node0", 2}, {"node1", 2}, {"node2", 2}}, "head", "slurm:17"}, "key",
                             directory_.path(), access);
  }
  std::string refusal(const NetworkAccess& access, const std::string& id = "app-1") const {
    const auto started = try_start(access, id);
    EXPECT_FALSE(started.has_value());
    return started ? "" : started.error();
  }
  NetworkAccess access() const {
    NetworkAccess access;
    access.listen.address = "127.0.0.1";
    access.certificate = own_.certificate;
    access.key = own_.key;
    access.token_file = token_file_;
    return access;
  }
  void start(const NetworkAccess& access) {
    controller_ = try_start(access).value();
    agents_.emplace(controller_->addresses(), "key", std::vector<std::vector<int>>{{0, 1}, {2, 3}, {}});
  }
  int port() const { return controller_->network_port(); }
  std::string url(const std::string& host = "localhost") const {
    return "https://" + host + ":" + std::to_string(port());
  }

  Process start_migrate(const Words& access, const Words& arguments) const {
    Words command{MIGRATE_PROGRAM};
    command.insert(command.end(), access.begin(), access.end());
    command.insert(command.end(), arguments.begin(), arguments.end());
    return Process(command, {"XDG_RUNTIME_DIR=/nonexistent"});
  }
  Words with_token() const { return {"--server", url(), "--ca", own_.certificate, "--token-file", token_file_}; }
  Finished migrate(const Words& access, const Words& arguments) const {
    return start_migrate(access, arguments).wait();
  }
  void await_ranks(const Words& access) const {
    while (json::parse(migrate(access, {"status", "--json"}).output)[0]["state"] != "running")
      std::this_thread::yield();
  }

  // What comes back to a request as it is.
  migrate::HttpReply ask(const std::string& method, const std::string& path, const Headers& headers,
                         const std::string& body = "") const {
    return migrate::ask_by_tls({"127.0.0.1", static_cast<std::uint16_t>(port()), own_.certificate},
                               {method, path, headers, body}, {1min, 1min});
  }
  int status(const std::string& method, const std::string& path, const Headers& headers,
             const std::string& body = "") const {
    return ask(method, path, headers, body).status;
  }
  const Headers bearer_{{"Authorization", "Bearer " + token}};

  test::TemporaryDirectory directory_;
  const test::Certificate own_ = test::make_certificate(directory_, "own", "DNS:localhost,IP:127.0.0.1");
  const std::string token_file_ = directory_.write("token", token + "\n");
  std::unique_ptr<Controller> controller_;
  std::optional<test::FakeAgents> agents_;
};

TEST_F(NetworkTest, WhoKnowsTheTokenMayDoAllThatTheSocketAllows) {
  start(access());
  await_ranks(with_token());
  const Finished status = migrate(with_token(), {"status"});
  EXPECT_EQ(status.status, 0) << status.errors;
  EXPECT_NE(status.output.find("job app-1: ./app, running"), std::string::npos) << status.output;
  const Finished dry_run = migrate(with_token(), {"--evacuate", "node1", "--dry-run"});
  EXPECT_EQ(dry_run.status, 0) << dry_run.errors;
  EXPECT_EQ(dry_run.output, "would move rank 2: node1 -> node2, rank 3: node1 -> node2\n");
  Process command = start_migrate(with_token(), {"--rank", "3", "--to", "node2"});
  agents_->obey(agents_->order());
  const Finished done = command.wait();
  EXPECT_EQ(done.status, 0) << done.errors;
  EXPECT_NE(done.output.find("done in "), std::string::npos) << done.output;
  EXPECT_EQ(migrate(with_token(), {"--rank", "3", "--to", "node2"}).status, 3) << "it is there already";
  EXPECT_EQ(migrate(with_token(), {"status", "--job", "other-2"}).status, 3);
}

TEST_F(NetworkTest, ClientsAreToldAHostThatTheCertificateIsFor) {
  const auto url_with = [&](const std::string& names) {
    NetworkAccess with = access();
    const auto made = test::make_certificate(directory_, "named", names);
    with.certificate = made.certificate, with.key = made.key;
    const auto controller = try_start(with).value();
    const auto url = controller->network_url();
    const std::string port = ":" + std::to_string(controller->network_port());
    return url ? url->substr(0, url->find(port)) : url.error();
  };
  EXPECT_EQ(url_with("DNS:localhost,DNS:head"), "https://head") << "its own name";
  EXPECT_EQ(url_with("DNS:*.site,DNS:login1.site,DNS:x"), "https://login1.site");
  EXPECT_EQ(url_with("IP:127.0.0.1"), "https://127.0.0.1");
  EXPECT_NE(url_with("IP:127.0.0.2").find("names no host"), std::string::npos);
}

TEST_F(NetworkTest, AJobOfSlurmsIsFoundByItsComment) {
  start(access());
  await_ranks(with_token());
  directory_.script("squeue", "case $2 in --jobs=1[78]) echo \"x cppc=" + url() +
                                  "\";; --jobs=19) echo x;; *) echo no such job >&2; exit 1;; esac");
  const auto status = [&](const std::string& job) {
    return Process({"env", "PATH=" + directory_.path() + ":/usr/bin:/bin", MIGRATE_PROGRAM, "status", "--server", job,
                    "--ca", own_.certificate, "--token-file", token_file_})
        .wait();
  };
  const Finished found = status("slurm:17");
  EXPECT_EQ(found.status, 0) << found.errors;
  EXPECT_NE(found.output.find("job app-1: ./app, running"), std::string::npos) << found.output;
  const Finished other = status("slurm:18");
  EXPECT_EQ(other.status, 3) << "the controller is of another job";
  EXPECT_NE(other.errors.find("is not its controller"), std::string::npos) << other.errors;
  EXPECT_NE(status("slurm:19").errors.find("names no controller"), std::string::npos);
  EXPECT_NE(status("slurm:20").errors.find("no such job"), std::string::npos);
  EXPECT_EQ(status("slurm:x").status, 2);
  EXPECT_EQ(status("slurm:").status, 2);
}

TEST_F(NetworkTest, NobodyElseIsToldAnything) {
  start(access());
  const std::string dry_run = R"({"evacuate":"node1","dry_run":true})";
  const std::vector<Headers> wrong{{},
                                   {{"Authorization", ""}},
                                   {{"Authorization", token}},
                                   {{"Authorization", "Bearer"}},
                                   {{"Authorization", "Bearer "}},
                                   {{"Authorization", "Bearer " + token.substr(1)}},
                                   {{"Authorization", "Bearer " + token + "0"}},
                                   {{"Authorization", "Bearer 1" + token.substr(1)}},
                                   {{"Authorization", "Basic " + token}},
                                   {{"Authorization", "MUNGE " + token}},
                                   {{"Authorization", "Bearer x"}, {"Authorization", "Bearer " + token}}};
  for (const Headers& headers : wrong) {
    const auto& shown = headers.empty() ? "nothing" : headers.begin()->second;
    for (const auto& [method, path, body] :
         std::vector<std::tuple<std::string, std::string, std::string>>{{"GET", "/v1/job", ""},
                                                                        {"POST", "/v1/migrations", dry_run},
                                                                        {"DELETE", "/v1/migrations/1", ""},
                                                                        {"GET", "/nothing", ""}}) {
      const auto result = ask(method, path, headers, body);
      EXPECT_EQ(result.status, 401) << shown << result.failure;
      EXPECT_EQ(result.body, "{\"error\":\"unauthorized\"}\n") << shown;
    }
  }
  EXPECT_EQ(status("POST", "/v1/migrations", bearer_, dry_run), 200);
  const std::string other = directory_.write("other", std::string(32, 'x'));
  std::filesystem::permissions(other, std::filesystem::perms(0600));
  const Finished refused = migrate({"--server", url(), "--ca", own_.certificate, "--token-file", other}, {"status"});
  EXPECT_EQ(refused.status, 3);
  EXPECT_EQ(refused.errors, "migrate: " + url() + " does not know you\n");
}

TEST_F(NetworkTest, ClientsTrustNoOtherCertificate) {
  start(access());
  const auto other = test::make_certificate(directory_, "other", "DNS:localhost,IP:127.0.0.1");
  const Finished unknown =
      migrate({"--server", url(), "--ca", other.certificate, "--token-file", token_file_}, {"status"});
  EXPECT_EQ(unknown.status, 1);
  EXPECT_NE(unknown.errors.find("not to be trusted"), std::string::npos) << unknown.errors;
  EXPECT_EQ(migrate({"--server", url(), "--token-file", token_file_}, {"status"}).status, 1) << "the system's";
  controller_.reset();
  const auto elsewhere = test::make_certificate(directory_, "elsewhere", "DNS:login1");
  NetworkAccess as_login1 = access();
  as_login1.certificate = elsewhere.certificate;
  as_login1.key = elsewhere.key;
  start(as_login1);
  const Finished host =
      migrate({"--server", url(), "--ca", elsewhere.certificate, "--token-file", token_file_}, {"status"});
  EXPECT_EQ(host.status, 1);
  EXPECT_NE(host.errors.find("for another host"), std::string::npos) << host.errors;
}

TEST_F(NetworkTest, SpeaksTlsOnly) {
  start(access());
  Socket plain = Socket::connect_tcp(static_cast<std::uint16_t>(port()));
  plain.send("GET /v1/job HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token + "\r\n\r\n");
  EXPECT_EQ(plain.receive(4096).find("HTTP"), std::string::npos);
  const std::string at = "localhost:" + std::to_string(port());
  EXPECT_NE(test::run({"openssl", "s_client", "-connect", at, "-tls1_1", "-cipher", "ALL:@SECLEVEL=0"}).status, 0);
  EXPECT_EQ(test::run({"openssl", "s_client", "-connect", at, "-tls1_2"}).status, 0);
  EXPECT_EQ(migrate({"--server", "http://localhost:1", "--token-file", token_file_}, {"status"}).status, 2);
  EXPECT_EQ(status("GET", "/v1/job", bearer_), 200);
}

TEST_F(NetworkTest, RequestsHaveASize) {
  start(access());
  Headers long_body = bearer_, long_head = bearer_, long_range = bearer_;
  long_body.emplace_back("Content-Length", std::to_string(17 << 20));
  EXPECT_EQ(status("POST", "/v1/migrations", long_body, "x"), 413);
  EXPECT_EQ(status("POST", "/v1/migrations", bearer_, std::string(1'000'000, ' ')), 400) << "read to its end";
  EXPECT_EQ(status("POST", "/v1/migrations", {{"Content-Length", std::to_string(17 << 20)}}, "x"), 401);
  for (int i = 0; i < 10; ++i) long_head.emplace_back("X-More-" + std::to_string(i), std::string(4000, 'x'));
  EXPECT_EQ(status("GET", "/v1/job", long_head), 400);
  EXPECT_EQ(status("GET", "/v1/" + std::string(100'000, 'x'), bearer_), 0);
  std::string ranges = "bytes=0-1";
  while (ranges.size() < 8000) ranges += ",0-1";
  long_range.emplace_back("Range", ranges);
  ask("GET", "/v1/job", long_range);
  EXPECT_EQ(status("GET", "/v1/job", bearer_), 200);
}

// More of them than are served at a time: they are put out after a while. The controller does not wait for others.
TEST_F(NetworkTest, IdleClientsDoNotBlockOthers) {
  start(access());
  std::vector<Socket> silent;
  for (int i = 0; i < 17; ++i) silent.push_back(Socket::connect_tcp(static_cast<std::uint16_t>(port())));
  EXPECT_EQ(status("GET", "/v1/job", bearer_), 200);
  EXPECT_TRUE(silent.front().closed());
  silent.push_back(Socket::connect_tcp(static_cast<std::uint16_t>(port())));
  agents_.reset();
  controller_.reset();
}

TEST_F(NetworkTest, SaysAtTheStartWhatIsWrong) {
  NetworkAccess wrong = access();
  wrong.certificate = directory_.path() + "/none";
  EXPECT_NE(refusal(wrong).find("cannot use the certificate " + wrong.certificate.string()), std::string::npos);
  const auto other = test::make_certificate(directory_, "other", "DNS:localhost");
  wrong = access();
  wrong.key = other.key;
  EXPECT_NE(refusal(wrong).find("cannot use the key " + other.key), std::string::npos) << refusal(wrong);
  std::filesystem::permissions(own_.key, std::filesystem::perms(0644));
  EXPECT_NE(refusal(access()).find("open to everybody"), std::string::npos);
  std::filesystem::permissions(own_.key, std::filesystem::perms(0600));
  std::filesystem::permissions(token_file_, std::filesystem::perms(0644));
  EXPECT_NE(refusal(access()).find("has to have mode 0600"), std::string::npos);
  std::filesystem::permissions(token_file_, std::filesystem::perms(0600));
  wrong = access();
  wrong.listen.address = "192.0.2.1";  // nobody's
  EXPECT_NE(refusal(wrong).find("cannot listen at 192.0.2.1:"), std::string::npos);
  start(access());
  wrong = access();
  wrong.listen.port = static_cast<std::uint16_t>(port());
  EXPECT_NE(refusal(wrong, "app-2").find("cannot listen at 127.0.0.1:"), std::string::npos) << "two jobs at one port";
}

class MungeTest : public NetworkTest {
 protected:
  MungeTest() { setenv(tools::munge_socket_variable, munged_.socket().c_str(), 1); }
  ~MungeTest() override { unsetenv(tools::munge_socket_variable); }

  NetworkAccess access() const {
    NetworkAccess access = NetworkTest::access();
    access.token_file.clear();
    return access;
  }
  Words with_munge() const { return {"--server", url(), "--ca", own_.certificate, "--munge"}; }
  std::string place(const std::string& host = "127.0.0.1") const { return host + ":" + std::to_string(port()); }
  int status_with(const std::string& credential) const {
    return status("GET", "/v1/job", {{"Authorization", "MUNGE " + credential}});
  }
  std::string credential_of_another() const {
    const std::string number = std::to_string(another);
    const Finished made =
        test::run({"setpriv", "--reuid=" + number, "--regid=" + number, "--clear-groups", "munge", "--socket",
                   munged_.socket(), "--string", tools::statement("GET", "/v1/job", place())});
    EXPECT_EQ(made.status, 0) << made.errors;
    return made.output.substr(0, made.output.find('\n'));
  }
  int status_of(const std::string& statement) const { return status_with(tools::make_credential(statement).value()); }

  static constexpr uid_t another = 65534;
  test::Munged munged_;
};

TEST_F(MungeTest, TheJobsOwnerMayAsk) {
  start(access());
  await_ranks(with_munge());
  const Finished dry_run = migrate(with_munge(), {"--rank", "3", "--to", "node2", "--dry-run"});
  EXPECT_EQ(dry_run.status, 0) << dry_run.errors;
  EXPECT_EQ(dry_run.output, "would move rank 3: node1 -> node2\n");
  EXPECT_EQ(status_of(tools::statement("GET", "/v1/job", place())), 200);
}

TEST_F(MungeTest, ACredentialIsGoodForOneRequestToOneServer) {
  start(access());
  const std::string credential = tools::make_credential(tools::statement("GET", "/v1/job", place())).value();
  EXPECT_EQ(status_with(credential), 200);
  EXPECT_EQ(status_with(credential), 401) << "again";
  EXPECT_EQ(status_of(tools::statement("POST", "/v1/job", place())), 401);
  EXPECT_EQ(status_of(tools::statement("GET", "/v1/migrations/1", place())), 401);
  EXPECT_EQ(status_of(tools::statement("GET", "/v1/job", place("login1"))), 401);
  EXPECT_EQ(status_of(tools::statement("GET", "/v1/job", "127.0.0.1:1")), 401);
  EXPECT_EQ(status_of(""), 401) << "of another service";
  EXPECT_EQ(status_with("nonsense"), 401);
  EXPECT_EQ(status("GET", "/v1/job", bearer_), 401);
}

TEST_F(MungeTest, ThereIsNoPage) {
  start(access());
  EXPECT_EQ(status("GET", "/", {}), 401);
  EXPECT_EQ(status("POST", "/v1/session", bearer_), 401);
}

TEST_F(MungeTest, OthersMayNotAsk) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can act for others";
  start(access());
  EXPECT_EQ(status_with(credential_of_another()), 401);
}

TEST_F(MungeTest, OperatorsOfTheSiteMayAsk) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can act for others";
  NetworkAccess open = access();
  open.operators = {another};
  start(open);
  EXPECT_EQ(status_with(credential_of_another()), 200);
}

TEST_F(MungeTest, SaysWhenThereIsNoMunged) {
  setenv(tools::munge_socket_variable, "/nonexistent", 1);
  EXPECT_NE(refusal(access()).find("MUNGE"), std::string::npos);
  const Finished migrate = this->migrate({"--server", "https://localhost:1", "--munge"}, {"status"});
  EXPECT_EQ(migrate.status, 1);
  EXPECT_NE(migrate.errors.find("MUNGE"), std::string::npos) << migrate.errors;
}

}  // namespace
}  // namespace cppc::run
