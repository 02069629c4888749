/// What the processes of jobs on an emulated cluster hold, to see whether they grow.
#pragma once

#include <string>
#include <vector>

#include "job.hpp"

namespace cppc::bench {

struct Footprint {
  long descriptors = 0;
  double megabytes = 0;  ///< resident
};

/// The most that any process of `program` (a path) on the nodes has of each.
Footprint largest(const test::Cluster& cluster, const std::vector<std::string>& nodes, const std::string& program);

}  // namespace cppc::bench
