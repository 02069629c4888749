/// In which parts of arrays statements have to do: by the subscripts that all their accesses share.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "tree.hpp"

namespace cppc::fortran {

/// By dimension: the subscript of all accesses; null where they differ or that is not known.
struct Slice {
  Index view = none;
  std::vector<ExprPtr> subscripts;
};

/// By array that is accessed.
using Slices = std::map<Index, Slice>;

class SliceFinder {
 public:
  /// `changes`: whether a procedure perhaps changes a dummy of its own.
  using Changes = std::function<bool(Index procedure, Index dummy)>;
  SliceFinder(const Program& program, Changes changes) : program_(program), changes_(std::move(changes)) {}

  /// In terms of the procedure in which the statements are. Nothing when they call what is not known, but for functions
  /// of MPI and of the language, which access what they are given.
  std::optional<Slices> of(const Statement& statement);
  std::optional<Slices> of(const Statements& statements);

 private:
  class Walk;
  const std::optional<Slices>& of_procedure(Index procedure);

  const Program& program_;
  const Changes changes_;
  std::map<Index, std::optional<Slices>> known_;
};

}  // namespace cppc::fortran
