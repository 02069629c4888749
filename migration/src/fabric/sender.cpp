#include "fabric/sender.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "cppc/fault.hpp"
#include "fabric/guard.hpp"
#include "fabric/hash.hpp"
#include "fabric/head.hpp"
#include "fabric/packing.hpp"

namespace cppc::fabric {
namespace {

using Kind = Control::Kind;
using Result = tl::expected<void, cppc_status>;

constexpr std::size_t most_slot_bytes = std::size_t{64} << 20;  // of a target's slot: as much is taken for a copy

std::uint64_t bytes_of(std::span<const Extent> extents) {
  std::uint64_t bytes = 0;
  for (const auto& extent : extents) bytes += extent.bytes.size();
  return bytes;
}

/// The table of the head and its extents, one after the other.
std::vector<Extent> head_with(std::span<const std::byte> table, std::span<const Extent> head) {
  std::vector<Extent> all{{0, table}};
  for (const auto& extent : head) all.push_back({all.back().offset + all.back().bytes.size(), extent.bytes});
  return all;
}

}  // namespace

Sender::Sender(Endpoint::Impl& endpoint, const Offer& offer, const Cargo& cargo, const TransferLimits& limits,
               const Progress& progress, const Tuning& tuning)
    : endpoint_(endpoint),
      offer_(offer),
      cargo_(cargo),
      progress_(progress),
      chunk_bytes_(std::min(tuning.chunk_bytes, endpoint.info->ep_attr->max_msg_size)),
      table_(encode_table(cargo.head)),
      head_(head_with(table_, cargo.head)),
      total_(bytes_of(head_) + bytes_of(cargo.contents)),
      policy_(tuning.compression),
      slots_(tuning.in_flight),
      session_(endpoint, limits, offer.token, "target") {
  for (std::size_t i = 0; i < slots_.size(); ++i) slots_[i].number = static_cast<std::uint32_t>(i);
}

Sender::~Sender() {
  // Memory is unregistered before the session closes the endpoint.
  for (auto& slot : slots_) {
    slot.region = {};
    slot.copy_region = {};
  }
}

tl::expected<Transferred, cppc_status> Sender::run() {
  const auto done = guarded([&] {
    return connect()
        .and_then([&] { return move(head_); })
        .and_then([&] { return await_places(); })
        .and_then([&] { return move(cargo_.contents); })
        .and_then([&] { return finish(); });
  });
  if (done) return moved_;
  drain();
  session_.close(done.error());
  return tl::unexpected(done.error());
}

Result Sender::connect() {
  const auto peer = endpoint_.insert(offer_.address);
  if (!peer || endpoint_.address.size() > longest_address) {
    spdlog::error("fabric provider {}: the offer's address is of no use", endpoint_.provider);
    return tl::unexpected(CPPC_ERR_FABRIC);
  }
  session_.address(*peer);
  if (auto started = session_.start(); !started) return started;
  Control hello{.kind = Kind::hello, .bytes = bytes_of(head_), .count = endpoint_.address.size()};
  std::ranges::copy(endpoint_.address, hello.address.begin());
  session_.send(hello);
  while (!welcome_) {
    if (auto polled = poll("connecting to the target"); !polled) return polled;
  }
  session_.established();
  return {};
}

/// No operation is left under way, and none begins any more.
void Sender::drain() {
  session_.drain([&] {
    return std::ranges::none_of(slots_,
                                [](const Slot& slot) { return slot.operation.state == Operation::State::posted; });
  });
}

bool Sender::all_moved() const {
  return waiting_.empty() &&
         std::ranges::all_of(slots_, [](const Slot& slot) { return slot.state == Slot::State::free; });
}

Result Sender::move(std::span<const Extent> extents) {
  const std::size_t packed = std::min(landing_slot_bytes_, endpoint_.info->ep_attr->max_msg_size);
  chunker_.emplace(extents, Chunker::Limits{.plain = chunk_bytes_, .packed = unpacked_bound(packed)}, places_,
                   chunker_ ? chunker_->count() : 0);
  plainly_ = 0;
  began_ = Clock::now();
  do {
    for (auto& slot : slots_) {
      if (auto advanced = advance(slot); !advanced) return advanced;
    }
    if (auto polled = poll("sending the image"); !polled) return polled;
  } while (!chunker_->at_end() || !all_moved());
  return {};
}

Result Sender::await_places() {
  while (!places_announced_ || places_.size() < *places_announced_) {
    for (auto& slot : slots_) {  // something of the head may be wanted again
      if (auto advanced = advance(slot); !advanced) return advanced;
    }
    if (auto polled = poll("waiting for the target to make room"); !polled) return polled;
  }
  return {};
}

Result Sender::finish() {
  session_.send({.kind = Kind::done, .index = chunker_->count(), .bytes = total_, .hash = digest_});
  while (!verified_) {
    for (auto& slot : slots_) {
      if (auto advanced = advance(slot); !advanced) return advanced;
    }
    if (auto polled = poll("waiting for the target to verify the image"); !polled) return polled;
  }
  return {};
}

Result Sender::poll(std::string_view purpose) {
  if (auto polled = session_.poll(purpose); !polled) return polled;
  while (const auto message = session_.next_message()) {
    if (auto handled = handle(*message); !handled) return handled;
  }
  return {};
}

Result Sender::handle(const Control& message) {
  switch (message.kind) {
    case Kind::welcome:
      return begin(message);
    case Kind::send:
      for (auto& slot : slots_) {
        if (slot.state == Slot::State::announced && slot.chunk.index == message.index) slot.state = Slot::State::ready;
      }
      return {};
    case Kind::taken:
      if (message.slot < slots_.size()) slots_[message.slot].taken = true;
      return {};
    case Kind::again:
      return repeat(message);
    case Kind::place:
      learn(message);
      return {};
    case Kind::ready:
      places_announced_ = message.index;
      return {};
    case Kind::verdict:
      drain();
      session_.acknowledge_close();
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

/// What is sent is made for these slots: a target has them once.
Result Sender::begin(const Control& welcome) {
  const bool usable = welcome.bytes <= most_slot_bytes && unpacked_bound(welcome.bytes) > 0;
  if (welcome_ || !usable) {
    spdlog::error("the migration's target has slots of {} bytes{}, which makes no sense", welcome.bytes,
                  welcome_ ? ", and had others before" : "");
    return tl::unexpected(CPPC_ERR_FABRIC);
  }
  welcome_ = true;
  landing_slots_ = welcome.places[0];
  landing_slot_bytes_ = welcome.bytes;
  return {};
}

Result Sender::repeat(const Control& again) {
  auto chunk = chunker_ ? chunker_->again(again.index, again.offset, again.bytes, again.coding) : std::nullopt;
  if (!chunk) {
    spdlog::error("the migration's target wants {} bytes at {} again, which it has not been sent", again.bytes,
                  again.offset);
    return tl::unexpected(CPPC_ERR_FABRIC);
  }
  ++moved_.again;
  waiting_.push_back(std::move(*chunk));
  return {};
}

void Sender::learn(const Control& places) {
  for (std::size_t i = 0; i < std::min<std::size_t>(places.count, Control::most_places); ++i)
    places_.add(places.places[i]);
}

// ------------------------------------------------------------------------------------------------------ one chunk

Result Sender::advance(Slot& slot) {
  switch (slot.state) {
    case Slot::State::free:
      return load(slot);
    case Slot::State::announced:
      return {};
    case Slot::State::landed:
      return release(slot);
    case Slot::State::ready:
      return post(slot);
    case Slot::State::moving:
      return complete(slot);
  }
  return {};
}

/// The next chunk, when this slot can take it.
std::optional<Chunk> Sender::next_chunk(const Slot& slot) {
  if (waiting_.empty()) {
    chunker_->pack_all(policy_.wanted());
    auto chunk = chunker_->next();
    if (!chunk) return std::nullopt;
    digest_ += digest_of(chunk->index, chunk->offset, chunk->bytes);
    waiting_.push_back(std::move(*chunk));
  }
  const bool fits = !goes_by_slot(waiting_.front().coding) || slot.number < landing_slots_.bytes;
  if (!fits) return std::nullopt;
  Chunk chunk = std::move(waiting_.front());
  waiting_.pop_front();
  return chunk;
}

Result Sender::load(Slot& slot) {
  // Reports that cannot be sent as fast as the data must not pile up.
  if (session_.unsent() > slots_.size() * 2) return {};
  auto chunk = next_chunk(slot);
  if (!chunk) return {};
  if (auto faulty = fault::at("source-chunk"); !faulty) return tl::unexpected(faulty.error());
  if (fault::cuts("source-chunk")) return session_.cut();
  slot.chunk = std::move(*chunk);
  if (auto encoded = encode(slot); !encoded) return encoded;
  if (slot.bytes.empty()) {
    announce(slot);
    slot.operation.state = Operation::State::complete;
    return complete(slot);
  }
  slot.state = Slot::State::ready;
  if (offer_.rma) return post(slot);
  announce(slot);
  slot.state = Slot::State::announced;
  return {};
}

/// Makes what travels.
Result Sender::encode(Slot& slot) {
  const auto access = FI_SEND | FI_WRITE;
  slot.bytes = {};
  if (slot.chunk.coding == Coding::plain) {
    slot.bytes = slot.chunk.pieces.front();
    return endpoint_.register_memory(slot.bytes, access).map([&](Region region) { slot.region = std::move(region); });
  }
  if (slot.chunk.coding == Coding::zero) return {};
  if (slot.copy.empty()) {
    slot.copy.resize(landing_slot_bytes_);
    auto region = endpoint_.register_memory(slot.copy, access);
    if (!region) return tl::unexpected(region.error());
    slot.copy_region = std::move(*region);
  }
  slot.bytes = std::span(slot.copy).first(pack(slot.chunk.pieces, slot.copy));
  if (policy_.compresses()) compress(slot);
  return {};
}

void Sender::compress(Slot& slot) {
  const auto begin = Clock::now();
  const std::size_t before = slot.bytes.size();
  const auto after = compressor_.compress(std::span(slot.copy).first(before));
  policy_.compressed(before, after.value_or(before), Clock::now() - begin);
  if (!after) return;
  slot.bytes = std::span(slot.copy).first(*after);
  slot.chunk.coding = Coding::compressed;
}

Result Sender::post(Slot& slot) {
  const bool plain = slot.chunk.coding == Coding::plain;
  const Region& region = plain ? slot.region : slot.copy_region;
  tl::expected<bool, cppc_status> posted = false;
  if (!offer_.rma) {
    posted = endpoint_.send_tagged(slot.operation, slot.bytes, region, session_.peer(),
                                   tag_of(offer_.token, slot.chunk.index));
  } else if (plain) {
    const RemotePlace* place = places_.find(slot.chunk.offset);
    if (place == nullptr) return tl::unexpected(CPPC_ERR_FABRIC);
    posted = endpoint_.write(slot.operation, slot.bytes, region, session_.peer(),
                             place->base + (slot.chunk.offset - place->offset), place->key);
  } else {
    posted = endpoint_.write(slot.operation, slot.bytes, region, session_.peer(),
                             landing_slots_.base + slot.number * landing_slot_bytes_, landing_slots_.key);
  }
  if (!posted) return tl::unexpected(posted.error());
  if (*posted) slot.state = Slot::State::moving;
  return {};
}

Result Sender::complete(Slot& slot) {
  if (slot.operation.state == Operation::State::posted) return {};
  if (slot.operation.state == Operation::State::failed) {
    return tl::unexpected(session_.report(slot.operation, "sending the image"));
  }
  if (offer_.rma && !slot.bytes.empty()) announce(slot);
  moved_.bytes += slot.chunk.bytes;
  moved_.sent += slot.bytes.size();
  if (progress_) progress_(moved_, total_);
  time_the_wire(slot);
  slot.region = {};
  slot.state = Slot::State::landed;
  return release(slot);
}

/// By chunks that follow each other as they are: others take time that the wire does not.
void Sender::time_the_wire(const Slot& slot) {
  if (slot.chunk.coding != Coding::plain) {
    plainly_ = 0;
    began_ = Clock::now();
    return;
  }
  plainly_ += slot.bytes.size();
  policy_.delivered(plainly_, Clock::now() - began_);
}

/// What has gone straight to its place leaves nothing to wait for.
Result Sender::release(Slot& slot) {
  if (goes_by_slot(slot.chunk.coding) && !slot.taken) return {};
  slot.taken = false;
  slot.state = Slot::State::free;
  return load(slot);
}

/// With RMA the provider has just read the bytes, so that most of them are still in the processor's cache to be hashed.
void Sender::announce(const Slot& slot) {
  session_.send({.kind = Kind::chunk,
                 .index = slot.chunk.index,
                 .offset = slot.chunk.offset,
                 .bytes = slot.chunk.bytes,
                 .sent = slot.bytes.size(),
                 .hash = hash_of(slot.bytes),
                 .coding = slot.chunk.coding,
                 .slot = slot.number});
}

}  // namespace cppc::fabric
