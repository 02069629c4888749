/// A rank's part in a checkpoint: usually its image is copied in memory while it stands still, and written to a file
/// beside its work. Until the file is there the copy takes as much memory as the state.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "../control_block.hpp"
#include "build_image.hpp"
#include "copy_memory.hpp"
#include "cppc/hooks.h"
#include "image_file.hpp"

namespace cppc::migration {

class Snapshot {
 public:
  /// For what the slot asks for: begins to take memory for the copy, on a thread of its own, while the rank works. What
  /// goes wrong is told by copy().
  static std::unique_ptr<Snapshot> prepare(const cppc_runtime& runtime, Slot& slot, int rank);
  /// Waits for what is under way; the slot says whether it is still wanted.
  ~Snapshot();
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  /// Whether it is for what the slot asks for now.
  [[nodiscard]] bool suits() const { return slot_->saves == number_; }

  /// Only while the rank stands still, once. The slot tells the agent how it went.
  void copy(const cppc_runtime& runtime);

  /// The rank works on: the file is written on a thread of its own, and the slot tells the agent.
  void write();

 private:
  Snapshot(Slot& slot, int rank);
  void take_memory(std::uint64_t bytes);
  cppc_status copy_block(const cppc_block& block);
  void write_file();
  void start_thread(const std::function<void()>& work);

  Slot* slot_;
  const int rank_;
  const std::uint64_t number_;
  const ImagePlace place_;
  tl::expected<ImageBuilder, cppc_status> builder_;
  CopyMemory memory_;
  std::thread thread_;
};

/// Without a copy, of a rank that stands still until all of it is over: the image goes to its file from where the state
/// is. The slot tells the agent how it went.
void save_in_place(const cppc_runtime& runtime, Slot& slot, int rank);

}  // namespace cppc::migration
