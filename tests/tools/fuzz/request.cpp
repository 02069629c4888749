/// What operators ask for, and the plan that is made of it.
#include <algorithm>

#include "api_json.hpp"
#include "fuzz.hpp"

namespace {

using namespace cppc;
using fuzz::require;

/// The first byte says which nodes are up, the second which ranks have finished and how large they are.
plan::Snapshot snapshot(std::uint8_t nodes, std::uint8_t ranks) {
  plan::Snapshot job;
  for (int i = 0; i < 4; ++i) {
    const auto state = static_cast<plan::NodeState>((nodes >> (2 * i) & 3) % 3);
    job.nodes.push_back({"node" + std::to_string(i), state, i + 1, 250'000'000});
  }
  for (int i = 0; i < 6; ++i)
    job.ranks.push_back({i % 4, (ranks & 7U) * 50'000'000ULL, (ranks >> 3) == static_cast<unsigned>(i + 1)});
  return job;
}

void check(const plan::Snapshot& job, const plan::Plan& plan) {
  for (const plan::Move& move : plan.moves) {
    require(move.rank >= 0 && move.rank < static_cast<int>(job.ranks.size()));
    require(move.to >= 0 && move.to < static_cast<int>(job.nodes.size()) && move.to != move.from);
    require(job.nodes[move.to].state == plan::NodeState::up && job.ranks[move.rank].node == move.from);
  }
  const plan::Snapshot after = plan::after(job, plan);
  for (const plan::Move& move : plan.moves) require(after.ranks[move.rank].node == move.to);
}

}  // namespace

namespace cppc::fuzz {

std::vector<Bytes> seeds() {
  std::vector<Bytes> all;
  for (const char* request :
       {R"({"ranks":[5],"to":["node2"]})", R"({"evacuate":"node1"})", R"({"evacuate":"node1","to":["node2","node3"]})",
        R"({"ranks":[0,1,2,3],"to":["node0","node1","node2"],"dry_run":true,"timeout_s":0.5})",
        R"({"ranks":[-1,1e9,2.5],"to":[]})"}) {
    Bytes seed{std::byte{0}, std::byte{1}};
    const Bytes text = bytes_of(request);
    seed.insert(seed.end(), text.begin(), text.end());
    all.push_back(std::move(seed));
  }
  return all;
}

}  // namespace cppc::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string text(cppc::fuzz::text_of(std::as_bytes(std::span(data, size)).subspan(2)));
  const auto request = cppc::run::parse_request(text);
  if (!request) {
    require(!request.error().empty());
    return 0;
  }
  require(request->timeout_s > 0 && request->request.ranks.empty() != request->request.evacuate.empty());
  const plan::Snapshot job = snapshot(data[0], data[1]);
  const auto plan = plan::make_plan(job, request->request);
  if (plan) check(job, *plan);
  return 0;
}
