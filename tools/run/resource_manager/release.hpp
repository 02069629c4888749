#pragma once

#include <string>
#include <string_view>

namespace cppc::run {

/// What has become of a node of a resource manager's job that no rank of ours is left on.
struct Release {
  enum class State {
    released,    ///< it is not in that job any more: its loss harms nobody here
    kept,        ///< it still is
    batch_host,  ///< it still is, and cannot leave: the script of the job runs on it
    no_second,   ///< it still is: Slurm without accounting lets go of nodes once only
  };
  State state = State::kept;
  std::string text;  ///< for people, after the node's name: how that is, and what it means
};

std::string_view text(Release::State state);

}  // namespace cppc::run
