#include "arrival.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "cppc/deadlines.hpp"
#include "cppc/fault.hpp"
#include "cppc/image.hpp"
#include "peak_memory.hpp"

namespace cppc::migration {
namespace {

tl::expected<cppc_section, cppc_status> section_of(std::string_view name) {
  if (name == "runtime") return CPPC_SECTION_RUNTIME;
  if (name == "global") return CPPC_SECTION_GLOBAL;
  if (name == "frame") return CPPC_SECTION_FRAME;
  if (name == "heap") return CPPC_SECTION_HEAP;
  if (name == "stack") return CPPC_SECTION_STACK;
  if (name == "mapping") return CPPC_SECTION_MAPPING;
  spdlog::error("the image holds an object of unknown section '{}'", name);
  return tl::unexpected(CPPC_ERR_IMAGE);
}

constexpr std::size_t entries_between_calls = 1024;  // of KeepAlive: some microseconds

/// For the runtime, which cannot be told that its work is in vain: the next call for ourselves tells.
void keep_alive_of(void* context) { (void)(*static_cast<const fabric::KeepAlive*>(context))(); }

tl::expected<void, cppc_status> begin_restore(const cppc_runtime& runtime, const image::Reader& reader,
                                              const image::Entry& entry, fabric::KeepAlive keep_alive) {
  std::vector<std::byte> block(entry.bytes);
  if (auto read = reader.read(entry, block); !read) return read;
  const cppc_status begun = runtime.restore_begin(block.data(), block.size(), keep_alive_of, &keep_alive);
  if (begun != CPPC_OK) return tl::unexpected(begun);
  return {};
}

/// Adds the places of an object's contents.
tl::expected<void, cppc_status> place_entry(const cppc_runtime& runtime, const image::Reader& reader,
                                            const image::Entry& entry, std::vector<fabric::Place>& places,
                                            const fabric::KeepAlive& keep_alive) {
  const auto slash = entry.path.find('/');
  const auto section = section_of(entry.path.substr(0, slash));
  if (!section) return tl::unexpected(section.error());
  if (*section == CPPC_SECTION_RUNTIME) return begin_restore(runtime, reader, entry, keep_alive);
  void* place = nullptr;
  const cppc_status placed = runtime.restore_place(*section, entry.path.substr(slash + 1).c_str(), entry.bytes, &place);
  if (placed != CPPC_OK) return tl::unexpected(placed);
  if (entry.dead || place == nullptr) return {};
  const std::span memory(static_cast<std::byte*>(place), entry.bytes);
  for (const image::Stored& part : reader.stored(entry))
    places.push_back({.offset = part.file_offset, .memory = memory.subspan(part.object_offset, part.bytes)});
  return {};
}

/// Tens of millions of places take seconds.
void sort(std::vector<fabric::Place>& places, const fabric::KeepAlive& keep_alive) {
  std::size_t comparisons = 0;
  std::ranges::sort(places, [&](const fabric::Place& one, const fabric::Place& other) {
    if (++comparisons % (entries_between_calls * 64) == 0) (void)keep_alive();
    return one.offset < other.offset;
  });
}

tl::expected<std::vector<fabric::Place>, cppc_status> places_for(const cppc_runtime& runtime,
                                                                 std::span<const image::Extent> head,
                                                                 const fabric::KeepAlive& keep_alive) {
  const auto reader = image::Reader::open_head(head, keep_alive);
  if (!reader) return tl::unexpected(reader.error());
  std::vector<fabric::Place> places;
  for (const auto& entry : reader->entries()) {
    if (entry.number % entries_between_calls == 0)
      if (auto alive = keep_alive(); !alive) return tl::unexpected(alive.error());
    if (auto placed = place_entry(runtime, *reader, entry, places, keep_alive); !placed)
      return tl::unexpected(placed.error());
  }
  sort(places, keep_alive);
  if (auto alive = keep_alive(); !alive) return tl::unexpected(alive.error());
  return places;
}

tl::expected<void, cppc_status> put_offer(const fabric::Receiver& receiver, Slot& slot) {
  const auto offer = receiver.offer().encode();
  if (offer.size() > slot.mail.size()) {
    spdlog::error("the fabric's offer of {} bytes does not fit the desk's mail of {}", offer.size(), slot.mail.size());
    return tl::unexpected(CPPC_ERR_FABRIC);
  }
  std::ranges::copy(offer, slot.mail.begin());
  slot.mail_size.store(static_cast<std::uint32_t>(offer.size()));
  return {};
}

}  // namespace

tl::expected<Arrival, cppc_status> Arrival::prepare(const cppc_runtime& runtime, Slot& slot) {
  auto receiver = fabric::Endpoint::open().and_then(
      [](fabric::Endpoint&& endpoint) { return fabric::Receiver::prepare(std::move(endpoint)); });
  if (!receiver) return tl::unexpected(receiver.error());
  if (auto put = put_offer(*receiver, slot); !put) return tl::unexpected(put.error());
  runtime.expect(slot.blocks.data(), std::min<std::uint64_t>(slot.block_count.load(), slot.blocks.size()));
  slot.stage.set(static_cast<std::uint32_t>(Stage::ready));
  return Arrival(slot, std::move(*receiver));
}

cppc_status Arrival::fetch(const cppc_runtime& runtime, const std::function<bool()>& given_up) {
  while (!slot_->stage.wait_while(static_cast<std::uint32_t>(Stage::ready), Clock::now() + std::chrono::seconds(1)))
    if (given_up()) return CPPC_ERR_CANCELLED;
  if (given_up()) return CPPC_ERR_CANCELLED;
  if (auto faulty = fault::at("newcomer-receive"); !faulty) return faulty.error();
  const auto begin = Clock::now();
  const auto unpack = [&](std::span<const image::Extent> head, const fabric::KeepAlive& keep_alive) {
    return places_for(runtime, head, keep_alive);
  };
  const fabric::Patience patience{.deadline = begin + deadlines::ship(), .cancelled = given_up};
  const auto received = receiver_.receive(unpack, patience);
  if (!received) return received.error();
  if (auto faulty = fault::at("newcomer-restore"); !faulty) return faulty.error();
  const cppc_status status = runtime.restore_end();
  spdlog::debug("{} bytes received and restored in {:.3f} ms, {:.1f} MB of memory at most", received->bytes,
                std::chrono::duration<double, std::milli>(Clock::now() - begin).count(), peak_megabytes());
  return status;
}

}  // namespace cppc::migration
