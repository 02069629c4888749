/// What each bench promises in its last line, and how the README tells it.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace cppc::bench {

using Json = nlohmann::ordered_json;

struct Row {
  std::string what, figure;
};

struct BenchRows {
  std::string name;
  std::vector<std::string> fields;                    ///< promised beside those that the rows use: JSON pointers
  std::function<std::vector<Row>(const Json&)> rows;  ///< throws Json::exception when one is missing
};

/// In the order of the table.
const std::vector<BenchRows>& benches();

}  // namespace cppc::bench
