/// What becomes of a job that has lost a rank or a node: it is started again, on the nodes that are left, from the
/// newest checkpoint.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "allocation.hpp"
#include "keepers.hpp"
#include "own_options.hpp"
#include "relocation.hpp"

namespace cppc::run {

/// How mpirun has ended.
struct JobEnd {
  int status = 0;                             ///< as a shell has it
  bool damaged = false;                       ///< a migration could not be completed nor undone
  bool stop_requested = false;                ///< by a signal to cppc-run
  std::set<std::string> silent = {};          ///< nodes that did not answer any more
  std::optional<Relocation> relocation = {};  ///< what it has ended for
  std::set<std::string> evacuated = {};       ///< nodes that it had left as it was told to
  bool ran = true;                            ///< all ranks had come to work
};

/// "node0, node1"
std::string names_of(const std::vector<AllocatedNode>& nodes);

/// What is left of it without these nodes; none: not enough to start a job.
std::optional<Allocation> without(Allocation allocation, const std::set<std::string>& nodes);

/// Whether the job may have done better on other nodes: a rank has been killed by a signal, or a node is lost.
bool is_loss(const JobEnd& end);

class Recovery {
 public:
  /// Whether a node answers; may wait for seconds, and is called on several threads. Not asked of silent ones.
  using Reaches = std::function<bool(const AllocatedNode&)>;

  /// Before the job starts again from its beginning: has it find the same input. False: that is gone.
  using BeginInput = std::function<bool()>;

  /// `options` say how often the job is started again without a new checkpoint in between. `keepers`: which have its
  /// checkpoints; none: they are in a directory.
  Recovery(CheckpointOptions options, std::string job, Reaches reaches, BeginInput begin_input,
           Keepers* keepers = nullptr);

  struct Start {
    std::string restart;    ///< the checkpoint; empty: from the beginning
    Allocation allocation;  ///< what is left of all nodes
  };

  /// None: the job has ended for good. Says what happens.
  std::optional<Start> after(const JobEnd& end, const Allocation& allocation);

 private:
  Result<std::string> newest();
  Result<std::string> newest_on_disk() const;
  bool is_damaged(const std::string& from);
  std::optional<Allocation> left_of(const Allocation& allocation, const std::set<std::string>& known) const;

  CheckpointOptions options_;
  std::string job_;
  Reaches reaches_;
  BeginInput begin_input_;
  Keepers* keepers_;
  std::string last_;               ///< what the job was started from last
  std::set<std::string> damaged_;  ///< checkpoints that no job can go on from
  int starts_ = 0;                 ///< so often
};

}  // namespace cppc::run
