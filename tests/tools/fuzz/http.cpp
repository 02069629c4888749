/// The job's interface for operators: any bytes on its socket, while agents that do as they are told run the job.
#include <spdlog/spdlog.h>
#include <sys/socket.h>

#include <nlohmann/json.hpp>

#include "../../../tools/common/job_directory.hpp"
#include "../running_loop.hpp"
#include "../temporary_directory.hpp"
#include "api.hpp"
#include "cppc/unique_fd.hpp"
#include "fuzz.hpp"
#include "job_events.hpp"

namespace {

using namespace cppc;
using run::Job;

constexpr int agents = 3;
constexpr int inputs_per_job = 64;  // migrations stay in its memory

wire::Roster roster(int agent) {
  wire::Roster one{agent, {}, 2, 8'000'000'000};
  for (const int rank : {agent, agent + agents}) one.ranks.push_back({rank, 100 + rank, 64'000'000, false});
  return one;
}

class Scene {
 public:
  Scene()
      : job_({"job", "./app", {{"node0", 2}, {"node1", 2}, {"node2", 2}}, "node0"}, requests()),
        socket_(directory_.path() + "/job.sock") {
    for (int agent = 0; agent < agents; ++agent) job_.joined({"", agent, agents, "node", 1, 2 * agents});
    for (int agent = 0; agent < agents; ++agent) job_.received(roster(agent));
    api_ = run::Api::serve(loop_.context(), job_, events_.log(), socket_, std::nullopt).value();
  }

  ~Scene() { events_.log().close(); }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  std::string ask(std::string_view request) {
    const auto address = tools::socket_address(socket_).value();
    const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    fuzz::require(connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    while (!request.empty()) {
      const ssize_t sent = send(socket.get(), request.data(), request.size(), MSG_NOSIGNAL);
      if (sent < 0) break;  // it has been answered before its end
      request.remove_prefix(static_cast<std::size_t>(sent));
    }
    shutdown(socket.get(), SHUT_WR);
    std::string answer;
    char buffer[4096];
    for (ssize_t got = 0; (got = recv(socket.get(), buffer, sizeof buffer, 0)) > 0;)
      answer.append(buffer, static_cast<std::size_t>(got));
    return answer;
  }

 private:
  Job::Requests requests() {
    return {.send =
                [this](int agent, const wire::Message& message) {
                  tools::post(loop_.context(), [=, this] { obey(agent, message); });
                },
            .give_up = [](int) {},
            .await_exit = [this](int agent) { tools::post(loop_.context(), [=, this] { job_.retired(agent); }); },
            .dismiss = [] {},
            .drop = [](int) {},
            .end = [] {},
            .over = [](bool) {},
            .complete = [] {}};
  }

  void obey(int agent, const wire::Message& message) {
    if (std::holds_alternative<wire::Survey>(message)) job_.received(roster(agent));
    if (const auto* order = std::get_if<wire::Order>(&message)) {
      if (!order->retire.empty()) retires_ = order->retire.front();
      job_.received(wire::Ready{order->id, agent});
    }
    if (const auto* word = std::get_if<wire::Commit>(&message)) {
      if (agent == retires_) job_.left(agent);
      job_.received(wire::Outcome{.id = word->id});
    }
    if (const auto* word = std::get_if<wire::Cancel>(&message))
      job_.received(wire::Outcome{.id = word->id, .status = CPPC_ERR_CANCELLED, .reason = "cancelled"});
  }

  int retires_ = -1;
  test::TemporaryDirectory directory_;
  Job job_;
  run::JobEvents events_{job_};
  const std::string socket_;
  test::RunningLoop loop_;
  std::unique_ptr<run::Api> api_;
};

std::string post(const std::string& body) {
  return "POST /v1/migrations HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace

namespace cppc::fuzz {

std::vector<Bytes> seeds() {
  const std::string move = R"({"ranks":[1],"to":["node2"]})";
  return {bytes_of("GET /v1/job HTTP/1.1\r\nHost: x\r\n\r\n"),
          bytes_of(post(move)),
          bytes_of(post(R"({"evacuate":"node1","dry_run":true})")),
          bytes_of(post(R"({"evacuate":"node1"})")),
          bytes_of("GET /v1/migrations/1 HTTP/1.1\r\nHost: x\r\nRange: bytes=1-2,4-\r\nAccept-Encoding: gzip\r\n\r\n"),
          bytes_of("DELETE /v1/migrations/1?x=%20y HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
          bytes_of("POST /v1/migrations HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1c\r\n" + move + "\r\n0\r\n\r\n"),
          bytes_of("POST /v1/migrations HTTP/1.1\r\nExpect: 100-continue\r\nContent-Type: multipart/form-data; "
                   "boundary=b\r\nContent-Length: 60\r\n\r\n--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1"
                   "\r\n--b--\r\n"),
          bytes_of("GET /v1/migrations/1/trace HTTP/1.1\r\nHost: x\r\n\r\n"),
          bytes_of("GET /v1/migrations/" + std::string(8000, '7') +
                   " HTTP/1.1\r\nRange: bytes=" + std::string(8000, '1') + "-\r\n\r\n")};
}

}  // namespace cppc::fuzz

/// No search for leaks after each input: a thread of the server may still be at work on it. Memory that grows is found
/// by the limit.
extern "C" int __lsan_is_turned_off() { return 1; }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  spdlog::set_level(spdlog::level::off);
  static std::unique_ptr<Scene> scene;
  static int inputs = 0;
  if (inputs++ % inputs_per_job == 0) {
    scene.reset();
    scene = std::make_unique<Scene>();
  }
  const std::string answer = scene->ask(cppc::fuzz::text_of(std::as_bytes(std::span(data, size))));
  cppc::fuzz::require(answer.empty() || answer.starts_with("HTTP/1.1 "));
  return 0;
}
