// One end of the moves that bench-ship times, as a rank of an MPI job of two: rank 0 is the source and says when which
// way is taken, rank 1 the target. Rank 0 prints a line of JSON for every move but the first round's, in which
// connections are made.
#include <mpi.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "connection.hpp"
#include "memory.hpp"
#include "ours.hpp"
#include "paper_way.hpp"
#include "raw_fabric.hpp"
#include "raw_tcp.hpp"

namespace {

using namespace cppc::bench;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t seed = 20130;
constexpr std::size_t kUsualChunk = std::size_t{4} << 20;  // as the bare bytes are usually written

const std::vector<std::string> kWays{"raw-tcp", "raw-fabric", "raw-fabric-small", "paper", "ours"};

struct Settings {
  std::uint64_t megabytes = 64;
  int repeats = 5;
  std::vector<std::string> ways = kWays;
};

struct Link {
  Connection control, data;
};

Result<Link> link_as_source() {
  auto listener = Listener::open();
  if (!listener) return tl::unexpected(listener.error());
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  std::array<char, 300> address{};
  std::snprintf(address.data(), address.size(), "%s %u", host.data(), listener->port());
  MPI_Bcast(address.data(), address.size(), MPI_CHAR, 0, MPI_COMM_WORLD);
  auto control = listener->accept();
  if (!control) return tl::unexpected(control.error());
  auto data = listener->accept();
  if (!data) return tl::unexpected(data.error());
  return Link{std::move(*control), std::move(*data)};
}

Result<Link> link_as_target() {
  std::array<char, 300> address{};
  MPI_Bcast(address.data(), address.size(), MPI_CHAR, 0, MPI_COMM_WORLD);
  std::istringstream words(address.data());
  std::string host;
  std::uint16_t port = 0;
  words >> host >> port;
  auto control = Connection::to(host, port);
  if (!control) return tl::unexpected(control.error());
  auto data = Connection::to(host, port);
  if (!data) return tl::unexpected(data.error());
  return Link{std::move(*control), std::move(*data)};
}

// ------------------------------------------------------------------------------------------------------------ source

using Sources = std::map<std::string, std::unique_ptr<Source>>;

Result<nlohmann::json> move(const std::string& way, Source& source, Connection& control) {
  if (auto sent = control.send_message(way); !sent) return tl::unexpected(sent.error());
  const auto message = control.receive_message();
  if (!message) return tl::unexpected(message.error());
  if (auto prepared = source.prepare(*message); !prepared) return tl::unexpected(prepared.error());

  const Growth growth;
  const auto start = Clock::now();
  const auto moved = source.move();
  if (!moved) return tl::unexpected(moved.error());
  if (const auto done = control.receive_message(); !done) return tl::unexpected(done.error());
  const std::chrono::duration<double> elapsed = Clock::now() - start;
  const double extra = growth.megabytes();

  const auto verdict = control.receive_message();
  if (!verdict) return tl::unexpected(verdict.error());
  const auto seen = nlohmann::json::parse(*verdict);
  if (!seen.at("right").get<bool>()) return failure(way + ": the target has something else than the source");
  return nlohmann::json{{"way", way},
                        {"seconds", elapsed.count()},
                        {"build_ms", moved->build_ms},
                        {"bytes", moved->bytes},
                        {"sender_extra_mb", extra},
                        {"receiver_extra_mb", seen.at("extra_mb")}};
}

Result<void> run_source(const Settings& settings, State& state) {
  auto link = link_as_source();
  if (!link) return tl::unexpected(link.error());
  auto& [control, data] = *link;
  state.fill(seed);
  Sources sources;
  sources["raw-tcp"] = std::make_unique<RawTcpSource>(state, data);
  sources["raw-fabric"] = std::make_unique<RawFabricSource>(state, control, kUsualChunk);
  sources["raw-fabric-small"] = std::make_unique<RawFabricSource>(state, control, cppc::fabric::Tuning().chunk_bytes);
  sources["paper"] = std::make_unique<PaperSource>(state, control);
  sources["ours"] = std::make_unique<OurSource>(state);
  for (int round = 0; round <= settings.repeats; ++round) {
    for (const std::string& way : settings.ways) {
      const auto sample = move(way, *sources.at(way), control);
      if (!sample) return failure(way + ": " + sample.error());
      if (round > 0) std::printf("%s\n", sample->dump().c_str()), std::fflush(stdout);
    }
  }
  return control.send_message("end");
}

// ------------------------------------------------------------------------------------------------------------ target

using Targets = std::map<std::string, std::unique_ptr<Target>>;

Result<void> take(Target& target, State& state, Connection& control) {
  const Growth growth;
  const auto message = target.prepare();
  if (!message) return tl::unexpected(message.error());
  if (auto sent = control.send_message(*message); !sent) return sent;
  if (auto received = target.receive(); !received) return received;
  if (auto sent = control.send_message("done"); !sent) return sent;
  const double extra = growth.megabytes();
  const bool right = state.is_filled(seed);
  state.clear();  // so that the next way cannot find there what this one has left
  return control.send_message(nlohmann::json{{"right", right}, {"extra_mb", extra}}.dump());
}

Result<void> run_target(State& state) {
  const auto provider = default_provider();
  if (!provider) return tl::unexpected(provider.error());
  auto link = link_as_target();
  if (!link) return tl::unexpected(link.error());
  auto& [control, data] = *link;
  Targets targets;
  targets["raw-tcp"] = std::make_unique<RawTcpTarget>(state, data);
  targets["raw-fabric"] = std::make_unique<RawFabricTarget>(state, control, *provider);
  targets["raw-fabric-small"] = std::make_unique<RawFabricTarget>(state, control, *provider);
  targets["paper"] = std::make_unique<PaperTarget>(state, control);
  targets["ours"] = std::make_unique<OurTarget>(state, *provider);
  while (true) {
    const auto way = control.receive_message();
    if (!way) return tl::unexpected(way.error());
    if (*way == "end") return {};
    if (auto taken = take(*targets.at(*way), state, control); !taken) return failure(*way + ": " + taken.error());
  }
}

Result<void> run(const Settings& settings, int rank) {
  return State::make(settings.megabytes * 1'000'000).and_then([&](State&& state) {
    return rank == 0 ? run_source(settings, state) : run_target(state);
  });
}

}  // namespace

int main(int argc, char** argv) {
  spdlog::set_default_logger(spdlog::stderr_logger_mt("bench-ship-peer"));
  Settings settings;
  CLI::App app("One end of the moves that bench-ship times; for mpirun -n 2.");
  app.add_option("--megabytes", settings.megabytes, "of state");
  app.add_option("--repeats", settings.repeats, "of every way");
  app.add_option("--ways", settings.ways, "raw-tcp, raw-fabric, raw-fabric-small, paper, ours")
      ->delimiter(',')
      ->check(CLI::IsMember(kWays));
  CLI11_PARSE(app, argc, argv);

  MPI_Init(nullptr, nullptr);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (const auto ran = run(settings, rank); !ran) {
    std::fprintf(stderr, "%s: %s\n", rank == 0 ? "source" : "target", ran.error().c_str());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
