/// What flang needs to know of MPI: an mpif.h without the interfaces of MPI_SIZEOF, and modules mpi and mpi_f08 that
/// have the types and constants. Procedures have names, for `use mpi, only:`, and no interfaces.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace cppc::fortran {

/// Writes mpif.h, mpi.f90, mpi_f08.f90 and mpi_f08_types.f90 into `directory`, from Open MPI's mpif-*.h in one of
/// `headers` and the names in mpi.toml, which is `models`. False when none of `headers` has those.
bool write_stubs(const std::vector<std::string>& headers, const std::filesystem::path& models,
                 const std::filesystem::path& directory);

}  // namespace cppc::fortran
