/// What agents say in the agreement on a cut, as words of a message.
#include <utility>

#include "cppc/cut_agent.hpp"

namespace cppc::negotiation {
namespace {

constexpr std::size_t report_head_words = 8;
constexpr std::size_t standing_words = 4;
constexpr std::size_t withdrawable_words = 6;
constexpr std::size_t wait_words = 2;
constexpr std::size_t verdict_head_words = 6;
constexpr std::size_t target_words = 2;
constexpr std::size_t withdrawal_words = 4;

std::uint64_t pair(std::uint32_t high, std::uint32_t low) { return std::uint64_t{high} << 32 | low; }
std::uint32_t high(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }
std::uint32_t low(std::uint64_t word) { return static_cast<std::uint32_t>(word); }

/// Words that have been received, one after the other.
class Reader {
 public:
  explicit Reader(std::span<const std::uint64_t> words) : words_(words) {}

  std::uint64_t word() {
    const std::uint64_t first = words_.front();
    words_ = words_.subspan(1);
    return first;
  }

  cut::Withdrawal withdrawal() {
    cut::Withdrawal one;
    one.id = word();
    one.number = word();
    one.operation.what = word();
    one.operation.count = word();
    return one;
  }

 private:
  std::span<const std::uint64_t> words_;
};

void put(Tree::Words& words, const cut::Withdrawal& one) {
  words.insert(words.end(), {one.id, one.number, one.operation.what, one.operation.count});
}

/// Whether `words` are a head and lists of so many elements of so many words. No count may be above the number of
/// words.
bool has_length(std::span<const std::uint64_t> words, std::size_t head,
                std::initializer_list<std::pair<std::uint64_t, std::size_t>> lists) {
  std::uint64_t length = head;
  for (const auto& [elements, of_each] : lists) {
    if (elements > words.size()) return false;
    length += elements * of_each;
  }
  return words.size() == length;
}

}  // namespace

Tree::Words encode(const cut::Report& report) {
  Tree::Words words{report.moving,
                    report.uninterruptible,
                    report.unacknowledged,
                    report.give_up ? 1U : 0U,
                    report.give_up ? encode(*report.give_up) : 0,
                    report.standings.size(),
                    report.withdrawables.size(),
                    report.waits.size()};
  for (const cut::Standing& one : report.standings)
    words.insert(words.end(), {one.id, one.most, pair(one.size, one.holders), one.at_most});
  for (const cut::Withdrawable& one : report.withdrawables) {
    put(words, one.withdrawal);
    words.insert(words.end(), {pair(one.inside, one.outside), one.alike ? 1U : 0U});
  }
  for (const cut::Wait& one : report.waits)
    words.insert(words.end(), {pair(static_cast<std::uint32_t>(one.rank), static_cast<std::uint32_t>(one.whom)),
                               one.presses ? 1U : 0U});
  return words;
}

std::optional<cut::Report> decode_report(std::span<const std::uint64_t> words) {
  if (words.size() < report_head_words) return std::nullopt;
  const std::uint64_t standings = words[5];
  const std::uint64_t withdrawables = words[6];
  const std::uint64_t waits = words[7];
  if (!has_length(words, report_head_words,
                  {{standings, standing_words}, {withdrawables, withdrawable_words}, {waits, wait_words}}))
    return std::nullopt;
  cut::Report report{.moving = low(words[0]), .uninterruptible = low(words[1]), .unacknowledged = low(words[2])};
  if (words[3] != 0) report.give_up = cut::Word(cut::Phase::cancelled, 0, words[4]).reason();
  Reader next(words.subspan(report_head_words));
  for (std::uint64_t i = 0; i < standings; ++i) {
    cut::Standing one{.id = next.word(), .most = next.word()};
    const std::uint64_t members = next.word();
    one.size = high(members);
    one.holders = low(members);
    one.at_most = low(next.word());
    report.standings.push_back(one);
  }
  for (std::uint64_t i = 0; i < withdrawables; ++i) {
    cut::Withdrawable one{.withdrawal = next.withdrawal()};
    const std::uint64_t members = next.word();
    one.inside = high(members);
    one.outside = low(members);
    one.alike = next.word() != 0;
    report.withdrawables.push_back(one);
  }
  for (std::uint64_t i = 0; i < waits; ++i) {
    const std::uint64_t ranks = next.word();
    report.waits.push_back({static_cast<int>(high(ranks)), static_cast<int>(low(ranks)), next.word() != 0});
  }
  return report;
}

Tree::Words encode(const cut::Verdict& verdict) {
  Tree::Words words{verdict.word.bits(),        (verdict.all_needed ? 1U : 0U) | (verdict.take_part ? 2U : 0U),
                    verdict.targets.size(),     verdict.needed.size(),
                    verdict.withdrawals.size(), verdict.announcement};
  for (const auto& [id, target] : verdict.targets) words.insert(words.end(), {id, target});
  for (const int rank : verdict.needed) words.push_back(static_cast<std::uint64_t>(rank));
  for (const cut::Withdrawal& one : verdict.withdrawals) put(words, one);
  return words;
}

std::optional<cut::Verdict> decode_verdict(std::span<const std::uint64_t> words) {
  if (words.size() < verdict_head_words) return std::nullopt;
  const std::uint64_t targets = words[2];
  const std::uint64_t needed = words[3];
  const std::uint64_t withdrawals = words[4];
  if (!has_length(words, verdict_head_words, {{targets, target_words}, {needed, 1}, {withdrawals, withdrawal_words}}))
    return std::nullopt;
  cut::Verdict verdict{.word = cut::Word(words[0]),
                       .all_needed = (words[1] & 1) != 0,
                       .announcement = words[5],
                       .take_part = (words[1] & 2) != 0};
  Reader next(words.subspan(verdict_head_words));
  for (std::uint64_t i = 0; i < targets; ++i) {
    const std::uint64_t id = next.word();
    verdict.targets.emplace_back(id, next.word());
  }
  for (std::uint64_t i = 0; i < needed; ++i) verdict.needed.push_back(static_cast<int>(next.word()));
  for (std::uint64_t i = 0; i < withdrawals; ++i) verdict.withdrawals.push_back(next.withdrawal());
  return verdict;
}

}  // namespace cppc::negotiation
