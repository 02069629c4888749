#include "arrival.hpp"

#include <spdlog/spdlog.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "../deadlines.hpp"
#include "cppc/image.hpp"

namespace cppc::migration {
namespace {

/// Memory that an image lands in: huge pages, because fresh small ones cost more than the transfer.
class Landing {
 public:
  static tl::expected<Landing, cppc_status> make(std::size_t bytes) {
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      spdlog::error("no memory for an image of {} bytes: {}", bytes, std::strerror(errno));
      return tl::unexpected(CPPC_ERR_MEMORY);
    }
    madvise(memory, bytes, MADV_HUGEPAGE);  // a hint: without it the transfer is slower, no more
    return Landing(memory, bytes);
  }
  Landing(Landing&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Landing& operator=(Landing&&) = delete;
  ~Landing() {
    if (memory_ != nullptr) munmap(memory_, bytes_);
  }
  [[nodiscard]] std::span<std::byte> bytes() const { return {static_cast<std::byte*>(memory_), bytes_}; }

 private:
  Landing(void* memory, std::size_t bytes) : memory_(memory), bytes_(bytes) {}
  void* memory_;
  std::size_t bytes_;
};

tl::expected<cppc_section, cppc_status> section_of(std::string_view name) {
  if (name == "runtime") return CPPC_SECTION_RUNTIME;
  if (name == "global") return CPPC_SECTION_GLOBAL;
  if (name == "frame") return CPPC_SECTION_FRAME;
  if (name == "heap") return CPPC_SECTION_HEAP;
  spdlog::error("the image holds an object of unknown section '{}'", name);
  return tl::unexpected(CPPC_ERR_IMAGE);
}

tl::expected<void, cppc_status> restore_entry(const cppc_runtime& runtime, const image::Reader& reader,
                                              const image::Entry& entry) {
  const auto slash = entry.path.find('/');
  const auto section = section_of(entry.path.substr(0, slash));
  if (!section || slash == std::string::npos) return tl::unexpected(CPPC_ERR_IMAGE);
  const std::string name = entry.path.substr(slash + 1);
  if (*section == CPPC_SECTION_RUNTIME) {
    std::vector<std::byte> block(entry.bytes);
    if (auto read = reader.read(entry, block); !read) return read;
    const cppc_status begun = runtime.restore_begin(block.data(), block.size());
    if (begun != CPPC_OK) return tl::unexpected(begun);
    return {};
  }
  void* place = nullptr;
  const cppc_status placed = runtime.restore_place(*section, name.c_str(), entry.bytes, &place);
  if (placed != CPPC_OK) return tl::unexpected(placed);
  if (entry.dead || place == nullptr) return {};
  return reader.read(entry, {static_cast<std::byte*>(place), entry.bytes});
}

cppc_status restore(const cppc_runtime& runtime, std::span<const std::byte> file) {
  auto reader = image::Reader::open(file);
  if (!reader) return reader.error();
  for (const auto& entry : reader->entries())
    if (auto restored = restore_entry(runtime, *reader, entry); !restored) return restored.error();
  return runtime.restore_end();
}

}  // namespace

tl::expected<Arrival, cppc_status> Arrival::prepare(Slot& slot) {
  auto endpoint = fabric::Endpoint::open();
  if (!endpoint) return tl::unexpected(endpoint.error());
  Arrival arrival(slot, std::move(*endpoint));
  slot.stage.set(static_cast<std::uint32_t>(Stage::ready));
  return arrival;
}

cppc_status Arrival::fetch(const cppc_runtime& runtime) {
  while (!slot_->stage.wait_while(static_cast<std::uint32_t>(Stage::ready), Clock::now() + std::chrono::seconds(1)))
    if (slot_->dismissed.get() != 0) return CPPC_ERR_CANCELLED;
  if (slot_->dismissed.get() != 0) return CPPC_ERR_CANCELLED;
  auto landing = Landing::make(slot_->image_bytes);
  if (!landing) return landing.error();
  {
    auto receiver = fabric::Receiver::prepare(std::move(endpoint_), landing->bytes());
    if (!receiver) return receiver.error();
    const auto offer = receiver->offer().encode();
    if (offer.size() > slot_->mail.size()) {
      spdlog::error("the fabric's offer of {} bytes does not fit the desk's mail of {}", offer.size(),
                    slot_->mail.size());
      return CPPC_ERR_FABRIC;
    }
    std::copy(offer.begin(), offer.end(), slot_->mail.begin());
    slot_->mail_size = static_cast<std::uint32_t>(offer.size());
    slot_->stage.set(static_cast<std::uint32_t>(Stage::offering));
    const fabric::Patience patience{.deadline = Clock::now() + deadlines::ship, .cancelled = {}};
    if (auto received = receiver->receive(patience); !received) return received.error();
  }
  const auto received = Clock::now();
  const cppc_status status = restore(runtime, landing->bytes());
  spdlog::debug("image of {} bytes restored in {:.1f} ms", landing->bytes().size(),
                std::chrono::duration<double, std::milli>(Clock::now() - received).count());
  return status;
}

}  // namespace cppc::migration
