#include "snapshot.hpp"

#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <system_error>
#include <utility>

#include "cppc/fault.hpp"
#include "departure.hpp"
#include "huge_pages.hpp"
#include "no_signals.hpp"

namespace cppc::migration {
namespace {

/// Of the thread that writes: about a tenth of a processor that a rank keeps busy. Its work is the same whatever share
/// it has; with the least one there would be a checkpoint of a gigabyte only after minutes.
constexpr int kNice = 10;

/// How long the thread of a checkpoint that was given up is waited for.
constexpr std::chrono::seconds kLook{1}, kTimeout{3};

/// Of blocks in which there is a huge page as a whole.
constexpr std::uint64_t kLarge = std::uint64_t{4} << 20;

ImagePlace place_of_image(const Slot& slot, int rank) {
  const auto directory = slot.destination.read();
  return {std::string(reinterpret_cast<const char*>(directory.data()), directory.size()), rank};
}

void report_saving(Slot& slot, Saving how, const std::string& reason = "") {
  const std::size_t size = std::min(reason.size(), slot.reason.size() - 1);
  std::copy_n(reason.begin(), size, slot.reason.begin());
  slot.reason[size] = '\0';
  slot.saving.set(static_cast<std::uint32_t>(how));
}

/// As long as the slot asks for checkpoint `number`. Contents are read from `memory`; null: they are in their places.
tl::expected<void, std::string> save_image(Slot& slot, ImageBuilder&& builder, const MemorySnapshot* memory,
                                           const ImagePlace& place, std::uint64_t number) {
  if (auto faulty = fault::at("saver-write"); !faulty) return tl::unexpected(cppc_status_text(faulty.error()));
  auto image = std::move(builder).finish();
  if (!image) return tl::unexpected(cppc_status_text(image.error()));
  slot.image_bytes.store(image->size());
  const auto wanted = [&](std::uint64_t done) {
    slot.bytes_done.store(done);
    return slot.saves == number;
  };
  const auto written = write_image(*image, memory, place, wanted);
  if (!written) return tl::unexpected(written.error());
  slot.bytes_done.store(written->bytes);
  slot.file_hash = written->hash;
  return {};
}

void report_saving(Slot& slot, const tl::expected<void, std::string>& saved) {
  saved ? report_saving(slot, Saving::written) : report_saving(slot, Saving::failed, saved.error());
}

double milliseconds_between(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double, std::milli>(end - begin).count();
}

}  // namespace

Snapshot::Snapshot(const cppc_runtime& runtime, Slot& slot, int rank)
    : slot_(&slot),
      runtime_(&runtime),
      rank_(rank),
      number_(slot.saves),
      place_(place_of_image(slot, rank)),
      builder_(ImageBuilder::create()) {}

cppc_status Snapshot::add_to(const cppc_block* block, void* self) { return static_cast<Snapshot*>(self)->add(*block); }

/// What other processes can change is copied; so is what the builder reads later, when this process has another.
cppc_status Snapshot::add(const cppc_block& block) {
  if (block.section == CPPC_SECTION_HEAP && block.address != 0 && block.bytes >= kLarge)
    large_.emplace_back(reinterpret_cast<std::byte*>(block.address), static_cast<std::size_t>(block.bytes));
  if (block.data == nullptr || (block.shared == 0 && block.section != CPPC_SECTION_RUNTIME))
    return builder_->add(block);
  cppc_block copied = block;
  const auto* const data = static_cast<const std::byte*>(block.data);
  copied.data = copies_.emplace_back(data, data + block.bytes).data();
  return builder_->add(copied);
}

void Snapshot::take() {
  const auto start = Clock::now();
  if (!builder_) return cannot_depart(builder_.error(), *slot_);
  if (auto faulty = fault::at("saver-copy"); !faulty) return cannot_depart(faulty.error(), *slot_);
  slot_->bytes_done.store(0);
  slot_->image_bytes.store(0);
  if (const cppc_status status = runtime_->capture_begin(add_to, this); status != CPPC_OK)
    return report_failure(*runtime_, status, *slot_);
  const auto captured = Clock::now();
  slot_->saving.set(static_cast<std::uint32_t>(Saving::writing));
  if (auto memory = MemorySnapshot::take([this] { runtime_->capture_search(); }))
    memory_.emplace(*std::move(memory));
  else
    stand_instead(memory.error());
  spdlog::debug("rank {}: state described in {:.1f} ms, then kept in {:.1f} ms", rank_,
                milliseconds_between(start, captured), milliseconds_between(captured, Clock::now()));
  slot_->stage.set(static_cast<std::uint32_t>(Stage::copied));
}

void Snapshot::stand_instead(const std::string& why) {
  spdlog::warn("rank {}: the job stands still until its checkpoint is written: {}", rank_, why);
  runtime_->capture_search();
  const auto captured = finish_capture();
  captured ? write_in_place() : report_saving(*slot_, captured);
}

Snapshot::Done Snapshot::finish_capture() {
  const cppc_status status = runtime_->capture_end(add_to, this);
  if (status == CPPC_OK) return {};
  std::array<char, sizeof slot_->reason> reason{};
  runtime_->reason(reason.data(), reason.size());
  return tl::unexpected(std::string(reason.data()));
}

void Snapshot::write() {
  if (!memory_) return;  // it is written
  try {
    const NoSignals none;
    thread_ = std::jthread([this](const std::stop_token& stop) { write_file(stop); });
  } catch (const std::system_error& error) {
    spdlog::warn("rank {}: no thread for a checkpoint ({}): the rank waits for it", rank_, error.what());
    write_file({});
  }
}

void Snapshot::write_file(const std::stop_token& stop) {
  if (gettid() != getpid())  // a thread of its own
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);
  memory_->give_way(kNice);
  const Done saved = save_beside_work();
  memory_.reset();  // nothing of it is there when others begin
  if (suits()) report_saving(*slot_, saved);
  join_huge_pages(large_, stop);
  written_.release();
}

void Snapshot::end(std::unique_ptr<Snapshot> snapshot) {
  if (!snapshot || !snapshot->thread_.joinable()) return;
  snapshot->thread_.request_stop();
  bool ended = false;
  for (std::chrono::seconds unwanted(0); !ended && unwanted < kTimeout;) {
    ended = snapshot->written_.try_acquire_for(kLook);
    unwanted = snapshot->suits() ? std::chrono::seconds(0) : unwanted + kLook;
  }
  if (ended) return;
  spdlog::warn("rank {}: the file system does not end the writing of a checkpoint that was given up", snapshot->rank_);
  (void)snapshot.release();
}

Snapshot::Done Snapshot::save_beside_work() {
  // Whether the child has come to the end of its search is found out by the runtime.
  (void)memory_->do_work([this] { return suits(); });
  if (!suits()) return tl::unexpected(std::string("given up"));
  if (auto captured = finish_capture(); !captured) return captured;
  return save_image(*slot_, *std::move(builder_), &*memory_, place_, number_);
}

void Snapshot::write_standing() {
  slot_->saving.set(static_cast<std::uint32_t>(Saving::writing));
  if (!builder_) return report_saving(*slot_, Saving::failed, cppc_status_text(builder_.error()));
  const auto visit = [](const cppc_block* block, void* self) {
    return static_cast<Snapshot*>(self)->builder_->add(*block);
  };
  if (const cppc_status status = runtime_->capture(visit, this); status != CPPC_OK) {
    slot_->saving.set(static_cast<std::uint32_t>(Saving::none));
    return report_failure(*runtime_, status, *slot_);
  }
  write_in_place();
}

void Snapshot::write_in_place() {
  report_saving(*slot_, save_image(*slot_, *std::move(builder_), nullptr, place_, number_));
}

}  // namespace cppc::migration
