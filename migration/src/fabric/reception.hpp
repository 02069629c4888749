/// The target's side of one transfer.
#pragma once

#include <list>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "fabric/compressor.hpp"
#include "fabric/landing.hpp"
#include "fabric/session.hpp"

namespace cppc::fabric {

class Reception {
 public:
  /// Memory for what comes in small pieces, to be made before anybody waits: the first touch of so much takes long.
  using Slots = std::vector<std::byte>;
  static Slots make_slots();

  /// All arguments must outlive it.
  Reception(Endpoint::Impl& endpoint, const Offer& offer, const Unpack& unpack, const TransferLimits& limits,
            const Progress& progress, Slots slots = make_slots());
  Reception(const Reception&) = delete;
  Reception& operator=(const Reception&) = delete;
  ~Reception();

  tl::expected<Transferred, cppc_status> run();

 private:
  using Result = tl::expected<void, cppc_status>;

  // Without RMA: a chunk that was announced.
  struct Arrival {
    Control chunk;
    Operation operation;
  };

  Result listen();
  Result poll(std::string_view purpose);
  Result handle(const Control& message);
  Result greet(const Control& hello);
  Result offer_slots();
  Result take(const Control& chunk);
  Result advance_arrivals();
  [[nodiscard]] std::span<std::byte> arrival_of(const Control& chunk);
  [[nodiscard]] const Region& region_at(const Control& chunk) const;
  Result verify(const Control& chunk);
  Result want_again(const Control& chunk);
  [[nodiscard]] bool put(const Control& chunk, std::span<const std::byte> arrived);
  Result count(const Control& chunk);
  Result unpack_head();
  Result offer_places();
  Result offer_place(const Place& place, Control& message);
  Result check_end() const;
  [[nodiscard]] bool complete() const { return head_known_ && done_ && chunks_ >= done_->index; }

  Endpoint::Impl& endpoint_;
  const Offer& offer_;
  const Unpack& unpack_;
  const Progress& progress_;

  std::optional<Control> hello_;
  std::optional<Control> done_;
  std::vector<std::byte> head_;
  bool head_known_ = false;
  Landing landing_;  // of the head, then of the contents

  Transferred arrived_;       // verified
  std::uint64_t chunks_ = 0;  // likewise
  std::uint64_t digest_ = 0;
  std::unordered_map<std::uint64_t, int> failures_;  // by chunk

  Compressor compressor_;
  Slots slots_;
  Region slots_region_;
  std::map<std::uint64_t, Region> regions_;  // of the places that are large, by offset
  std::list<Arrival> arrivals_;              // a list: operations stay in place
  Session session_;                          // last: closes the endpoint before the operations go
};

}  // namespace cppc::fabric
