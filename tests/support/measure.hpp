/// What the images of a program's ranks would hold.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace cppc::test {

/// Runs the command, a movable program, on one rank; returns what measuring_extension.cpp tells of it at that safe
/// point, counted from 0. Ends this process with a message when the program does.
nlohmann::json measure(const std::vector<std::string>& command, int safe_point);

/// Likewise on `ranks` ranks of this machine, by mpirun: an array, by rank. Null when the program has not come there in
/// time, or its state cannot be saved; `output` is then what it has written.
nlohmann::json measure_ranks(const std::vector<std::string>& command, int ranks, int safe_point,
                             std::chrono::seconds limit, std::string& output);

}  // namespace cppc::test
