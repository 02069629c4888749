/// One cppc-run with the agents of many nodes, all of them simulated, as is mpirun: how many descriptors it needs, and
/// how long it takes to say how the job stands and to plan an evacuation. Its soft limit of descriptors is the usual
/// 1024.
///   --agents N   nodes (2000)
///   --ranks N    ranks of each (32)
#include <arpa/inet.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>

#include "../tools/common/job_directory.hpp"
#include "../tools/common/launch_messages.hpp"
#include "cppc/agent_key.hpp"
#include "cppc/unique_fd.hpp"
#include "cppc/wire.hpp"
#include "figures.hpp"
#include "job.hpp"
#include "job_client.hpp"

namespace {

namespace fs = std::filesystem;
using namespace cppc;

constexpr int kRounds = 5;
constexpr std::uint64_t kBytes = 64'000'000;

[[noreturn]] void give_up(const std::string& what) {
  std::perror(what.c_str());
  std::exit(1);
}

std::string node_name(int agent) {
  return "10.99." + std::to_string(agent / 250) + "." + std::to_string(agent % 250 + 1);
}

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

template <class Address>
UniqueFd connect_to(int family, const Address& address) {
  UniqueFd socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket || ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    give_up("cannot connect to cppc-run");
  return socket;
}

void send_text(const UniqueFd& socket, const std::string& text) {
  if (send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(text.size()))
    give_up("cppc-run does not listen");
}

std::string receive_line(const UniqueFd& socket) {
  std::string line;
  for (char one = 0; recv(socket.get(), &one, 1, 0) == 1 && one != '\n';) line += one;
  return line;
}

/// What cppc-run tells mpirun.
struct Access {
  std::string key, addresses, launch_socket;
};

/// Where the relay is to lead daemons to.
class SimulatedMpirun {
 public:
  SimulatedMpirun() : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    if (bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
        listen(listener_.get(), SOMAXCONN) != 0 ||
        getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
      give_up("cannot listen");
    port_ = ntohs(address.sin_port);
  }
  int port() const { return port_; }
  UniqueFd accept() const { return UniqueFd(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)); }

 private:
  UniqueFd listener_;
  int port_ = 0;
};

/// All that a node has open to cppc-run, and mpirun for it.
struct Node {
  UniqueFd launch_agent, daemon, mpirun, agent;
  std::string roster;
  std::string input;
};

class SimulatedNodes {
 public:
  SimulatedNodes(const Access& access, int agents, int ranks) : access_(access), agents_(agents), ranks_(ranks) {
    for (int agent = 0; agent < agents; ++agent) nodes_.push_back(start(agent));
    thread_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
  }

 private:
  /// As mpirun and the node do it: the launch agent, the daemon, the agent.
  Node start(int agent) const {
    Node node;
    node.launch_agent = connect_to(AF_UNIX, tools::socket_address(access_.launch_socket).value());
    send_text(
        node.launch_agent,
        nlohmann::json{{"node", node_name(agent)}, {"address", "127.0.0.1"}, {"port", mpirun_.port()}}.dump() + "\n");
    const auto answer = nlohmann::json::parse(receive_line(node.launch_agent), nullptr, false);
    if (!answer.is_object() || !answer.contains("port")) give_up("no way to mpirun for " + node_name(agent));
    node.daemon = connect_to(AF_INET, loopback(answer["port"].get<int>()));
    node.mpirun = mpirun_.accept();
    send_text(node.daemon, "x");
    char heard = 0;
    if (recv(node.mpirun.get(), &heard, 1, 0) != 1) give_up("the relay");
    const int port = std::stoi(access_.addresses.substr(access_.addresses.rfind(':') + 1));
    node.agent = connect_to(AF_INET, loopback(port));
    wire::Roster roster{agent, {}, ranks_, 4 * kBytes * static_cast<std::uint64_t>(ranks_)};
    for (int rank = 0; rank < ranks_; ++rank)
      roster.ranks.push_back({agent * ranks_ + rank, 1000 + rank, kBytes, false});
    node.roster = wire::encode(roster);
    send_text(node.agent, wire::encode(wire::Hello{agent_key(access_.key, agent), agent, agents_,
                                                   "node" + std::to_string(agent), 1000, agents_ * ranks_}) +
                              node.roster);
    return node;
  }

  void serve(const std::stop_token& stop) {
    std::vector<pollfd> watched;
    for (const Node& node : nodes_) watched.push_back({node.agent.get(), POLLIN, 0});
    while (!stop.stop_requested()) {
      poll(watched.data(), watched.size(), 100);
      for (std::size_t i = 0; i < watched.size(); ++i) {
        if (watched[i].revents != 0 && !answer(nodes_[i])) watched[i].fd = -1;
      }
    }
  }

  /// Surveys; false when the controller has closed.
  static bool answer(Node& node) {
    std::array<char, 4096> buffer{};
    const ssize_t got = recv(node.agent.get(), buffer.data(), buffer.size(), 0);
    if (got <= 0) return false;
    node.input.append(buffer.data(), static_cast<std::size_t>(got));
    for (auto end = node.input.find('\n'); end != std::string::npos; end = node.input.find('\n')) {
      const auto message = wire::decode(std::string_view(node.input).substr(0, end));
      if (message && std::holds_alternative<wire::Survey>(*message)) send_text(node.agent, node.roster);
      node.input.erase(0, end + 1);
    }
    return true;
  }

  const Access access_;
  const int agents_, ranks_;
  SimulatedMpirun mpirun_;
  std::vector<Node> nodes_;
  std::jthread thread_;
};

/// cppc-run, with a script in place of mpirun, in a directory of its own.
class Job {
 public:
  Job(int agents, int ranks) {
    std::string pattern = "/tmp/cppc-bench-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) give_up(pattern);
    directory_ = pattern;
    std::ofstream hosts(directory_ / "hosts");
    for (int agent = 0; agent < agents; ++agent) hosts << node_name(agent) << " slots=" << ranks << "\n";
    std::ofstream(directory_ / "mpirun") << "#!/bin/sh\necho \"$CPPC_KEY $CPPC_CONTROLLER $CPPC_LAUNCH end\"\n"
                                         << "until test -e " << directory_ / "stop"
                                         << "; do sleep 0.05; done\n";
    fs::permissions(directory_ / "mpirun", fs::perms::owner_all);
    hosts.close();
    const std::string start = "ulimit -Sn 1024; export XDG_RUNTIME_DIR=" + directory_.string() +
                              " PATH=" + directory_.string() + ":$PATH; exec \"$@\"";
    process_.emplace(std::vector<std::string>{"sh", "-c", start, "sh", test::tool("cppc-run"), "--hostfile",
                                              directory_ / "hosts", "-n", std::to_string(agents * ranks),
                                              test::app("heat")});
  }
  ~Job() {
    std::ofstream(directory_ / "stop").flush();
    process_->wait();
    fs::remove_all(directory_);
  }

  Access access() {
    while (process_->running() && process_->output().find(" end\n") == std::string::npos)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    Access access;
    std::istringstream(process_->output()) >> access.key >> access.addresses >> access.launch_socket;
    if (access.launch_socket.empty()) give_up("cppc-run has not started: " + process_->errors());
    return access;
  }
  migrate::JobClient client() const {
    const fs::path sockets = directory_ / "cppc";
    return migrate::JobClient(tools::api_socket(sockets, tools::jobs_in(sockets).at(0)));
  }
  fs::path sockets() const { return directory_ / "cppc"; }
  std::ptrdiff_t descriptors() const {
    const fs::path open = "/proc/" + std::to_string(process_->id()) + "/fd";
    return std::distance(fs::directory_iterator(open), fs::directory_iterator());
  }

 private:
  fs::path directory_;
  std::optional<test::Process> process_;
};

bench::Spread seconds(const std::function<bool()>& work) {
  std::vector<double> times;
  for (int round = 0; round < kRounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    if (!work()) give_up("cppc-run does not answer as it should");
    times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return bench::spread(std::move(times));
}

void raise_limit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

int main(int argc, char** argv) {
  int agents = 2000, ranks = 32;
  CLI::App options{"One cppc-run with many simulated agents."};
  options.add_option("--agents", agents, "nodes")->check(CLI::Range(2, 10000));
  options.add_option("--ranks", ranks, "ranks of each")->check(CLI::Range(1, 256));
  CLI11_PARSE(options, argc, argv);
  raise_limit();
  Job job(agents, ranks);
  const auto began = std::chrono::steady_clock::now();
  const SimulatedNodes nodes(job.access(), agents, ranks);
  const auto client = job.client();
  while (migrate::text(client.job().body, "state") != "running")
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  std::printf("%d agents, %d ranks: all there after %.1f s, %td descriptors in cppc-run\n", agents, agents * ranks,
              std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(), job.descriptors());

  const auto plans = [&](const nlohmann::json& request) {
    return seconds([&] { return client.post_migration(request).status == 200; });
  };
  nlohmann::json half;
  for (int rank = 0; rank < agents * ranks / 2; ++rank) half.push_back(rank);
  nlohmann::json others;
  for (int agent = agents / 2; agent < agents; ++agent) others.push_back(node_name(agent));
  const bench::Spread status = seconds(
      [&] { return migrate::list(client.job().body, "ranks").size() == static_cast<std::size_t>(agents * ranks); });
  const bench::Spread plan = plans({{"evacuate", node_name(1)}, {"dry_run", true}});
  const bench::Spread large = plans({{"ranks", half}, {"to", others}, {"dry_run", true}});
  const bench::Spread command = seconds([&] {
    return test::run({"env", "CPPC_JOB_DIRECTORIES=" + job.sockets().string(), test::tool("migrate"), "status"})
               .status == 0;
  });
  std::printf("%-44s %8s %8s %8s\n", "seconds", "median", "least", "most");
  const auto row = [](const char* what, const bench::Spread& one) {
    std::printf("%-44s %8.3f %8.3f %8.3f\n", what, one.median, one.low, one.high);
  };
  row("status (GET /v1/job)", status);
  row("plan of an evacuation, with all agents asked", plan);
  row("plan of a move of half of the ranks", large);
  row("migrate status", command);
  std::printf(
      "{\"bench\":\"controller\",\"agents\":%d,\"ranks\":%d,\"descriptors\":%td,\"status_s\":%.3f,\"plan_s\":%.3f}\n",
      agents, agents * ranks, job.descriptors(), status.median, plan.median);
}
