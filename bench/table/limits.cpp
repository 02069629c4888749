#include <algorithm>
#include <cstdio>
#include <limits>

#include "rows.hpp"

namespace cppc::bench {
namespace {

/// Of a number, or of all in an object or an array.
double largest(const Json& values) {
  if (!values.is_structured()) return values.get<double>();
  double most = std::numeric_limits<double>::lowest();
  for (const Json& value : values) most = std::max(most, largest(value));
  return most;
}

/// Of a limit that is just exceeded no digit may be left out.
std::string exact(double value) {
  char digits[64];
  std::snprintf(digits, sizeof digits, "%.6g", value);
  return digits;
}

}  // namespace

std::vector<Limit> limits_of(const BenchRows& bench, Form form) {
  std::vector<Limit> limits = bench.limits;
  if (form == Form::usual) limits.insert(limits.end(), bench.usual_limits.begin(), bench.usual_limits.end());
  return limits;
}

std::vector<std::string> beyond_limits(const BenchRows& bench, const Json& figures, Form form) {
  const auto number = [&](const std::string& field) { return largest(figures.at(Json::json_pointer(field))); };
  std::vector<std::string> beyond;
  for (const Limit& limit : limits_of(bench, form)) {
    if (!figures.contains(Json::json_pointer(limit.field))) continue;
    const auto* const field = std::get_if<std::string>(&limit.most);
    const double most = field != nullptr ? number(*field) : std::get<0>(limit.most);
    const double value = number(limit.field) / (limit.per.empty() ? 1 : number(limit.per));
    if (value > most)
      beyond.push_back(bench.name + ": " + limit.field + (limit.per.empty() ? "" : " by " + limit.per) + " is " +
                       exact(value) + ", at most " + exact(most) + (field != nullptr ? " (" + *field + ")" : ""));
  }
  return beyond;
}

}  // namespace cppc::bench
