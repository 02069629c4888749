/// What each bench promises in its last line, and how the README tells it.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

namespace cppc::bench {

using Json = nlohmann::ordered_json;

struct Row {
  std::string what, figure;
};

/// What a count may be at the most, on any machine and in any form of the bench; times have no limits.
struct Limit {
  std::string field;                       ///< JSON pointer to a number, or to several
  std::variant<double, std::string> most;  ///< or as much as that field
};

struct BenchRows {
  std::string name;
  std::vector<std::string> fields;  ///< promised beside those that the rows use: JSON pointers
  std::vector<Limit> limits;
  std::function<std::vector<Row>(const Json&)> rows;  ///< throws Json::exception when one is missing
};

/// In the order of the table.
const std::vector<BenchRows>& benches();

/// Which limits the figures are beyond, one text each; throws Json::exception when a field is missing.
std::vector<std::string> beyond_limits(const BenchRows& bench, const Json& figures);

}  // namespace cppc::bench
