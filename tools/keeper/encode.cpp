#include "encode.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "cppc/fault.hpp"
#include "difference.hpp"
#include "reed_solomon.hpp"
#include "sum.hpp"

namespace cppc::keeper {
namespace {

using tools::error;

constexpr int tries = 3;

std::uint64_t longest(const std::vector<Member>& members) {
  std::uint64_t bytes = 0;
  for (const Member& member : members) bytes = std::max(bytes, member.label.bytes);
  return bytes;
}

// From the first keeper that has it.
Result<void> get(const Peers& peers, const Member& member, const std::optional<Label>& since, const TakeChunk& take) {
  Result<void> got = error("no keeper has the image of rank " + std::to_string(member.label.rank));
  bool begun = false;  // another keeper would send once more what has been added
  const auto take_it = [&](std::uint64_t index, std::span<const std::byte> bytes) {
    begun = true;
    return take(index, bytes);
  };
  for (auto one = member.at.begin(); one != member.at.end() && !got && !begun; ++one)
    if (got = get_difference(peers, *one, member.label, since, take_it); !got)
      got = error("rank " + std::to_string(member.label.rank) + ", from " + *one + ": " + got.error());
  return got;
}

class Encoder {
 public:
  Encoder(const Peers& peers, Reservations& memory, const Encoding& encoding, const std::function<bool()>& wanted)
      : peers_(peers), memory_(memory), encoding_(encoding), wanted_(wanted) {}

  // Since the earlier parity, if there is one.
  Result<Held> make(const std::optional<Parity>& earlier) {
    const std::uint64_t bytes = longest(encoding_.members);
    auto reserved = memory_.make(bytes, "a parity");
    if (!reserved) return error(reserved.error());
    auto sum = Sum::begin(std::move(reserved->file), bytes, earlier ? earlier->bytes : nullptr);
    if (!sum) return error(sum.error());
    const std::size_t count = encoding_.members.size();
    for (std::size_t i = 0; i < count; ++i) {
      // Not all rows of a group at the same member's keeper at the same time.
      const std::size_t member = (i + static_cast<std::size_t>(encoding_.name.row)) % count;
      const auto since = earlier ? std::optional(earlier->members[member]) : std::nullopt;
      if (const auto added = add(*sum, member, since); !added) return error(added.error());
    }
    return std::move(*sum).finish();
  }
  [[nodiscard]] std::uint64_t travelled() const { return travelled_; }

 private:
  Result<void> add(Sum& sum, std::size_t member, const std::optional<Label>& since) {
    const std::uint8_t factor =
        coefficient(static_cast<int>(encoding_.members.size()), encoding_.name.row, static_cast<int>(member));
    return get(peers_, encoding_.members[member], since,
               [&](std::uint64_t index, std::span<const std::byte> bytes) -> Result<void> {
                 if (!wanted_()) return error("it is not wanted any more");
                 if (auto faulty = fault::at("keeper-encode"); !faulty) return error(cppc_status_text(faulty.error()));
                 travelled_ += bytes.size();
                 return sum.add(factor, index, bytes);
               });
  }

  const Peers& peers_;
  Reservations& memory_;
  const Encoding& encoding_;
  const std::function<bool()>& wanted_;
  std::uint64_t travelled_ = 0;
};

bool is_of(const std::optional<Parity>& parity, const std::vector<Member>& members) {
  return parity && std::ranges::equal(parity->members, members, [](const Label& one, const Member& other) {
           return one.bytes == other.label.bytes && one.xxh3 == other.label.xxh3;
         });
}

}  // namespace

Result<std::uint64_t> encode(const Peers& peers, Images& images, const Encoding& encoding,
                             const std::function<bool()>& wanted) {
  const Label& first = encoding.members.front().label;
  if (is_of(images.find_parity(first.set, encoding.name), encoding.members)) return 0;
  Encoder encoder(peers, images.reservations(), encoding, wanted);
  auto earlier = images.earlier_parity(first.set, encoding.name);
  auto made = encoder.make(earlier);
  for (int i = 1; i < tries && !made && wanted(); ++i) {
    spdlog::info("{} is encoded again: {}", text(encoding.name), made.error());
    earlier.reset();
    made = encoder.make(earlier);
  }
  if (!made) return error(made.error());
  Parity parity{{}, *std::move(made)};
  for (const Member& member : encoding.members) parity.members.push_back(member.label);
  if (const auto added = images.add_parity(first.set, encoding.name, std::move(parity), first.complete); !added)
    return error(added.error());
  return encoder.travelled();
}

}  // namespace cppc::keeper
