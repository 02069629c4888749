/// Lists of nodes in the two forms that mpirun takes. Names come back as mpirun uses them (see AllocatedNode).
#pragma once

#include <istream>
#include <string>
#include <vector>

#include "allocation.hpp"

namespace cppc::run {

/// "node0:2,node1,node1": one slot for each mention without a number; "node0:*" and "node0:auto" leave it to the node.
/// `option`, which it is the value of, is for errors.
Result<std::vector<AllocatedNode>> parse_host_list(const std::string& list, const Machine& machine,
                                                   const std::string& option = "--host");

/// Lines such as "node0 slots=2"; a node without slots= that is named once has as many as cores. `name` is for errors.
Result<std::vector<AllocatedNode>> parse_host_file(std::istream& file, const std::string& name, const Machine& machine);

}  // namespace cppc::run
