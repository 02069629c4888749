/// What the options of gfortran mean for reading a source.
#pragma once

#include <filesystem>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tree.hpp"

namespace cppc::fortran {

struct Options {
  std::string file;
  bool fixed_form = false;
  bool preprocessed = false;
  int fixed_columns = 72;
  bool backslash = false;
  bool openmp = false;
  bool strict = false;          ///< it is of a standard, without what GNU adds
  bool all_intrinsics = false;  ///< but for intrinsic procedures
  bool modern = true;           ///< no option forbids what is of Fortran 2008 or 2018
  bool declares = false;        ///< calls of procedures without an interface are to be warned of
  bool saves = false;           ///< variables of procedures keep their values from call to call
  bool debug_lines = false;     ///< lines of the fixed form that begin with D are no comments
  int integer_kind = 4, real_kind = 4;
  bool keeps_double = false;                                     ///< has 8 bytes whatever the kind of default reals
  std::vector<std::string> includes, modules;                    ///< directories that are looked into, in their order
  std::vector<std::pair<std::string, std::string>> definitions;  ///< of macros
  std::string refused;  ///< why the source cannot be read as it was compiled; empty when it can

  [[nodiscard]] int double_kind() const { return keeps_double ? 8 : 2 * real_kind; }
  /// What all files of a program have in common.
  [[nodiscard]] auto defaults() const { return std::tuple(integer_kind, real_kind, double_kind(), saves); }
};

Options options_of(const Command& command);

/// Whether the source has a name of MPI's.
bool mentions_mpi(const std::filesystem::path& file);

}  // namespace cppc::fortran
