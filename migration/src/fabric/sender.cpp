#include <spdlog/spdlog.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>

#include "fabric/chunks.hpp"
#include "fabric/guard.hpp"
#include "fabric/session.hpp"

namespace cppc::fabric {
namespace {

using Kind = Control::Kind;
using Result = tl::expected<void, cppc_status>;

/// The source's side of one transfer.
class Sender {
 public:
  Sender(Endpoint::Impl& endpoint, const Offer& offer, std::span<const Extent> extents, const Patience& patience,
         const Progress& progress, const Tuning& tuning);
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;
  ~Sender();

  tl::expected<Transferred, cppc_status> run();

 private:
  // A chunk under way.
  struct Slot {
    enum class State { free, announced, ready, moving };
    State state = State::free;
    Chunk chunk;
    std::uint64_t index = 0;
    std::span<const std::byte> bytes;  // the chunk, in one piece
    Operation operation;
    Region region;  // of bytes, when they are program memory
    std::vector<std::byte> copy;
    Region copy_region;
  };

  Result connect();
  Result move_chunks();
  Result finish();
  Result turn(std::string_view purpose);
  Result handle(const Control& message);
  Result advance(Slot& slot);
  Result load(Slot& slot);
  Result gather(Slot& slot);
  Result post(Slot& slot);
  Result complete(Slot& slot);
  Control describe(const Slot& slot);

  Endpoint::Impl& endpoint_;
  const Offer& offer_;
  const Progress& progress_;
  const std::size_t chunk_bytes_;
  Chunker chunker_;
  Transferred total_;

  bool welcome_ = false;
  bool verified_ = false;
  bool all_loaded_ = false;
  std::uint64_t chunks_ = 0;
  std::uint64_t delivered_ = 0;  // bytes
  std::uint64_t digest_ = 0;
  std::vector<Slot> slots_;
  Session session_;  // last: closes the endpoint before the operations go
};

Transferred extent_of(std::span<const Extent> extents) {
  Transferred total;
  for (const auto& extent : extents) {
    total.bytes += extent.bytes.size();
    total.size = std::max<std::uint64_t>(total.size, extent.offset + extent.bytes.size());
  }
  return total;
}

Sender::Sender(Endpoint::Impl& endpoint, const Offer& offer, std::span<const Extent> extents, const Patience& patience,
               const Progress& progress, const Tuning& tuning)
    : endpoint_(endpoint),
      offer_(offer),
      progress_(progress),
      chunk_bytes_(std::min(tuning.chunk_bytes, endpoint.info->ep_attr->max_msg_size)),
      chunker_(extents, chunk_bytes_),
      total_(extent_of(extents)),
      slots_(tuning.in_flight),
      session_(endpoint, patience, offer.token, "target") {}

Sender::~Sender() {
  // Memory is unregistered before the session closes the endpoint.
  for (auto& slot : slots_) {
    slot.region = {};
    slot.copy_region = {};
  }
}

tl::expected<Transferred, cppc_status> Sender::run() {
  const auto done = connect().and_then([&] { return move_chunks(); }).and_then([&] { return finish(); });
  if (done) return total_;
  session_.part(done.error());
  return tl::unexpected(done.error());
}

Result Sender::connect() {
  const auto peer = endpoint_.insert(offer_.address);
  if (!peer || endpoint_.address.size() > longest_address) {
    spdlog::error("fabric provider {}: the offer's address is of no use", endpoint_.provider);
    return tl::unexpected(CPPC_ERR_FABRIC);
  }
  session_.address(*peer);
  Control hello{.kind = Kind::hello, .bytes = total_.bytes, .size = total_.size};
  hello.address_bytes = endpoint_.address.size();
  std::ranges::copy(endpoint_.address, hello.address.begin());
  return session_.start().and_then([&]() -> Result {
    session_.say(hello);
    while (!welcome_) {
      if (auto turned = turn("connecting to the target"); !turned) return turned;
    }
    session_.meet();
    return {};
  });
}

Result Sender::move_chunks() {
  const auto busy = [](const Slot& slot) { return slot.state != Slot::State::free; };
  while (!all_loaded_ || std::ranges::any_of(slots_, busy)) {
    for (auto& slot : slots_) {
      if (auto advanced = advance(slot); !advanced) return advanced;
    }
    if (auto turned = turn("sending the image"); !turned) return turned;
  }
  return {};
}

Result Sender::finish() {
  session_.say({.kind = Kind::done, .index = chunks_, .bytes = total_.bytes, .hash = digest_});
  while (!verified_) {
    if (auto turned = turn("waiting for the target to verify the image"); !turned) return turned;
  }
  return {};
}

Result Sender::turn(std::string_view purpose) {
  if (auto turned = session_.turn(purpose); !turned) return turned;
  while (const auto message = session_.hear()) {
    if (auto handled = handle(*message); !handled) return handled;
  }
  return {};
}

Result Sender::handle(const Control& message) {
  switch (message.kind) {
    case Kind::welcome:
      welcome_ = true;
      return {};
    case Kind::ready:
      for (auto& slot : slots_) {
        if (slot.state == Slot::State::announced && slot.index == message.index) slot.state = Slot::State::ready;
      }
      return {};
    case Kind::verdict:
      session_.take_leave();
      if (message.status != CPPC_OK) {
        spdlog::error("the migration's target has refused or given up the image, with status {}", message.status);
        return tl::unexpected(status_of(message));
      }
      verified_ = true;
      return {};
    default:
      spdlog::error("the migration's target sent a message that only a source sends");
      return tl::unexpected(CPPC_ERR_FABRIC);
  }
}

// ------------------------------------------------------------------------------------------------------ one chunk

Result Sender::advance(Slot& slot) {
  switch (slot.state) {
    case Slot::State::free:
      return load(slot);
    case Slot::State::announced:
      return {};
    case Slot::State::ready:
      return post(slot);
    case Slot::State::moving:
      return complete(slot);
  }
  return {};
}

Result Sender::load(Slot& slot) {
  // Reports that cannot be sent as fast as the data must not pile up.
  if (session_.unsaid() > slots_.size() * 2) return {};
  auto chunk = chunker_.next();
  if (!chunk) {
    all_loaded_ = true;
    return {};
  }
  slot.chunk = std::move(*chunk);
  slot.index = chunks_++;
  if (auto gathered = gather(slot); !gathered) return gathered;
  slot.state = Slot::State::ready;
  if (offer_.rma) return post(slot);
  session_.say(describe(slot));
  slot.state = Slot::State::announced;
  return {};
}

Result Sender::gather(Slot& slot) {
  const auto access = FI_SEND | FI_WRITE;
  if (slot.chunk.pieces.size() == 1) {
    slot.bytes = slot.chunk.pieces.front();
    return endpoint_.register_memory(slot.bytes, access).map([&](Region region) { slot.region = std::move(region); });
  }
  if (slot.copy.empty()) {
    slot.copy.resize(chunk_bytes_);
    auto region = endpoint_.register_memory(slot.copy, access);
    if (!region) return tl::unexpected(region.error());
    slot.copy_region = std::move(*region);
  }
  auto* end = slot.copy.data();
  for (const auto piece : slot.chunk.pieces) end = std::ranges::copy(piece, end).out;
  slot.bytes = std::span(slot.copy).first(slot.chunk.bytes);
  return {};
}

Result Sender::post(Slot& slot) {
  const Region& region = slot.chunk.pieces.size() == 1 ? slot.region : slot.copy_region;
  const auto posted = offer_.rma ? endpoint_.write(slot.operation, slot.bytes, region, session_.peer(),
                                                   offer_.base + slot.chunk.offset, offer_.key)
                                 : endpoint_.send_tagged(slot.operation, slot.bytes, region, session_.peer(),
                                                         tag_of(offer_.token, slot.index));
  if (!posted) return tl::unexpected(posted.error());
  if (*posted) slot.state = Slot::State::moving;
  return {};
}

Result Sender::complete(Slot& slot) {
  if (slot.operation.state == Operation::State::posted) return {};
  if (slot.operation.state == Operation::State::failed) {
    return tl::unexpected(session_.report(slot.operation, "sending the image"));
  }
  if (offer_.rma) session_.say(describe(slot));
  delivered_ += slot.chunk.bytes;
  if (progress_) progress_(delivered_, total_.bytes);
  slot.region = {};
  slot.state = Slot::State::free;
  return load(slot);
}

Control Sender::describe(const Slot& slot) {
  const Control description{.kind = Kind::chunk,
                            .index = slot.index,
                            .offset = slot.chunk.offset,
                            .bytes = slot.chunk.bytes,
                            .hash = XXH3_64bits(slot.bytes.data(), slot.bytes.size())};
  digest_ += digest_of(description);
  return description;
}

// ----------------------------------------------------------------------------------------------------- conditions

Result check_arguments(const Endpoint::Impl& endpoint, const Offer& offer, std::span<const Extent> extents,
                       const Tuning& tuning) {
  std::uint64_t end = 0;
  for (const auto& extent : extents) {
    if (extent.offset < end || extent.offset > offer.capacity || extent.bytes.size() > offer.capacity - extent.offset) {
      spdlog::error(
          "the image's extent of {} bytes at {} overlaps another or is outside the {} bytes that the target offers",
          extent.bytes.size(), extent.offset, offer.capacity);
      return tl::unexpected(CPPC_ERR_ARGUMENT);
    }
    end = extent.offset + extent.bytes.size();
  }
  if (tuning.chunk_bytes == 0 || tuning.in_flight == 0) {
    spdlog::error("the fabric cannot send {} chunks of {} bytes at a time", tuning.in_flight, tuning.chunk_bytes);
    return tl::unexpected(CPPC_ERR_ARGUMENT);
  }
  if (endpoint.provider != offer.provider || endpoint.rma != offer.rma) {
    spdlog::error("the target's fabric provider is {}, this endpoint's {}: open it with open_towards", offer.provider,
                  endpoint.provider);
    return tl::unexpected(CPPC_ERR_ARGUMENT);
  }
  return {};
}

}  // namespace

tl::expected<Transferred, cppc_status> send(Endpoint endpoint, const Offer& offer, std::span<const Extent> extents,
                                            const Patience& patience, const Progress& progress, const Tuning& tuning) {
  return guarded([&]() -> tl::expected<Transferred, cppc_status> {
    if (auto fit = check_arguments(endpoint.impl(), offer, extents, tuning); !fit) return tl::unexpected(fit.error());
    return Sender(endpoint.impl(), offer, extents, patience, progress, tuning).run();
  });
}

}  // namespace cppc::fabric
