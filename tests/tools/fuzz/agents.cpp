/// The controller's port for agents: what comes from them, and from anybody else, on several connections, in turn with
/// what operators ask for. A line of the input is a step: a digit and a line to send on this connection, or p, a digit
/// and what is sent without an end of line, x and a digit: hang up, or an operator's {request}, c and a number
/// (cancel), t (a second has passed), v (a node has vanished), or e (mpirun has ended).
#include <spdlog/spdlog.h>

#include <charconv>

#include "agent_server.hpp"
#include "api_json.hpp"
#include "cppc/agent_key.hpp"
#include "io_thread.hpp"
#include "scene.hpp"

namespace {

using namespace cppc;
using run::Job;

constexpr const char* key = "key";
constexpr int agents = 3;

class Scene {
 public:
  Scene()
      : job_({"job", "./app", {{"node0", 2}, {"node1", 2}, {"node2", 2}}, "node0"}, requests()),
        listener_(fuzz::listener()),
        callers_(listener_.get()),
        server_({{context_, {AF_UNIX, 0}, dup(listener_.get())}, 1}, key, agents,
                {.joined = [this](const wire::Hello& hello) { job_.joined(hello); },
                 .received = [this](const wire::Message& message) { job_.received(message); },
                 .left = [this](int agent) { job_.left(agent); },
                 .gone = [this](int agent, bool clean) { job_.gone(agent, clean); }}) {}

  void play(std::string_view text) {
    const auto lines = fuzz::lines_of(text);
    fuzz::play(context_, lines, [this](std::string_view line) { act(line); });
    (void)run::to_json(job_).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

 private:
  // As the controller does.
  Job::Requests requests() {
    return {.send =
                [this](int agent, const wire::Message& message) {
                  tools::post(context_, [this, agent, message] { server_.send(agent, message); });
                },
            .give_up = [](int) {},
            .await_exit = [this](int agent) { tools::post(context_, [this, agent] { job_.retired(agent); }); },
            .dismiss = [this] { tools::post(context_, [this] { server_.dismiss(); }); },
            .drop = [this](int agent) { tools::post(context_, [this, agent] { server_.drop(agent); }); },
            .end = [] {},
            .over = [](bool) {},
            .complete = [] {}};
  }

  void act(std::string_view line) {
    if (line.empty()) return;
    const std::string_view rest = line.substr(1);
    switch (line.front()) {
      case 'p':
        if (!rest.empty()) callers_.send(rest.front(), rest.substr(1));
        break;
      case 'x':
        if (!rest.empty()) callers_.hang_up(rest.front());
        break;
      case '{':
        if (const auto request = run::parse_request(std::string(line)))
          (void)(request->dry_run ? job_.plan(request->request).has_value()
                                  : job_.submit(request->request, request->timeout_s).has_value());
        break;
      case 'c':
        cancel(rest);
        break;
      case 't':
        job_.tick();
        break;
      case 'v':
        (void)job_.spare(static_cast<int>(rest.size()) % agents);
        break;
      case 'e':
        job_.ended(static_cast<int>(rest.size()));
        break;
      default:
        callers_.send(line.front(), std::string(rest) + '\n');
    }
  }

  void cancel(std::string_view digits) {
    std::uint64_t id = 0;
    std::from_chars(digits.begin(), digits.end(), id);
    (void)job_.cancel(id);
    if (const auto migration = job_.migration(id)) (void)run::to_json(*migration);
  }

  boost::asio::io_context context_;
  Job job_;
  UniqueFd listener_;
  fuzz::Callers callers_;
  run::AgentServer server_;
};

std::string say(int agent, const wire::Message& message) { return std::to_string(agent) + wire::encode(message); }

wire::Roster roster(int agent, bool finished = false) {
  wire::Roster one{agent, {}, 2, 8'000'000'000};
  for (const int rank : {agent, agent + agents}) one.ranks.push_back({rank, 100 + rank, 64'000'000, finished});
  return one;
}

std::string everybody(bool finished = false) {
  std::string text;
  for (int agent = 0; agent < agents; ++agent) {
    if (!finished)
      text +=
          say(agent, wire::Hello{agent_key(key, agent), agent, agents, "node" + std::to_string(agent), 1, 2 * agents});
    text += say(agent, roster(agent, finished));
  }
  return text;
}

std::string promises(std::uint64_t id) {
  std::string text;
  for (int agent = 0; agent < agents; ++agent) text += say(agent, wire::Ready{id, agent});
  return text;
}

}  // namespace

namespace cppc::fuzz {

std::vector<Bytes> seeds() {
  const std::string move = R"({"ranks":[1],"to":["node2"]})" + std::string("\n");
  const std::string evacuate = R"({"evacuate":"node1"})" + std::string("\n");
  const std::string progress = say(0, wire::Progress{1, "ship", 10, 20});
  const std::string good = say(0, wire::Outcome{.id = 1, .image_bytes = 5});
  const std::string bad = say(0, wire::Outcome{.id = 1, .status = CPPC_ERR_LOST, .reason = "lost"});
  return {bytes_of(everybody() + move + progress + promises(1) + good + everybody(true)),
          bytes_of(everybody() + evacuate + move + promises(1) + good + "x1\nt\n" + promises(2) + "c2\n"),
          bytes_of(everybody() + move + "c1\n" + bad + "x2\nt\nt\nt\nt\n"),
          bytes_of(move + everybody() + promises(1) + "x0\nt\nt\nt\nt\ne\n"),
          bytes_of("p0{\"type\":\"hel\np0lo\"}\n3GET / HTTP/1.1\nx3\nt\ne\n")};
}

}  // namespace cppc::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  spdlog::set_level(spdlog::level::off);
  Scene().play(cppc::fuzz::text_of(std::as_bytes(std::span(data, size))));
  return 0;
}
