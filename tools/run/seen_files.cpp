#include "seen_files.hpp"

#include <chrono>
#include <future>

#include "../common/command.hpp"

namespace cppc::run {
namespace {

using tools::CommandOutput;

constexpr std::chrono::seconds timeout{10};
constexpr int unreachable = 255;  // a remote shell's status, and none of the commands here

std::optional<CommandOutput> run_on(std::vector<std::string> way, const std::string& command) {
  way.push_back(command);
  auto output = tools::run_command(way, tools::present_environment(), timeout);
  if (!output || output->status == unreachable) return std::nullopt;
  return *std::move(output);
}

}  // namespace

std::optional<bool> seen_by_another(const WayTo& way_to, const std::vector<AllocatedNode>& nodes,
                                    const std::filesystem::path& file) {
  for (const AllocatedNode& node : nodes) {
    const auto way = way_to(node);
    if (way.empty()) continue;
    const auto output = run_on(way, "test -e " + tools::quoted(file));
    if (output && output->status <= 1) return output->status == 0;
  }
  return std::nullopt;
}

std::vector<std::string> without_same(const WayTo& way_to, const std::vector<AllocatedNode>& nodes,
                                      const std::filesystem::path& file) {
  const std::string command = "cksum < " + tools::quoted(file);
  const auto here = run_on({"/bin/sh", "-c"}, command);
  std::vector<std::future<bool>> futures;
  for (const AllocatedNode& node : nodes)
    futures.push_back(std::async(std::launch::async, [&, way = way_to(node)] {
      const auto there = way.empty() ? std::nullopt : run_on(way, command);
      return there && here && there->output != here->output;
    }));
  std::vector<std::string> without;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (futures[i].get()) without.push_back(nodes[i].name);
  return without;
}

}  // namespace cppc::run
