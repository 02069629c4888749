#include "snapshot.hpp"

#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <system_error>
#include <utility>

#include "cppc/fault.hpp"
#include "departure.hpp"

namespace cppc::migration {
namespace {

ImagePlace place_in_mail(const Slot& slot, int rank) {
  const std::size_t size = std::min<std::size_t>(slot.mail_size.load(), slot.mail.size());
  return {std::string(reinterpret_cast<const char*>(slot.mail.data()), size), rank};
}

/// The program's signals are for its own threads.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

/// Copies what is alive of the block.
void copy_contents(const cppc_block& block, std::byte* to) {
  const auto* const from = static_cast<const std::byte*>(block.data);
  std::uint64_t begin = 0;
  for (const cppc_part& hole : std::span(block.holes, block.hole_count)) {
    std::memcpy(to + begin, from + begin, hole.offset - begin);
    begin = hole.offset + hole.bytes;
  }
  std::memcpy(to + begin, from + begin, block.bytes - begin);
}

void report_saving(Slot& slot, Saving how, const std::string& reason = "") {
  const std::size_t size = std::min(reason.size(), slot.reason.size() - 1);
  std::copy_n(reason.begin(), size, slot.reason.begin());
  slot.reason[size] = '\0';
  slot.saving.set(static_cast<std::uint32_t>(how));
}

/// As long as the slot asks for checkpoint `number`.
void save_image(Slot& slot, ImageBuilder&& builder, const ImagePlace& place, std::uint64_t number) {
  auto image = std::move(builder).finish();
  if (!image) return report_saving(slot, Saving::failed, cppc_status_text(image.error()));
  slot.image_bytes.store(image->size());
  image->seal();
  const auto wanted = [&](std::uint64_t done) {
    slot.bytes_done.store(done);
    return slot.saves == number;
  };
  const auto written = write_image(*image, place, wanted);
  if (!written) return report_saving(slot, Saving::failed, written.error());
  slot.bytes_done.store(written->bytes);
  slot.file_hash = written->xxh3;
  report_saving(slot, Saving::written);
}

double milliseconds_between(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double, std::milli>(end - begin).count();
}

}  // namespace

Snapshot::Snapshot(Slot& slot, int rank)
    : slot_(&slot),
      rank_(rank),
      number_(slot.saves),
      place_(place_in_mail(slot, rank)),
      builder_(ImageBuilder::create()) {}

std::unique_ptr<Snapshot> Snapshot::prepare(const cppc_runtime& runtime, Slot& slot, int rank) {
  std::unique_ptr<Snapshot> one(new Snapshot(slot, rank));
  one->start_thread([raw = one.get(), bytes = runtime.state_bytes()] { raw->take_memory(bytes); });
  return one;
}

Snapshot::~Snapshot() {
  if (thread_.joinable()) thread_.join();
}

void Snapshot::start_thread(const std::function<void()>& work) {
  try {
    const NoSignals none;
    thread_ = std::thread(work);
  } catch (const std::system_error& error) {
    spdlog::warn("rank {}: no thread for a checkpoint ({}): the rank waits for it", rank_, error.what());
    work();
  }
}

void Snapshot::take_memory(std::uint64_t bytes) {
  // What is estimated is a little less than what there will be.
  memory_.take(bytes + bytes / 16);
  slot_->room = number_;
}

cppc_status Snapshot::copy_block(const cppc_block& block) {
  cppc_block copied = block;
  if (block.data != nullptr) {
    std::byte* const memory = memory_.next(block.bytes);
    if (memory == nullptr) {
      spdlog::error("rank {}: no memory for a copy of its state", rank_);
      return CPPC_ERR_MEMORY;
    }
    copy_contents(block, memory);
    copied.data = memory;
  }
  return builder_->add(copied);
}

void Snapshot::copy(const cppc_runtime& runtime) {
  const auto start = Clock::now();
  if (thread_.joinable()) thread_.join();
  const auto has_memory = Clock::now();
  if (!builder_) return cannot_depart(builder_.error(), *slot_);
  if (auto faulty = fault::at("saver-copy"); !faulty) return cannot_depart(faulty.error(), *slot_);
  const auto visit = [](const cppc_block* block, void* self) {
    return static_cast<Snapshot*>(self)->copy_block(*block);
  };
  slot_->bytes_done.store(0);
  slot_->image_bytes.store(0);
  if (const cppc_status status = runtime.capture(visit, this); status != CPPC_OK)
    return report_failure(runtime, status, *slot_);
  spdlog::debug("rank {}: state copied in {:.1f} ms, after {:.1f} ms for its memory", rank_,
                milliseconds_between(has_memory, Clock::now()), milliseconds_between(start, has_memory));
  slot_->saving.set(static_cast<std::uint32_t>(Saving::writing));
  slot_->stage.set(static_cast<std::uint32_t>(Stage::copied));
}

void Snapshot::write() {
  start_thread([this] { write_file(); });
}

void Snapshot::write_file() {
  if (gettid() != getpid())  // a thread of its own: with the processors that the program leaves
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), 19);
  if (!suits()) return report_saving(*slot_, Saving::failed, "given up");
  if (auto faulty = fault::at("saver-write"); !faulty)
    return report_saving(*slot_, Saving::failed, cppc_status_text(faulty.error()));
  save_image(*slot_, *std::move(builder_), place_, number_);
}

void save_in_place(const cppc_runtime& runtime, Slot& slot, int rank) {
  slot.saving.set(static_cast<std::uint32_t>(Saving::writing));
  auto builder = ImageBuilder::create();
  if (!builder) return report_saving(slot, Saving::failed, cppc_status_text(builder.error()));
  if (auto faulty = fault::at("saver-write"); !faulty)
    return report_saving(slot, Saving::failed, cppc_status_text(faulty.error()));
  const auto add = [](const cppc_block* block, void* to) { return static_cast<ImageBuilder*>(to)->add(*block); };
  if (const cppc_status status = runtime.capture(add, &*builder); status != CPPC_OK) {
    slot.saving.set(static_cast<std::uint32_t>(Saving::none));
    return report_failure(runtime, status, slot);
  }
  save_image(slot, *std::move(builder), place_in_mail(slot, rank), slot.saves);
}

}  // namespace cppc::migration
