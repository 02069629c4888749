/// What it costs that a rank's memory is in many small blocks: ranks of a job on an emulated cluster move to and fro,
/// one that has a list with a block for each link, and one that has the same list in one block.
#pragma once

#include <string>

#include "job.hpp"

namespace cppc::bench {

/// More than for the same bytes in one block, divided by the number of blocks: medians of differences between moves
/// that follow each other.
struct BlockCost {
  double nanoseconds = 0;  ///< from the order to move until all is in its place: saved, sent, received, restored
  double image_bytes = 0;
  double source_bytes = 0, replacement_bytes = 0;  ///< of memory, at their peaks
};

/// `program`: a build of blocks.c. Ends this process with a message when a move fails, or the list is wrong after all
/// of them.
BlockCost measure_small_blocks(const test::Cluster& cluster, const std::string& program, long blocks, int turns);

}  // namespace cppc::bench
