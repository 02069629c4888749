/// What keepers and cppc-run call an image.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cppc::keeper {

/// Which image.
struct Label {
  std::uint64_t set = 0;
  int rank = 0;
  std::uint64_t bytes = 0, xxh3 = 0;
  bool complete = false;  ///< the set is
};

/// An image, and the keepers that have it, by their addresses; empty: none.
struct Member {
  Label label;
  std::vector<std::string> at;
};

}  // namespace cppc::keeper
