/// Modules of which there is no source: what gfortran has written of them into a file NAME.mod, as a source of their
/// own that declares the same names.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace cppc::fortran {

/// Nothing when it is no file of gfortran 8 to 14 (version 15 of the format), or when a program could mean something
/// else without what is not understood. Other declarations that are not understood are missing: flang finds errors in a
/// source that needs them. Procedures are there with their dummies, without bodies; values of constants if they are
/// integers.
std::optional<std::string> source_of_module(const std::filesystem::path& file);

}  // namespace cppc::fortran
