#include "cppc/agent_tree.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <thread>

namespace cppc::negotiation {
namespace {

/// Above those of the messages that agents send each other about single ranks.
constexpr int kTag = 1 << 30;

tl::expected<void, cppc_status> check(int code, std::string_view doing) {
  if (code == MPI_SUCCESS) return {};
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  PMPI_Error_string(code, text.data(), &length);
  spdlog::error("{} failed among the agents: {}", doing,
                std::string_view(text.data(), static_cast<std::size_t>(length)));
  return tl::unexpected(CPPC_ERR_MPI);
}

}  // namespace

Tree::Tree(int self, int agents, int fan_out) : self_(self), fan_out_(fan_out) {
  const int first = self * fan_out + 1;
  for (int child = first; child < std::min(first + fan_out, agents); ++child) children_.push_back(child);
}

tl::expected<AgentTree, cppc_status> AgentTree::over(MPI_Comm agents, int fan_out) {
  int self = 0;
  int size = 0;
  auto known = check(PMPI_Comm_rank(agents, &self), "MPI_Comm_rank");
  if (known) known = check(PMPI_Comm_size(agents, &size), "MPI_Comm_size");
  if (!known) return tl::unexpected(known.error());
  return AgentTree(agents, self, size, fan_out);
}

AgentTree::~AgentTree() {
  using namespace std::chrono_literals;
  while (!sent_.empty() && forget_sent()) std::this_thread::sleep_for(100us);
}

tl::expected<void, cppc_status> AgentTree::send(int to, Words words) {
  Sent& one = sent_.emplace_back(Sent{.words = std::move(words)});
  const auto begun = check(
      PMPI_Isend(one.words.data(), static_cast<int>(one.words.size()), MPI_UINT64_T, to, kTag, agents_, &one.request),
      "MPI_Isend");
  if (!begun) sent_.pop_back();
  return begun ? forget_sent() : begun;
}

/// What has left.
tl::expected<void, cppc_status> AgentTree::forget_sent() {
  for (auto one = sent_.begin(); one != sent_.end();) {
    int done = 0;
    if (auto tested = check(PMPI_Test(&one->request, &done, MPI_STATUS_IGNORE), "MPI_Test"); !tested) return tested;
    one = done != 0 ? sent_.erase(one) : std::next(one);
  }
  return {};
}

tl::expected<void, cppc_status> AgentTree::progress() {
  if (auto done = forget_sent(); !done) return done;
  for (;;) {
    int there = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    auto done = check(PMPI_Improbe(MPI_ANY_SOURCE, kTag, agents_, &there, &message, &status), "MPI_Improbe");
    if (!done || there == 0) return done;
    int count = 0;
    done = check(PMPI_Get_count(&status, MPI_UINT64_T, &count), "MPI_Get_count");
    Words words(static_cast<std::size_t>(std::max(count, 0)));
    if (done) done = check(PMPI_Mrecv(words.data(), count, MPI_UINT64_T, &message, &status), "MPI_Mrecv");
    if (!done) return done;
    arrived_[status.MPI_SOURCE].push_back(std::move(words));
  }
}

std::optional<Tree::Words> AgentTree::receive(int from) {
  std::deque<Words>& arrived = arrived_[from];
  if (arrived.empty()) return std::nullopt;
  Words words = std::move(arrived.front());
  arrived.pop_front();
  return words;
}

}  // namespace cppc::negotiation
