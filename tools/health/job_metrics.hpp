/// What Prometheus is told of the jobs of this machine.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace cppc::health {

/// Of Jobs::all(), in Prometheus's text format. Counters and histograms are of all that a job has had so far, and end
/// with it.
std::string job_metrics(const nlohmann::json& jobs);

}  // namespace cppc::health
