/// The source's side of one transfer.
#pragma once

#include <chrono>
#include <deque>
#include <optional>
#include <vector>

#include "fabric/chunks.hpp"
#include "fabric/compression_policy.hpp"
#include "fabric/compressor.hpp"
#include "fabric/session.hpp"

namespace cppc::fabric {

class Sender {
 public:
  /// All arguments must outlive it.
  Sender(Endpoint::Impl& endpoint, const Offer& offer, const Cargo& cargo, const TransferLimits& limits,
         const Progress& progress, const Tuning& tuning);
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;
  ~Sender();

  tl::expected<Transferred, cppc_status> run();

 private:
  using Result = tl::expected<void, cppc_status>;
  using Clock = std::chrono::steady_clock;

  // A chunk under way.
  struct Slot {
    enum class State { free, announced, ready, moving, landed };  // landed: the target has still to take it
    State state = State::free;
    bool taken = false;  // packed: by the target, which may know of the arrival before this side does
    std::uint32_t number = 0;
    Chunk chunk;
    std::span<const std::byte> bytes;  // what travels, in one piece
    Operation operation;
    Region region;  // of bytes, when they are program memory
    std::vector<std::byte> copy;
    Region copy_region;
  };

  Result connect();
  Result move(std::span<const Extent> extents);
  Result await_places();
  Result finish();
  Result poll(std::string_view purpose);
  Result handle(const Control& message);
  Result begin(const Control& welcome);
  Result repeat(const Control& again);
  void learn(const Control& places);
  Result advance(Slot& slot);
  Result load(Slot& slot);
  std::optional<Chunk> next_chunk(const Slot& slot);
  Result encode(Slot& slot);
  void compress(Slot& slot);
  Result post(Slot& slot);
  Result complete(Slot& slot);
  void time_the_wire(const Slot& slot);
  Result release(Slot& slot);
  void announce(const Slot& slot);
  void drain();
  [[nodiscard]] bool all_moved() const;

  Endpoint::Impl& endpoint_;
  const Offer& offer_;
  const Cargo& cargo_;
  const Progress& progress_;
  const std::size_t chunk_bytes_;
  const std::vector<std::byte> table_;
  std::vector<Extent> head_;  // as it travels
  std::uint64_t total_ = 0;   // bytes
  Transferred moved_;

  bool welcome_ = false;
  bool verified_ = false;
  std::optional<std::uint64_t> places_announced_;
  RemotePlace landing_slots_;  // in the target
  std::size_t landing_slot_bytes_ = 0;
  Places places_;
  std::optional<Chunker> chunker_;
  std::deque<Chunk> waiting_;  // to be sent again, or for a slot that can take it
  std::uint64_t digest_ = 0;
  CompressionPolicy policy_;
  Compressor compressor_;
  Clock::time_point began_;    // to send contents
  std::uint64_t plainly_ = 0;  // bytes that were delivered as they are, one chunk after the other
  std::vector<Slot> slots_;
  Session session_;  // last: closes the endpoint before the operations go
};

}  // namespace cppc::fabric
