/// What the keeper's program does on a node where a cppc-run takes up a job whose own one has ended.
#pragma once

#include <string>

#include "image.hpp"

namespace cppc::keeper {

/// Passes standard input on to the job's keeper on this node, and its answers on to standard output, until either ends.
/// An error when there is none, or its cppc-run is still there.
Result<void> adopt_job(const std::string& job);

/// Ends the keeper of the job on this node, which does not answer, so that another one can take its place.
Result<void> end_keeper(const std::string& job);

}  // namespace cppc::keeper
