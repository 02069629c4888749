#include "scripted_endpoint.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <utility>

#include "fabric/hash.hpp"

namespace cppc::fabric {
namespace {

using fuzz::Step;
using Kind = Control::Kind;

struct Posted {
  Operation* operation;
  std::span<std::byte> into;
};

struct Stage {
  ByteReader script{std::span<const std::byte>()};
  void (*land)(std::uint64_t, std::span<const std::byte>) = nullptr;
  std::deque<Posted> receives;
  std::span<std::byte> slots;                            // of the target
  std::map<std::uint64_t, std::vector<std::byte>> data;  // of chunks that were announced, by their tags
  std::uint64_t chunks = 0, bytes = 0, digest = 0;
};
Stage stage;

std::uint64_t sink = 0;  // what is read of what is sent

constexpr std::size_t slot_bytes = std::size_t{1} << 20;
constexpr std::size_t slot_count = 4;
constexpr std::uint64_t longest_head = slot_bytes;  // the source is believed: more is a matter of the machine's memory

void complete(Operation& operation, std::size_t length) {
  operation.state = Operation::State::complete;
  operation.length = length;
}

void deliver_data(const Control& chunk, std::span<const std::byte> data) {
  if (chunk.coding == Coding::plain) return stage.land(chunk.offset, data);
  const std::size_t at = chunk.slot * slot_bytes;
  if (at >= stage.slots.size()) return;
  std::ranges::copy(data.first(std::min(data.size(), stage.slots.size() - at)), stage.slots.subspan(at).begin());
}

void prepare_chunk(Step& step, bool rma) {
  Control& chunk = step.message;
  if ((step.flags & Step::wrong_hash) == 0) {
    chunk.sent = step.data.size();
    chunk.hash = hash_of(step.data);
  }
  ++stage.chunks;
  stage.bytes += chunk.bytes;
  stage.digest += digest_of(chunk.index, chunk.offset, chunk.bytes);
  if (rma) return deliver_data(chunk, step.data);
  stage.data[tag_of(fuzz::token(), chunk.index)] = step.data;
}

void prepare(Step& step, bool rma) {
  Control& message = step.message;
  if (message.kind == Kind::hello) message.bytes = std::min(message.bytes, longest_head);
  if (message.kind == Kind::chunk) prepare_chunk(step, rma);
  if (message.kind == Kind::done && (step.flags & Step::wrong_total) == 0) {
    message.index = stage.chunks;
    message.bytes = stage.bytes;
    message.hash = stage.digest;
  }
  message.token = fuzz::token();
  if ((step.flags & Step::stranger) != 0) message.token[0] ^= std::byte{1};
  message.check = check_of(message);
  if ((step.flags & Step::damaged) != 0) message.check ^= 1;
}

}  // namespace

namespace fuzz {

Token token() {
  Token one;
  one.fill(std::byte{9});
  return one;
}

void Step::write(ByteWriter& writer) const {
  writer.u8(flags);
  writer.u8(static_cast<std::uint8_t>(message.kind));
  writer.u8(static_cast<std::uint8_t>(message.coding));
  writer.u8(static_cast<std::uint8_t>(message.slot));
  writer.u8(static_cast<std::uint8_t>(message.count));
  writer.u32(message.status);
  writer.u32(static_cast<std::uint32_t>(message.index));
  for (const std::uint64_t number : {message.offset, message.bytes, message.sent, message.hash}) writer.u64(number);
  writer.u8(static_cast<std::uint8_t>(std::ranges::count_if(message.places, [](auto one) { return one.bytes != 0; })));
  for (const RemotePlace& place : message.places) {
    if (place.bytes == 0) continue;
    writer.u64(place.offset);
    writer.u64(place.bytes);
  }
  writer.block(data);
}

Step Step::read(ByteReader& reader) {
  Step step{.flags = reader.u8(), .message = {}, .data = {}};
  Control& message = step.message;
  message.kind = static_cast<Kind>(reader.u8());
  message.coding = static_cast<Coding>(reader.u8());
  message.slot = reader.u8();
  message.count = reader.u8();
  message.status = reader.u32();
  message.index = reader.u32();
  for (auto* number : {&message.offset, &message.bytes, &message.sent, &message.hash}) *number = reader.u64();
  const std::size_t places = std::min<std::size_t>(reader.u8(), message.places.size());
  for (RemotePlace& place : std::span(message.places).first(places)) {
    place.offset = reader.u64();
    place.bytes = reader.u64();
  }
  const auto data = reader.block();
  step.data.assign(data.begin(), data.end());
  return step;
}

std::vector<std::byte> script(const std::vector<Step>& steps) {
  ByteWriter writer;
  for (const Step& step : steps) step.write(writer);
  return std::move(writer).take();
}

void play(std::span<const std::byte> script, void (*land)(std::uint64_t, std::span<const std::byte>)) {
  stage = {};
  stage.script = ByteReader(script);
  stage.land = land;
}

std::unique_ptr<Endpoint::Impl> make_endpoint(bool rma) {
  Info info(fi_allocinfo());
  info->ep_attr->max_msg_size = std::size_t{1} << 30;
  return std::make_unique<Endpoint::Impl>(std::move(info), rma);
}

}  // namespace fuzz

// ------------------------------------------------------------------------------------------- in place of endpoint.cpp

void close_object(fid*) {}

Endpoint::Impl::Impl(Info chosen, bool use_rma)
    : info(std::move(chosen)), rma(use_rma), provider("script"), address(16), next_key_(0) {}

tl::expected<Region, cppc_status> Endpoint::Impl::register_memory(std::span<const std::byte> memory,
                                                                  std::uint64_t access) {
  // Memory of this program, registered to be written to.
  if ((access & FI_RECV) != 0 && memory.size() == slot_count * slot_bytes)
    stage.slots = {const_cast<std::byte*>(memory.data()), memory.size()};
  return Region();
}

tl::expected<fi_addr_t, cppc_status> Endpoint::Impl::insert(std::span<const std::byte>) { return 1; }

std::string Endpoint::Impl::text_of(fi_addr_t) const { return "the script"; }

tl::expected<bool, cppc_status> Endpoint::Impl::receive(Operation& operation, std::span<std::byte> into,
                                                        const Region&) {
  operation.state = Operation::State::posted;
  stage.receives.push_back({&operation, into});
  return true;
}

tl::expected<bool, cppc_status> Endpoint::Impl::send(Operation& operation, std::span<const std::byte> bytes,
                                                     const Region&, fi_addr_t) {
  complete(operation, bytes.size());
  return true;
}

tl::expected<bool, cppc_status> Endpoint::Impl::receive_tagged(Operation& operation, std::span<std::byte> into,
                                                               const Region&, std::uint64_t tag) {
  const auto& data = stage.data[tag];
  const std::size_t length = std::min(into.size(), data.size());
  std::copy_n(data.begin(), length, into.begin());
  complete(operation, length);
  return true;
}

tl::expected<bool, cppc_status> Endpoint::Impl::send_tagged(Operation& operation, std::span<const std::byte> bytes,
                                                            const Region&, fi_addr_t, std::uint64_t) {
  sink += hash_of(bytes);
  complete(operation, bytes.size());
  return true;
}

tl::expected<bool, cppc_status> Endpoint::Impl::write(Operation& operation, std::span<const std::byte> bytes,
                                                      const Region&, fi_addr_t, std::uint64_t, std::uint64_t) {
  sink += hash_of(bytes);
  complete(operation, bytes.size());
  return true;
}

tl::expected<std::size_t, cppc_status> Endpoint::Impl::poll() {
  Step step = Step::read(stage.script);
  if (!stage.script.ok()) return tl::unexpected(CPPC_ERR_FABRIC);
  if (stage.receives.empty()) return 1;
  const auto [operation, into] = stage.receives.front();
  stage.receives.pop_front();
  if ((step.flags & Step::failure) != 0) {
    operation->state = Operation::State::failed;
    operation->error = FI_EIO;
    return 1;
  }
  prepare(step, rma);
  std::memcpy(into.data(), &step.message, std::min(into.size(), sizeof step.message));
  complete(*operation, sizeof step.message);
  return 1;
}

}  // namespace cppc::fabric
