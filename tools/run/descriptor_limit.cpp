#include "descriptor_limit.hpp"

#include <string>

namespace cppc::run {
namespace {

// While a node's daemon starts: its launch agent, the port that leads it to mpirun, both sides of that connection, its
// agent.
constexpr std::size_t per_node = 5;
// Standard streams, the program's libraries, listening sockets, connections of operators and of strangers.
constexpr std::size_t besides = 160;

}  // namespace

DescriptorLimit::DescriptorLimit() {
  getrlimit(RLIMIT_NOFILE, &original_);
  raised_ = original_;
  raised_.rlim_cur = raised_.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &raised_) != 0) raised_ = original_;
}

Result<void> DescriptorLimit::check(std::size_t nodes) const {
  const std::size_t needed = nodes * per_node + besides;
  if (raised_.rlim_cur == RLIM_INFINITY || needed <= raised_.rlim_cur) return {};
  return tools::error("a job of " + std::to_string(nodes) + " nodes needs " + std::to_string(needed) +
                      " descriptors in cppc-run, which may have " + std::to_string(raised_.rlim_cur) +
                      " (ulimit -Hn): have the limit raised, or use fewer nodes");
}

void DescriptorLimit::restore() const { setrlimit(RLIMIT_NOFILE, &original_); }

}  // namespace cppc::run
