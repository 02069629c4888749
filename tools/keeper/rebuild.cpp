#include "rebuild.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <map>
#include <utility>

#include "cppc/fault.hpp"
#include "difference.hpp"
#include "reed_solomon.hpp"
#include "sum.hpp"

namespace cppc::keeper {
namespace {

using tools::error;

constexpr int most_tries = 100;          // more than there are combinations, where one piece is damaged
constexpr int most_failures_of_one = 3;  // connections may break

class Rebuilder {
 public:
  Rebuilder(const Peers& peers, Reservations& memory, const Group& group, int rank)
      : peers_(peers), memory_(memory), group_(group) {
    const auto of_rank = [&](const Member& member) { return member.label.rank == rank; };
    lost_ = static_cast<int>(std::ranges::find_if(group.members, of_rank) - group.members.begin());
    for (std::size_t i = 0; i < group.members.size(); ++i)
      if (static_cast<int>(i) != lost_ && !group.members[i].at.empty()) left_.push_back(static_cast<int>(i));
    for (const Group::Row& row : group.parities)
      if (!row.at.empty()) left_.push_back(count() + row.number);
  }

  Result<Held> rebuild() {
    for (int i = 0; i < most_tries && left_.size() >= group_.members.size(); ++i) {
      if (chosen_.empty()) choose_first();
      auto reserved = memory_.make(label().bytes);
      if (!reserved) return error(reserved.error());
      auto image = try_chosen(std::move(reserved->file));
      if (image) return image;
      why_ = image.error();
      spdlog::info("rank {} is rebuilt from other pieces, if there are some: {}", label().rank, why_);
      if (!choose_others()) break;
    }
    return error("the image of rank " + std::to_string(label().rank) + " cannot be rebuilt: of " +
                 std::to_string(group_.members.size()) + " pieces that it needs " + std::to_string(left_.size()) +
                 " are left" + (why_.empty() ? "" : " (" + why_ + ")"));
  }

 private:
  [[nodiscard]] int count() const { return static_cast<int>(group_.members.size()); }
  [[nodiscard]] const Label& label() const { return group_.members[static_cast<std::size_t>(lost_)].label; }

  void choose_first() {
    chosen_.assign(left_.size(), false);
    std::fill_n(chosen_.begin(), group_.members.size(), true);
  }

  // One that has failed is the last to be chosen again.
  bool choose_others() {
    const int broken = std::exchange(broken_, -1);
    if (broken < 0) return std::prev_permutation(chosen_.begin(), chosen_.end());
    std::erase(left_, broken);
    if (++failures_[broken] < most_failures_of_one) left_.push_back(broken);
    chosen_.clear();
    return true;
  }

  Result<Held> try_chosen(UniqueFd file) {
    std::vector<int> pieces;
    for (std::size_t i = 0; i < left_.size(); ++i)
      if (chosen_[i]) pieces.push_back(left_[i]);
    const auto factors = coefficients_to_rebuild(count(), pieces, lost_);
    if (!factors) return error("two pieces are the same");
    auto sum = Sum::begin(std::move(file), label().bytes, nullptr);
    if (!sum) return error(sum.error());
    for (std::size_t i = 0; i < pieces.size(); ++i)
      if (const auto added = add(*sum, (*factors)[i], pieces[i]); !added) {
        broken_ = pieces[i];
        return error(added.error());
      }
    auto image = std::move(*sum).finish();
    if (image && (*image)->xxh3() != label().xxh3) return error("it has another checksum than the rank has told");
    return image;
  }

  Result<void> add(Sum& sum, std::uint8_t factor, int piece) {
    if (factor == 0) return {};
    const auto take = [&](std::uint64_t index, std::span<const std::byte> bytes) -> Result<void> {
      if (auto faulty = fault::at("keeper-rebuild"); !faulty) return error(cppc_status_text(faulty.error()));
      return sum.add(factor, index, bytes);
    };
    const auto& at = at_of(piece);
    const std::string& addresses = at[static_cast<std::size_t>(failures_[piece]) % at.size()];
    if (const auto got = get(piece, addresses, take); !got) return error(addresses + ": " + got.error());
    return {};
  }

  [[nodiscard]] const std::vector<std::string>& at_of(int piece) const {
    if (piece < count()) return group_.members[static_cast<std::size_t>(piece)].at;
    return std::ranges::find(group_.parities, piece - count(), &Group::Row::number)->at;
  }

  Result<void> get(int piece, const std::string& addresses, const TakeChunk& take) {
    if (piece < count())
      return get_difference(peers_, addresses, group_.members[static_cast<std::size_t>(piece)].label, std::nullopt,
                            take);
    ParityName name{{}, group_.rows, piece - count()};
    std::uint64_t bytes = 0;
    for (const Member& member : group_.members) {
      name.ranks.push_back(member.label.rank);
      bytes = std::max(bytes, member.label.bytes);
    }
    return get_parity(peers_, addresses, label().set, name, bytes, take);
  }

  const Peers& peers_;
  Reservations& memory_;
  const Group& group_;
  int lost_ = 0;
  std::vector<int> left_;     // pieces that may be there: images, and behind these rows
  std::vector<bool> chosen_;  // of these
  std::map<int, int> failures_;
  int broken_ = -1;  // the one that has failed just now
  std::string why_;
};

}  // namespace

Result<Held> rebuild(const Peers& peers, Reservations& memory, const Group& group, int rank) {
  return Rebuilder(peers, memory, group, rank).rebuild();
}

}  // namespace cppc::keeper
