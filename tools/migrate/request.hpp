/// Asks a job for a migration and sees it to its end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "job_client.hpp"

namespace cppc::migrate {

/// Exit statuses of `migrate`.
enum class Exit { done = 0, failed = 1, wrong_usage = 2, refused = 3, damaged = 4, timeout = 124 };

struct Request {
  std::vector<int> ranks;  ///< or:
  std::string evacuate;
  std::vector<std::string> to;
  bool dry_run = false;
  bool json = false;
  std::optional<double> timeout_s;
};

/// Says on stdout what happens, and on stderr what went wrong.
Exit carry_out(const RunningJob& job, const Request& request);

}  // namespace cppc::migrate
