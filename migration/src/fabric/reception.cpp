#include "fabric/reception.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "cppc/fault.hpp"
#include "fabric/guard.hpp"
#include "fabric/hash.hpp"
#include "fabric/head.hpp"
#include "fabric/packing.hpp"
#include "fabric/places.hpp"

namespace cppc::fabric {
namespace {

using Kind = Control::Kind;
using Result = tl::expected<void, cppc_status>;

constexpr std::size_t slot_count = 4;
constexpr std::size_t slot_bytes = std::size_t{1} << 20;
constexpr int most_failures = 3;  // of a chunk, before it is given up

constexpr std::string_view unpacking = "making room for the image";
// To register memory is to pin it: seconds for 10 GB. In pieces, so that signs of life are given in between.
constexpr std::size_t most_registered = std::size_t{1} << 30;

}  // namespace

Reception::Reception(Endpoint::Impl& endpoint, const Offer& offer, const Unpack& unpack, const TransferLimits& limits,
                     const Progress& progress, Slots slots)
    : endpoint_(endpoint),
      offer_(offer),
      unpack_(unpack),
      progress_(progress),
      slots_(std::move(slots)),
      session_(endpoint, limits, offer.token, "source") {}

Reception::Slots Reception::make_slots() { return Slots(slot_count * slot_bytes); }

Reception::~Reception() {
  // Memory is unregistered before the session closes the endpoint.
  slots_region_ = {};
  regions_.clear();
}

tl::expected<Transferred, cppc_status> Reception::run() {
  const auto received = guarded([&] { return listen(); });
  session_.close(received ? CPPC_OK : received.error());
  if (!received) return tl::unexpected(received.error());
  return arrived_;
}

Result Reception::listen() {
  if (auto started = session_.start(); !started) return started;
  while (!complete()) {
    if (auto polled = poll(hello_ ? "receiving the image" : "waiting for the source"); !polled) return polled;
  }
  return check_end();
}

Result Reception::poll(std::string_view purpose) {
  if (auto polled = session_.poll(purpose); !polled) return polled;
  while (const auto message = session_.next_message()) {
    if (auto handled = handle(*message); !handled) return handled;
  }
  return advance_arrivals();
}

Result Reception::handle(const Control& message) {
  switch (message.kind) {
    case Kind::hello:
      return greet(message);
    case Kind::chunk:
      return take(message);
    case Kind::done:
      done_ = message;
      return {};
    case Kind::verdict:
      spdlog::error("the migration's source has given up, with status {}", message.status);
      session_.acknowledge_close();
      return tl::unexpected(message.status == CPPC_OK ? CPPC_ERR_FABRIC : status_of(message));
    default:
      spdlog::error("the migration's source sent a message that only a target sends");
      return tl::unexpected(CPPC_ERR_FABRIC);
  }
}

Result Reception::greet(const Control& hello) {
  if (hello_) {  // the token is good for one
    session_.refuse(hello);
    return {};
  }
  const auto source = hello.count <= hello.address.size()
                          ? endpoint_.insert(std::span(hello.address).first(hello.count))
                          : tl::unexpected(CPPC_ERR_FABRIC);
  if (!source) {
    spdlog::error("the migration's source gave an address that {} cannot use", endpoint_.provider);
    return tl::unexpected(source.error());
  }
  hello_ = hello;
  session_.address(*source);
  session_.established();
  head_.resize(hello.bytes);
  landing_ = *Landing::at({{0, head_}});
  return offer_slots();
}

Result Reception::offer_slots() {
  auto region = endpoint_.register_memory(slots_, FI_RECV | (offer_.rma ? FI_REMOTE_WRITE : 0));
  if (!region) return tl::unexpected(region.error());
  slots_region_ = std::move(*region);
  Control welcome{.kind = Kind::welcome, .bytes = slot_bytes};
  welcome.places[0] = {
      .offset = 0, .bytes = slot_count, .base = endpoint_.remote_address(slots_), .key = slots_region_.key()};
  session_.send(welcome);
  return {};
}

// ------------------------------------------------------------------------------------------------------------ chunks

Result Reception::take(const Control& chunk) {
  if (auto faulty = fault::at("replacement-chunk"); !faulty) return tl::unexpected(faulty.error());
  if (fault::cuts("replacement-chunk")) return session_.cut();
  const bool sound = hello_ && chunk.bytes > 0 && arrival_of(chunk).size() == chunk.sent;
  if (!sound) {
    spdlog::error("the migration's source sent {} bytes at {}, outside of what it announced", chunk.bytes,
                  chunk.offset);
    return tl::unexpected(CPPC_ERR_FABRIC);
  }
  if (offer_.rma || chunk.sent == 0) return verify(chunk);
  arrivals_.push_back({.chunk = chunk, .operation = {}});
  return {};
}

/// The memory that what travels of a chunk arrives in; empty when it makes no sense.
std::span<std::byte> Reception::arrival_of(const Control& chunk) {
  switch (chunk.coding) {
    case Coding::zero:
      return {};
    case Coding::plain:
      return chunk.sent == chunk.bytes ? landing_.in_one(chunk.offset, chunk.bytes).value_or(std::span<std::byte>())
                                       : std::span<std::byte>();
    case Coding::packed:
    case Coding::compressed:
      return chunk.slot < slot_count && chunk.sent <= slot_bytes
                 ? std::span(slots_).subspan(chunk.slot * slot_bytes, chunk.sent)
                 : std::span<std::byte>();
  }
  return {};
}

const Region& Reception::region_at(const Control& chunk) const {
  if (goes_by_slot(chunk.coding)) return slots_region_;
  const auto after = regions_.upper_bound(chunk.offset);
  return after == regions_.begin() ? slots_region_ : std::prev(after)->second;
}

Result Reception::advance_arrivals() {
  for (auto arrival = arrivals_.begin(); arrival != arrivals_.end();) {
    auto& [chunk, operation] = *arrival;
    if (operation.state == Operation::State::idle) {
      const auto posted =
          endpoint_.receive_tagged(operation, arrival_of(chunk), region_at(chunk), tag_of(offer_.token, chunk.index));
      if (!posted) return tl::unexpected(posted.error());
      if (*posted) session_.send({.kind = Kind::send, .index = chunk.index});
    }
    if (operation.state == Operation::State::failed) {
      return tl::unexpected(session_.report(operation, "receiving the image"));
    }
    if (operation.state != Operation::State::complete) {
      ++arrival;
      continue;
    }
    const Control arrived = chunk;
    arrival = arrivals_.erase(arrival);
    if (auto verified = verify(arrived); !verified) return verified;
  }
  return {};
}

Result Reception::verify(const Control& chunk) {
  const auto bytes = arrival_of(chunk);
  if (!bytes.empty() && fault::corrupts("replacement-chunk")) bytes.front() ^= std::byte{1};
  const bool intact = bytes.empty() || hash_of(bytes) == chunk.hash;
  if (intact && !put(chunk, bytes)) {
    spdlog::error("the migration's source sent {} bytes at {} that belong nowhere or make no sense", chunk.bytes,
                  chunk.offset);
    return tl::unexpected(CPPC_ERR_FABRIC);
  }
  if (goes_by_slot(chunk.coding)) session_.send({.kind = Kind::taken, .slot = chunk.slot});
  return intact ? count(chunk) : want_again(chunk);
}

Result Reception::want_again(const Control& chunk) {
  if (++failures_[chunk.index] > most_failures) {
    spdlog::error("the image's {} bytes at {} did not arrive as they were sent, {} times (fabric provider {})",
                  chunk.bytes, chunk.offset, most_failures + 1, endpoint_.provider);
    return tl::unexpected(CPPC_ERR_CHECKSUM);
  }
  spdlog::warn("the image's {} bytes at {} did not arrive as they were sent (fabric provider {}): sent again",
               chunk.bytes, chunk.offset, endpoint_.provider);
  ++arrived_.again;
  session_.send({.kind = Kind::again,
                 .index = chunk.index,
                 .offset = chunk.offset,
                 .bytes = chunk.bytes,
                 .coding = chunk.coding});
  return {};
}

/// Takes what has arrived to its place.
bool Reception::put(const Control& chunk, std::span<const std::byte> arrived) {
  if (chunk.coding == Coding::plain) return !arrived.empty();
  if (chunk.coding == Coding::zero) return landing_.clear(chunk.offset, chunk.bytes);
  if (chunk.bytes > slot_bytes) return false;
  if (chunk.coding == Coding::compressed) {
    const auto restored = compressor_.restore(arrived, slot_bytes);
    if (!restored) return false;
    arrived = *restored;
  }
  const auto runs = unpack(arrived, chunk.bytes);
  return runs && std::ranges::all_of(*runs, [&](const Unpacked& run) {
           return run.contents.empty() ? landing_.clear(chunk.offset + run.offset, run.bytes)
                                       : landing_.write(chunk.offset + run.offset, run.contents);
         });
}

Result Reception::count(const Control& chunk) {
  ++chunks_;
  digest_ += digest_of(chunk.index, chunk.offset, chunk.bytes);
  arrived_.bytes += chunk.bytes;
  arrived_.sent += chunk.sent;
  if (progress_) progress_(arrived_, head_.size() + (head_known_ ? landing_.bytes() : 0));
  return !head_known_ && arrived_.bytes == head_.size() ? unpack_head() : Result();
}

// ---------------------------------------------------------------------------------------------------- the head, the
// end

Result Reception::unpack_head() {
  if (fault::corrupts("replacement-head")) head_.back() ^= std::byte{1};
  const auto head = decode_head(head_);
  if (!head) {
    spdlog::error("the head of the image, {} bytes, makes no sense", head_.size());
    return tl::unexpected(CPPC_ERR_IMAGE);
  }
  auto places = unpack_(*head, [this] { return session_.keep_alive(unpacking); });
  if (!places) return tl::unexpected(places.error());
  auto landing = Landing::at(std::move(*places));
  if (!landing) {
    spdlog::error("parts of the image overlap");
    return tl::unexpected(CPPC_ERR_IMAGE);
  }
  head_known_ = true;
  landing_ = std::move(*landing);
  return offer_places();
}

/// Tells the source where it may write to. What is smaller comes by way of a slot.
Result Reception::offer_places() {
  Control message{.kind = Kind::place};
  for (const Place& place : landing_.places()) {
    if (place.memory.size() < worth_a_write) continue;
    for (std::size_t at = 0; at < place.memory.size(); at += most_registered) {
      const auto memory = place.memory.subspan(at, std::min(most_registered, place.memory.size() - at));
      if (auto offered = offer_place({place.offset + at, memory}, message); !offered) return offered;
    }
  }
  if (message.count > 0) session_.send(message);
  session_.send({.kind = Kind::ready, .index = regions_.size()});
  return {};
}

Result Reception::offer_place(const Place& place, Control& message) {
  auto region = endpoint_.register_memory(place.memory, FI_RECV | (offer_.rma ? FI_REMOTE_WRITE : 0));
  if (!region) return tl::unexpected(region.error());
  message.places[message.count++] = {.offset = place.offset,
                                     .bytes = place.memory.size(),
                                     .base = endpoint_.remote_address(place.memory),
                                     .key = region->key()};
  regions_.emplace(place.offset, std::move(*region));
  if (message.count == Control::most_places) {
    session_.send(message);
    message.count = 0;
  }
  return session_.keep_alive(unpacking);
}

Result Reception::check_end() const {
  const std::uint64_t all = head_.size() + landing_.bytes();
  if (arrived_.bytes == all && arrived_.bytes == done_->bytes && digest_ == done_->hash) return {};
  spdlog::error("the image's source announced {} bytes, {} of {} arrived", done_->bytes, arrived_.bytes, all);
  return tl::unexpected(CPPC_ERR_CHECKSUM);
}

}  // namespace cppc::fabric
