#include "ours.hpp"

#include <algorithm>
#include <chrono>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cppc/image.hpp"

namespace cppc::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Places = std::unordered_map<std::string, std::span<std::byte>>;

tl::unexpected<std::string> failed(const char *what, cppc_status status) {
  return failure(std::string(what) + ": status " + std::to_string(status));
}

fabric::TransferLimits limits() { return {.deadline = Clock::now() + std::chrono::minutes(10), .cancelled = {}}; }

tl::expected<image::Image, cppc_status> build(const State &state) {
  const auto number = std::make_shared<image::Type>(
      image::Type{.cls = image::Class::floating, .size = sizeof(double), .name = "double", .members = {}});
  auto writer = image::Writer::create();
  if (!writer) return tl::unexpected(writer.error());
  for (const auto pieces : {state.large(), state.small()}) {
    for (const Piece &piece : pieces) {
      auto added = writer->add(
          {.path = piece.path, .type = number, .count = piece.values.size(), .data = std::as_bytes(piece.values)});
      if (!added) return tl::unexpected(added.error());
    }
  }
  return std::move(*writer).finish();
}

Places places_of(const State &state) {
  Places places;
  for (const auto pieces : {state.large(), state.small()})
    for (const Piece &piece : pieces) places.emplace(piece.path, std::as_writable_bytes(piece.values));
  return places;
}

/// Where the contents belong that are not in the head, from what the head says.
tl::expected<std::vector<fabric::Place>, cppc_status> unpack(std::span<const image::Extent> head,
                                                             const Places &places) {
  auto reader = image::Reader::open_head(head);
  if (!reader) return tl::unexpected(reader.error());
  std::vector<fabric::Place> found;
  for (const image::Entry &entry : reader->entries()) {
    const auto place = places.find(entry.path);
    if (place == places.end() || place->second.size() != entry.bytes) return tl::unexpected(CPPC_ERR_MISMATCH);
    for (const image::Stored &part : reader->stored(entry))
      found.push_back({.offset = part.file_offset, .memory = place->second.subspan(part.object_offset, part.bytes)});
  }
  std::ranges::sort(found, {}, &fabric::Place::offset);
  return found;
}

}  // namespace

Result<std::string> default_provider() {
  const auto endpoint = fabric::Endpoint::open();
  if (!endpoint) return failed("no fabric", endpoint.error());
  return endpoint->provider();
}

Result<void> OurSource::prepare(const std::string &message) {
  auto offer = fabric::Offer::decode(std::as_bytes(std::span(message)));
  if (!offer) return failed("the offer", offer.error());
  offer_ = std::move(*offer);
  return {};
}

Result<Moved> OurSource::move() {
  const auto start = Clock::now();
  const auto image = build(state_);
  if (!image) return failed("building the image", image.error());
  const double build_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  auto endpoint = fabric::Endpoint::open_towards(offer_);
  if (!endpoint) return failed("the source's endpoint", endpoint.error());
  const auto sent =
      fabric::send(std::move(*endpoint), offer_, {.head = image->head(), .contents = image->contents()}, limits());
  if (!sent) return failed("sending", sent.error());
  return Moved{.build_ms = build_ms, .bytes = sent->bytes};
}

Result<std::string> OurTarget::prepare() {
  auto endpoint = fabric::Endpoint::open({.provider = provider_, .local_address = {}});
  if (!endpoint) return failed("the target's endpoint", endpoint.error());
  auto receiver = fabric::Receiver::prepare(std::move(*endpoint));
  if (!receiver) return failed("the offer", receiver.error());
  receiver_.emplace(std::move(*receiver));
  const auto offer = receiver_->offer().encode();
  return std::string(reinterpret_cast<const char *>(offer.data()), offer.size());
}

Result<void> OurTarget::receive() {
  const Places places = places_of(state_);
  const auto received = receiver_->receive(
      [&](std::span<const image::Extent> head, const auto &) { return unpack(head, places); }, limits());
  receiver_.reset();
  if (!received) return failed("receiving", received.error());
  return {};
}

}  // namespace cppc::bench
