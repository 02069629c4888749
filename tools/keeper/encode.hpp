/// Parities of groups of images, as a keeper makes them.
#pragma once

#include <functional>
#include <vector>

#include "images.hpp"
#include "requests.hpp"

namespace cppc::keeper {

/// A parity to be made here.
struct Encoding {
  ParityName name;
  std::vector<Member> members;  ///< by the name's ranks; each is somewhere
};

/// Gets from the members' keepers what has changed since an earlier set, if this keeper has the parity of the same
/// ranks in it, and else, or when that fails, all. So many bytes have travelled. `wanted` is asked often.
Result<std::uint64_t> encode(const Peers& peers, Images& images, const Encoding& encoding,
                             const std::function<bool()>& wanted);

}  // namespace cppc::keeper
