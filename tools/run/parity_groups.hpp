/// Which images share parities (--protect rs:K+M), and on which nodes these are. Any M nodes may be lost: images and
/// parities of a group are on as many nodes, so of each group as many pieces are left as it has images.
#pragma once

#include <string>
#include <vector>

#include "../common/result.hpp"

namespace cppc::run {

using tools::Result;

/// A Reed-Solomon code.
struct ErasureCode {
  int images = 0;    ///< K: a group has not more
  int parities = 0;  ///< M: and so many of these
  friend bool operator==(const ErasureCode&, const ErasureCode&) = default;
};
inline constexpr int most_images_of_group = 64, most_parities_of_group = 8;

struct ParityGroup {
  std::vector<int> ranks;             ///< in the order of the code's coefficients
  std::vector<std::string> parities;  ///< nodes, by row; empty: it is to be made, or lost
  friend bool operator==(const ParityGroup&, const ParityGroup&) = default;
};

/// `homes`: the node of each rank's image, one of `nodes`. On fewer nodes than K + M groups are smaller, and M + 1 is
/// the least; the error of fewer has the numbers.
///
/// Groups that there were before stay as they are, with those of their parities that can stay, so that only what has
/// changed has to travel; but not for the price of more groups, and so more memory, than are needed. Parities are where
/// there are the fewest images and parities.
Result<std::vector<ParityGroup>> plan_groups(const std::vector<std::string>& homes,
                                             const std::vector<std::string>& nodes, const ErasureCode& code,
                                             const std::vector<ParityGroup>& before);

}  // namespace cppc::run
