/// Arguments of MPI's procedures that are given by their names. flang allows none where there is no interface, and the
/// modules that it reads in place of MPI's have none (stubs.hpp).
#pragma once

#include <flang/Parser/parse-tree.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace cppc::fortran {

/// Of each procedure, in small letters, its arguments but for the last one, `ierror`; a place may have several names.
using ArgumentNames = std::map<std::string, std::vector<std::vector<std::string>>>;

/// As models/mpi_fortran.txt has them; none when it cannot be read.
ArgumentNames argument_names(const std::filesystem::path& file);

/// Puts them where they belong, in all calls in which every argument before them is there.
void place_arguments(Fortran::parser::Program& program, const ArgumentNames& names);

}  // namespace cppc::fortran
