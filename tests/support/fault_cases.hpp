/// Lists of fault cases as they are made.
#pragma once

#include <string>
#include <vector>

#include "fault_case.hpp"

namespace cppc::test {

inline Expectation rolled_back(const std::string& message, int status = 1, const std::string& lost = "") {
  return {Fate::rolled_back, status, message, lost};
}

inline std::vector<std::string> operator+(const std::string& prefix, std::vector<std::string> steps) {
  for (auto& step : steps) step.insert(0, prefix);
  return steps;
}

class FaultCases {
 public:
  using Request = FaultCase::Request;

  /// Of a move and of an evacuation.
  void add(const std::vector<std::string>& places, const std::vector<std::string>& actions,
           const Expectation& expected) {
    for (const Request request : {Request::move, Request::evacuate}) add(places, actions, expected, request);
  }
  void add(const std::vector<std::string>& places, const std::vector<std::string>& actions, const Expectation& expected,
           Request request, const std::string& protection = FaultCase{}.protection) {
    for (const auto& place : places)
      for (const auto& action : actions)
        all_.push_back(
            {.place = place, .action = action, .expected = expected, .request = request, .protection = protection});
  }
  [[nodiscard]] std::vector<FaultCase>& all() { return all_; }

 private:
  std::vector<FaultCase> all_;
};

/// Those of checkpoints and of recoveries.
void add_checkpoint_cases(FaultCases& cases);

}  // namespace cppc::test
