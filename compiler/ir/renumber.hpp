/// Numbers of objects and temporaries.
#pragma once

#include <vector>

#include "ir/program.hpp"

namespace cppc::ir {

/// Gives objects the first numbers and temporaries, of which there are many more, those behind, each in their order:
/// sets hold objects only, and are small and fast when the numbers in them lie close together. The new number of each
/// node.
std::vector<Node> put_objects_first(Program& program);

}  // namespace cppc::ir
