#include "departure.hpp"

#include <spdlog/spdlog.h>

#include <utility>
#include <vector>

#include "../fabric.hpp"
#include "cppc/deadlines.hpp"
#include "cppc/fault.hpp"
#include "cppc/image.hpp"
#include "peak_memory.hpp"

namespace cppc::migration {
namespace {

tl::unexpected<cppc_status> fail(Slot& slot, cppc_status status) {
  slot.reason.front() = '\0';
  slot.status = status;
  slot.stage.set(static_cast<std::uint32_t>(Stage::failed));
  return tl::unexpected(status);
}

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

}  // namespace

void cannot_depart(cppc_status status, Slot& slot) { fail(slot, status); }

void report_failure(const cppc_runtime& runtime, cppc_status status, Slot& slot) {
  runtime.reason(slot.reason.data(), slot.reason.size());
  slot.status = status;
  slot.stage.set(static_cast<std::uint32_t>(Stage::failed));
}

tl::expected<Departure, cppc_status> Departure::prepare(Slot& slot) {
  auto offer = fabric::Offer::decode(slot.destination.read());
  if (!offer) return tl::unexpected(offer.error());
  auto endpoint = fabric::Endpoint::open_towards(*offer);
  if (!endpoint) return tl::unexpected(endpoint.error());
  return ImageBuilder::create().map([&](ImageBuilder&& builder) {
    return Departure(slot, std::move(*offer), std::move(*endpoint), std::move(builder));
  });
}

bool Departure::suits(const Slot& slot) const { return offer_.encode() == slot.destination.read(); }

tl::expected<image::Image, cppc_status> Departure::pack(const cppc_runtime& runtime) {
  const auto add = [](const cppc_block* block, void* builder) {
    return static_cast<ImageBuilder*>(builder)->add(*block);
  };
  if (const cppc_status status = runtime.capture(add, &builder_); status != CPPC_OK) return tl::unexpected(status);
  return std::move(builder_).finish();
}

tl::expected<void, cppc_status> Departure::ship(const image::Image& image, const std::function<bool()>& given_up) {
  const fabric::TransferLimits limits{.deadline = Clock::now() + deadlines::ship(), .cancelled = given_up};
  const auto report = [this](const fabric::Transferred& so_far, std::uint64_t) {
    slot_->bytes_done.store(so_far.bytes);
    slot_->chunks_again.store(so_far.again);
  };
  auto sent =
      fabric::send(std::move(endpoint_), offer_, {.head = image.head(), .contents = image.contents()}, limits, report);
  if (!sent) return tl::unexpected(sent.error());
  spdlog::debug("{} bytes of {} sent, {} chunks again", sent->sent, sent->bytes, sent->again);
  return {};
}

tl::expected<image::Image, cppc_status> Departure::depart(const cppc_runtime& runtime,
                                                          const std::function<bool()>& given_up) {
  const auto start = Clock::now();
  if (auto faulty = fault::at("source-pack"); !faulty) return fail(*slot_, faulty.error());
  auto image = pack(runtime);
  if (!image) {
    report_failure(runtime, image.error(), *slot_);
    return tl::unexpected(image.error());
  }
  spdlog::debug("image of {} bytes built in {:.1f} ms", image->size(), milliseconds_since(start));
  slot_->bytes_done.store(0);
  slot_->chunks_again.store(0);
  slot_->image_bytes.store(image->size());
  if (auto faulty = fault::at("source-ship"); !faulty) return fail(*slot_, faulty.error());
  if (auto shipped = ship(*image, given_up); !shipped) return fail(*slot_, shipped.error());
  spdlog::debug("image shipped after {:.1f} ms, {:.1f} MB of memory at most", milliseconds_since(start),
                peak_megabytes());
  return image;
}

}  // namespace cppc::migration
