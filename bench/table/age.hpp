/// Whether what a bench is about has changed since it was measured.
#pragma once

#include <string>
#include <vector>

namespace cppc::bench {

/// Which of these folders of a checkout are not what they were at that commit, as a cell of the table says it: nothing
/// if all are.
std::string changes_since(const std::string& commit, const std::string& checkout,
                          const std::vector<std::string>& folders);

/// The table without what changes_since() has put into it: that depends on the commits that follow.
std::string without_changes(const std::string& table);

}  // namespace cppc::bench
