#include "parity.hpp"

#include <algorithm>
#include <limits>

#include "reed_solomon.hpp"

namespace cppc::keeper {
namespace {

using nlohmann::json;

bool is_count(const json& object, const char* field) {
  return object.contains(field) && object[field].is_number_unsigned() && object[field] <= most_pieces;
}

bool is_rank(const json& value) {
  return value.is_number_unsigned() && value <= static_cast<std::uint64_t>(std::numeric_limits<int>::max());
}

}  // namespace

json to_json(const ParityName& name) { return {{"ranks", name.ranks}, {"rows", name.rows}, {"row", name.row}}; }

std::optional<ParityName> parity_name_in(const json& object) {
  if (!is_count(object, "rows") || !is_count(object, "row") || !object.contains("ranks") ||
      !object["ranks"].is_array() || !std::ranges::all_of(object["ranks"], is_rank))
    return std::nullopt;
  ParityName name{object["ranks"].get<std::vector<int>>(), object["rows"], object["row"]};
  const auto pieces = name.ranks.size() + static_cast<std::size_t>(name.rows);
  if (name.ranks.empty() || name.row >= name.rows || pieces > most_pieces) return std::nullopt;
  return name;
}

std::string text(const ParityName& name) {
  std::string ranks;
  for (std::size_t i = 0; i < name.ranks.size(); ++i)
    ranks += (i == 0 ? "" : i + 1 == name.ranks.size() ? " and " : ", ") + std::to_string(name.ranks[i]);
  return "parity " + std::to_string(name.row) + (name.ranks.size() == 1 ? " of rank " : " of ranks ") + ranks;
}

}  // namespace cppc::keeper
