/// A parity of a group of images of a set (reed_solomon.hpp): what cppc-run and keepers call it, and what is kept of
/// it.
#pragma once

#include <compare>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "image.hpp"
#include "label.hpp"

namespace cppc::keeper {

/// Which parity of a set: a group is known by its ranks, in the order of the coefficients. So those that are made anew
/// while a set is protected again are not taken for earlier ones.
struct ParityName {
  std::vector<int> ranks;
  int rows = 0;  ///< that the group has
  int row = 0;
  friend auto operator<=>(const ParityName&, const ParityName&) = default;
};

struct Parity {
  std::vector<Label> members;  ///< the images that it is of, by the name's ranks
  Held bytes;
};

nlohmann::json to_json(const ParityName& name);
/// Of anything that another keeper says.
std::optional<ParityName> parity_name_in(const nlohmann::json& object);

/// For people: "parity 1 of ranks 0, 2 and 4".
std::string text(const ParityName& name);

}  // namespace cppc::keeper
