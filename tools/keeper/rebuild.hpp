/// Images that are rebuilt from what is left of their group.
#pragma once

#include <string>
#include <vector>

#include "images.hpp"
#include "requests.hpp"

namespace cppc::keeper {

/// What may be left of a group.
struct Group {
  struct Row {
    int number = 0;
    std::vector<std::string> at;
  };
  std::vector<Member> members;
  int rows = 0;
  std::vector<Row> parities;
};

/// The image of that rank of the group, from as many other pieces as it has members. Where one is not there, or the
/// image that they make does not have the checksum that its rank has told, others are tried. It is made in `memory`.
Result<Held> rebuild(const Peers& peers, Reservations& memory, const Group& group, int rank);

}  // namespace cppc::keeper
