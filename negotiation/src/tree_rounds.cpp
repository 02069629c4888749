#include <spdlog/spdlog.h>

#include <utility>

#include "cppc/cut_agent.hpp"

namespace cppc::negotiation {
namespace {

/// Of nothing when there is no message; an error when it says nothing.
template <class Message>
tl::expected<std::optional<Message>, cppc_status> decoded(
    const tl::expected<std::optional<Tree::Words>, cppc_status>& words, int from,
    std::optional<Message> (*decode)(std::span<const std::uint64_t>)) {
  if (!words) return tl::unexpected(words.error());
  if (!*words) return std::nullopt;
  if (auto message = decode(**words)) return message;
  spdlog::error("agent {}'s message in the agreement on a cut has the wrong length", from);
  return tl::unexpected(CPPC_ERR_MISMATCH);
}

}  // namespace

tl::expected<void, cppc_status> TreeRounds::begin(cut::Report mine) {
  if (runs_) return tl::unexpected(CPPC_ERR_STATE);
  runs_ = true;
  report_sent_ = false;
  sum_ = std::move(mine);
  awaited_ = tree_->children();
  return {};
}

tl::expected<std::optional<cut::Verdict>, cppc_status> TreeRounds::poll(const Evaluation& evaluate) {
  if (!runs_) return tl::unexpected(CPPC_ERR_STATE);
  const auto all_below = gather();
  if (!all_below) return tl::unexpected(all_below.error());
  if (!*all_below) return std::nullopt;
  tl::expected<std::optional<cut::Verdict>, cppc_status> verdict;
  if (tree_->parent() < 0)
    verdict = evaluate(sum_);
  else
    verdict = receive_verdict();
  if (!verdict || !*verdict) return verdict;
  for (const int child : tree_->children())
    if (auto sent = tree_->send(child, encode(**verdict)); !sent) return tl::unexpected(sent.error());
  runs_ = false;
  return verdict;
}

/// Whether the reports of all children are in the sum.
tl::expected<bool, cppc_status> TreeRounds::gather() {
  while (!awaited_.empty()) {
    const int child = awaited_.back();
    const auto report = decoded(tree_->receive(child), child, decode_report);
    if (!report) return tl::unexpected(report.error());
    if (!*report) return false;
    cut::add(sum_, **report);
    awaited_.pop_back();
  }
  return true;
}

tl::expected<std::optional<cut::Verdict>, cppc_status> TreeRounds::receive_verdict() {
  const int parent = tree_->parent();
  if (!report_sent_) {
    if (auto sent = tree_->send(parent, encode(sum_)); !sent) return tl::unexpected(sent.error());
    report_sent_ = true;
  }
  return decoded(tree_->receive(parent), parent, decode_verdict);
}

}  // namespace cppc::negotiation
