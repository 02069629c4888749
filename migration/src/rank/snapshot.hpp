/// A rank's part in a checkpoint: usually the system keeps a snapshot of its memory from the moment in which it stands
/// still, and the image is written to a file from that beside the rank's work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <semaphore>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "../control_block.hpp"
#include "build_image.hpp"
#include "cppc/hooks.h"
#include "image_file.hpp"
#include "memory_snapshot.hpp"

namespace cppc::migration {

class Snapshot {
 public:
  /// For what the slot asks for; while the rank works: HDF5 takes a while when it is first used.
  Snapshot(const cppc_runtime& runtime, Slot& slot, int rank);
  /// Waits for what is under way; the slot says whether it is still wanted.
  ~Snapshot() = default;
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  /// Whether it is for what the slot asks for now.
  [[nodiscard]] bool suits() const { return slot_->saves == number_; }

  /// Only while the rank stands still, once. The slot tells the agent how it went. Where the system gives no snapshot
  /// the file is written meanwhile, which a warning says.
  void take();

  /// Then the rank works on: the file is written on a thread of its own, and the slot tells the agent.
  void write();

  /// In place of these two, for a rank that stands still until all of it is over: the image goes to its file from where
  /// the state is. The slot tells the agent how it went.
  void write_standing();

  /// Waits until its file is written or given up. A thread that does not come back from storage then is left behind,
  /// with all that it uses.
  static void end(std::unique_ptr<Snapshot> snapshot);

 private:
  using Done = tl::expected<void, std::string>;

  static cppc_status add_to(const cppc_block* block, void* self);
  cppc_status add(const cppc_block& block);
  Done finish_capture();
  Done save_beside_work();
  void stand_instead(const std::string& why);
  void write_in_place();
  void write_file(const std::stop_token& stop);

  Slot* slot_;
  const cppc_runtime* runtime_;
  const int rank_;
  const std::uint64_t number_;
  const ImagePlace place_;
  tl::expected<ImageBuilder, cppc_status> builder_;
  std::vector<std::span<std::byte>> large_;    ///< blocks of the heap, which has huge pages
  std::deque<std::vector<std::byte>> copies_;  ///< of blocks that the snapshot does not have, or the builder needs
  std::optional<MemorySnapshot> memory_;
  std::binary_semaphore written_{0};  ///< the thread is about to end
  std::jthread thread_;
};

}  // namespace cppc::migration
