#include "small_blocks.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <regex>
#include <thread>

#include "../figures.hpp"

namespace cppc::bench {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr int kInOne = 0, kInBlocks = 1;  // ranks

struct Move {
  double milliseconds = 0;
  double image_bytes = 0;
  double source_megabytes = 0, replacement_megabytes = 0;
};

class Run {
 public:
  Run(const test::Cluster& cluster, const std::string& program, long blocks)
      : job_(cluster, {"-H", "node0:2,node1:2", "-n", "2"}, {program, std::to_string(blocks), folder_.file("stop")},
             {"CPPC_LOG=debug"}) {
    job_.await_running();
    const bool began = soon([&] { return job_.process().output().find("working") != std::string::npos; });
    if (!began) give_up("the program does not begin");
  }

  /// To the other node.
  Move move(int rank) {
    const std::size_t before = messages().size();
    const std::string to = job_.node_of(rank) == "node0" ? "node1" : "node0";
    const test::Finished finished = job_.migrate({"--rank", std::to_string(rank), "--to", to});
    if (finished.status != 0) give_up(finished.output + finished.errors);
    std::optional<Move> move;
    if (!soon([&] { return (move = find(messages().substr(before))).has_value(); }))
      give_up("the ranks do not say how a move went");
    return *move;
  }

  void finish() {
    std::ofstream(folder_.file("stop")).flush();
    const test::Finished finished = job_.wait();
    if (finished.status != 0 || finished.output.find("right") == std::string::npos)
      give_up("status " + std::to_string(finished.status) + " in the end");
  }

 private:
  template <class Done>
  static bool soon(Done done) {
    const auto end = Clock::now() + 60s;
    while (!done() && Clock::now() < end) std::this_thread::sleep_for(10ms);
    return done();
  }

  std::string messages() { return job_.process().errors(); }

  static std::optional<Move> find(const std::string& text) {
    static const std::regex sent(R"(image shipped after [0-9.]+ ms, ([0-9.]+) MB)");
    static const std::regex received(R"(([0-9]+) bytes received and restored in ([0-9.]+) ms, ([0-9.]+) MB)");
    std::smatch source, replacement;
    if (!std::regex_search(text, source, sent) || !std::regex_search(text, replacement, received)) return std::nullopt;
    return Move{.milliseconds = std::stod(replacement[2]),
                .image_bytes = std::stod(replacement[1]),
                .source_megabytes = std::stod(source[1]),
                .replacement_megabytes = std::stod(replacement[3])};
  }

  [[noreturn]] void give_up(const std::string& why) {
    std::fprintf(stderr, "small blocks: %s\n%s\n", why.c_str(), messages().c_str());
    std::exit(1);
  }

  test::Folder folder_;
  test::Job job_;
};

}  // namespace

BlockCost measure_small_blocks(const test::Cluster& cluster, const std::string& program, long blocks, int turns) {
  Run run(cluster, program, blocks);
  std::array<std::vector<double>, 4> differences;
  for (int turn = -1; turn < turns; ++turn) {  // the first is for all that is done once
    const Move one = run.move(kInOne);
    const Move many = run.move(kInBlocks);
    if (turn < 0) continue;
    differences[0].push_back((many.milliseconds - one.milliseconds) * 1e6);
    differences[1].push_back(many.image_bytes - one.image_bytes);
    differences[2].push_back((many.source_megabytes - one.source_megabytes) * 1e6);
    differences[3].push_back((many.replacement_megabytes - one.replacement_megabytes) * 1e6);
  }
  run.finish();
  const auto each = [&](int figure) { return spread(differences[figure]).median / static_cast<double>(blocks); };
  return {each(0), each(1), each(2), each(3)};
}

}  // namespace cppc::bench
