/// The names under which a function of Fortran, `lower` with one underscore behind it, is called: as compilers spell
/// it, as Open MPI's modules mpi_f08 and mpi call it, and by its PMPI_ name.
#pragma once

#define CPPC_FORTRAN_SPELLINGS(lower, upper)                          \
  decltype(lower##_) lower __attribute__((alias(#lower "_")));        \
  decltype(lower##_) lower##__ __attribute__((alias(#lower "_")));    \
  decltype(lower##_) upper __attribute__((alias(#lower "_")));        \
  decltype(lower##_) o##lower##_f __attribute__((alias(#lower "_"))); \
  decltype(lower##_) p##lower##_ __attribute__((alias(#lower "_")));
