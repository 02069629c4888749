/// What Slurm says of jobs and does with them, by its own commands (scontrol, squeue). Every function waits for
/// slurmctld, for half a minute at the most, or until a stop is requested. Thread-safe.
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "../common/command.hpp"

namespace cppc::slurm {

using tools::Environment;
using tools::Result;

/// Whether a variable of the environment belongs to a job of Slurm's, and not to Slurm's commands.
bool is_of_job(const std::string& variable);

/// The names in a list such as "node[0-2],login".
Result<std::vector<std::string>> expand(const std::string& list);

struct JobNodes {
  std::vector<std::string> names;
  std::string batch_host;  ///< where the script of a batch job runs; empty: it is not one
};
Result<JobNodes> nodes_of(const std::string& job, const std::stop_token& stop = {});

struct Step {
  std::string id;  ///< "17.3"
  std::string name;
};
/// What the job runs on a node, by srun.
Result<std::vector<Step>> steps_on(const std::string& job, const std::string& node, const std::stop_token& stop = {});

/// Ends a step by SIGKILL.
Result<void> kill_step(const std::string& step, const std::stop_token& stop = {});

/// Why the nodes of a job cannot be changed.
struct ResizeFailure {
  enum class Kind { batch_host, no_accounting, other } kind = Kind::other;
  std::string reason;  ///< Slurm's own words
};

/// Takes all other nodes from the job, which ends what runs on them for it. The caller has to be its owner or root.
tl::expected<void, ResizeFailure> keep_only(const std::string& job, const std::vector<std::string>& nodes,
                                            const std::stop_token& stop = {});

/// The comment of a job; empty: none. Waits no longer than `limit`.
Result<std::string> comment_of(const std::string& job, std::chrono::milliseconds limit = std::chrono::seconds(30));

/// The caller has to be the job's owner or root.
Result<void> set_comment(const std::string& job, const std::string& comment);

}  // namespace cppc::slurm
