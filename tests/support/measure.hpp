/// What the image of a program of one rank would hold.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace cppc::test {

/// Runs the command, a movable program, on one rank; returns what measuring_extension.cpp tells of it at that safe
/// point, counted from 0. Ends this process with a message when the program does.
nlohmann::json measure(const std::vector<std::string>& command, int safe_point);

}  // namespace cppc::test
