#pragma once

namespace cppc::migrate {

/// Exit statuses of `migrate`.
enum class Exit {
  done = 0,
  failed = 1,
  wrong_usage = 2,
  refused = 3,
  damaged = 4,
  controller_here = 5,    ///< the node is empty, but cppc-run of a job runs on it
  others_left = 6,        ///< the jobs asked for have left the node; others are, or may be, on it
  node_kept = 7,          ///< the node is empty, but still in the job of the resource manager
  batch_host = 8,         ///< likewise, and it cannot be taken out: the batch script runs there
  no_second_release = 9,  ///< likewise: Slurm without accounting takes nodes out of a job only once
  timeout = 124,
};

inline int exit_with(Exit how) { return static_cast<int>(how); }

}  // namespace cppc::migrate
