/// What each bench promises in its last line, and how the README tells it.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "text.hpp"

namespace cppc::bench {

struct Row {
  std::string what, figure;
};

/// What a figure may be at the most.
struct Limit {
  std::string field;                       ///< JSON pointer to a number, or to several
  std::variant<double, std::string> most;  ///< or as much as that field
  std::string per = {};                    ///< if there is one, the number is divided by that field
};

struct BenchRows {
  std::string name;
  std::vector<std::string> subjects;                  ///< folders of what it measures: older figures are marked
  std::vector<std::string> fields;                    ///< promised beside those that the rows use: JSON pointers
  std::vector<Limit> limits;                          ///< of counts: on any machine, in any form of the bench
  std::vector<Limit> usual_limits;                    ///< of times and of what grows: in the usual form
  std::function<std::vector<Row>(const Json&)> rows;  ///< throws Json::exception when one is missing
};

/// In the order of the table.
const std::vector<BenchRows>& benches();

enum class Form { usual, shortest };

/// Those that hold in this form.
std::vector<Limit> limits_of(const BenchRows& bench, Form form);

/// Which of these the figures are beyond, one text each; a line that is older than a field has nothing to exceed.
std::vector<std::string> beyond_limits(const BenchRows& bench, const Json& figures, Form form);

}  // namespace cppc::bench
