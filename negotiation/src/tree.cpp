#include "cppc/tree.hpp"

#include <algorithm>

namespace cppc::negotiation {

TreePlace::TreePlace(int self, int agents, int fan_out) : self_(self), fan_out_(fan_out) {
  const int first = self * fan_out + 1;
  for (int child = first; child < std::min(first + fan_out, agents); ++child) children_.push_back(child);
}

}  // namespace cppc::negotiation
