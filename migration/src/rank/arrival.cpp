#include "arrival.hpp"

#include <spdlog/spdlog.h>

#include <utility>
#include <vector>

#include "cppc/deadlines.hpp"
#include "cppc/fault.hpp"
#include "cppc/image.hpp"
#include "peak_memory.hpp"
#include "places.hpp"

namespace cppc::migration {
namespace {

tl::expected<void, cppc_status> put_offer(const fabric::Receiver& receiver, Slot& slot) {
  const auto offer = receiver.offer().encode();
  if (offer.size() > slot.destination.capacity) {
    spdlog::error("the fabric's offer of {} bytes does not fit into the control block's {}", offer.size(),
                  slot.destination.capacity);
    return tl::unexpected(CPPC_ERR_FABRIC);
  }
  slot.destination.write(offer);
  return {};
}

}  // namespace

tl::expected<Arrival, cppc_status> Arrival::prepare(const cppc_runtime& runtime, Slot& slot) {
  auto receiver = fabric::Endpoint::open().and_then(
      [](fabric::Endpoint&& endpoint) { return fabric::Receiver::prepare(std::move(endpoint)); });
  if (!receiver) return tl::unexpected(receiver.error());
  if (auto put = put_offer(*receiver, slot); !put) return tl::unexpected(put.error());
  const auto blocks = slot.blocks.read();
  runtime.expect(blocks.data(), blocks.size());
  slot.stage.set(static_cast<std::uint32_t>(Stage::ready));
  return Arrival(slot, std::move(*receiver));
}

cppc_status Arrival::fetch(const cppc_runtime& runtime, const std::function<bool()>& given_up) {
  while (!slot_->stage.wait_while(static_cast<std::uint32_t>(Stage::ready), Clock::now() + std::chrono::seconds(1)))
    if (given_up()) return CPPC_ERR_CANCELLED;
  if (given_up()) return CPPC_ERR_CANCELLED;
  if (auto faulty = fault::at("replacement-receive"); !faulty) return faulty.error();
  const auto begin = Clock::now();
  const auto unpack = [&](std::span<const image::Extent> head, const fabric::KeepAlive& keep_alive) {
    return image::Reader::open_head(head, keep_alive).and_then([&](const image::Reader& reader) {
      return places_for(runtime, reader, keep_alive);
    });
  };
  const fabric::TransferLimits limits{.deadline = begin + deadlines::ship(), .cancelled = given_up};
  const auto received = receiver_.receive(unpack, limits);
  if (!received) return received.error();
  if (auto faulty = fault::at("replacement-restore"); !faulty) return faulty.error();
  const cppc_status status = runtime.restore_end();
  spdlog::debug("{} bytes received and restored in {:.3f} ms, {:.1f} MB of memory at most", received->bytes,
                std::chrono::duration<double, std::milli>(Clock::now() - begin).count(), peak_megabytes());
  return status;
}

}  // namespace cppc::migration
