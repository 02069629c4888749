#include "departure.hpp"

#include <spdlog/spdlog.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../deadlines.hpp"
#include "../fabric.hpp"
#include "cppc/image.hpp"
#include "image_types.hpp"

namespace cppc::migration {
namespace {

std::string_view section_name(cppc_section section) {
  switch (section) {
    case CPPC_SECTION_RUNTIME:
      return "runtime";
    case CPPC_SECTION_GLOBAL:
      return "global";
    case CPPC_SECTION_FRAME:
      return "frame";
    case CPPC_SECTION_HEAP:
      return "heap";
  }
  return "unknown";
}

struct Packer {
  image::Writer& writer;
  TypeTranslator types;
};

cppc_status pack_block(const cppc_block* block, void* context) {
  auto& packer = *static_cast<Packer*>(context);
  image::Object object;
  object.path = std::string(section_name(block->section)) + "/" + block->name;
  object.type = packer.types.translate(block->type);
  object.count = block->count;
  if (block->data != nullptr) object.data = {static_cast<const std::byte*>(block->data), block->bytes};
  std::vector<image::Part> holes;
  for (const cppc_part& hole : std::span(block->holes, block->hole_count)) holes.push_back({hole.offset, hole.bytes});
  object.holes = holes;
  auto added = packer.writer.add(object);
  return added ? CPPC_OK : added.error();
}

tl::expected<image::Image, cppc_status> pack(const cppc_runtime& runtime, image::Writer writer) {
  Packer packer{writer, {}};
  if (const cppc_status status = runtime.capture(pack_block, &packer); status != CPPC_OK) return tl::unexpected(status);
  return std::move(writer).finish();
}

tl::expected<void, cppc_status> ship(const image::Image& image, Slot& slot) {
  const auto offer = fabric::Offer::decode(std::span(slot.mail).first(slot.mail_size));
  if (!offer) return tl::unexpected(offer.error());
  auto endpoint = fabric::Endpoint::open_towards(*offer);
  if (!endpoint) return tl::unexpected(endpoint.error());
  const fabric::Patience patience{.deadline = Clock::now() + deadlines::ship, .cancelled = {}};
  const auto report = [&slot](std::uint64_t done, std::uint64_t) { slot.bytes_done.store(done); };
  auto sent = fabric::send(std::move(*endpoint), *offer, image.extents(), patience, report);
  if (!sent) return tl::unexpected(sent.error());
  return {};
}

cppc_status fail(Slot& slot, cppc_status status) {
  slot.status = status;
  slot.stage.set(static_cast<std::uint32_t>(Stage::failed));
  return status;
}

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

}  // namespace

void cannot_depart(cppc_status status, Slot& slot) { fail(slot, status); }

cppc_status depart(const cppc_runtime& runtime, image::Writer writer, Slot& slot) {
  const auto start = Clock::now();
  auto image = pack(runtime, std::move(writer));
  if (!image) return fail(slot, image.error());
  spdlog::debug("image of {} bytes built in {:.1f} ms", image->size(), milliseconds_since(start));
  slot.image_bytes = image->size();
  slot.bytes_done.store(0);
  slot.stage.set(static_cast<std::uint32_t>(Stage::packed));
  if (!slot.stage.wait_while(static_cast<std::uint32_t>(Stage::packed), Clock::now() + deadlines::ship))
    return fail(slot, CPPC_ERR_TIMEOUT);
  if (slot.mail_size == 0) return fail(slot, CPPC_ERR_CANCELLED);  // the replacement has no room for it
  if (auto shipped = ship(*image, slot); !shipped) return fail(slot, shipped.error());
  spdlog::debug("image shipped after {:.1f} ms", milliseconds_since(start));
  slot.stage.set(static_cast<std::uint32_t>(Stage::shipped));
  return CPPC_OK;
}

}  // namespace cppc::migration
