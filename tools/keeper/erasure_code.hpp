/// Parities of groups of images, and images that are rebuilt from what is left of their group.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "images.hpp"
#include "requests.hpp"

namespace cppc::keeper {

/// An image of a group, and where it is; empty: nowhere.
struct Member {
  Label label;
  std::vector<std::string> at;
};

/// A parity to be made here.
struct Encoding {
  ParityName name;
  std::vector<Member> members;  ///< by the name's ranks; each is somewhere
};

/// Gets from the members' keepers what has changed since an earlier set, if this keeper has the parity of the same
/// ranks in it, and else, or when that fails, all. So many bytes have travelled. `wanted` is asked often.
Result<std::uint64_t> encode(const Peers& peers, Images& images, const Encoding& encoding,
                             const std::function<bool()>& wanted);

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
/// image that they make does not have the checksum that its rank has told, others are tried. Nothing is kept.
Result<Held> rebuild(const Peers& peers, const Group& group, int rank);

}  // namespace cppc::keeper
