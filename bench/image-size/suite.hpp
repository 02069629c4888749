/// The NAS Parallel Benchmarks (NPB 3, the MPI version) from a directory of the user's: built by the compiler wrappers
/// in a copy, and the images of their ranks measured.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace cppc::bench {

/// All eight, class A on four ranks. Prints a table; returns {"saved_mb":{…},"live_mb":{…},"ratio":{…},
/// "reachable_mb":{…}} of the largest rank of each that could be measured. Ends the process with a message when
/// `directory` is not the suite's.
nlohmann::ordered_json measure_suite(const std::string& directory);

}  // namespace cppc::bench
