/// What gfortran itself says.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace cppc::fortran {

/// What `gfortran WORDS` writes to standard output, by way of a file in the directory `scratch`. Nothing when it fails,
/// or is not there.
std::optional<std::string> output_of_gfortran(std::vector<std::string> words, const std::string& scratch);

}  // namespace cppc::fortran
