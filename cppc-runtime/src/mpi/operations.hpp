/// Operations that the program has made. Like datatypes they belong to their process alone, and have numbers.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "bytes.hpp"
#include "cppc/status.h"
#include "mpi/own_table.hpp"

namespace cppc::mpi {

/// What an operation is, besides its function.
struct OperationKind {
  bool commutes;
  bool fortran;  ///< the function is called as one of Fortran

  [[nodiscard]] std::uint8_t bits() const { return static_cast<std::uint8_t>((commutes ? 1 : 0) | (fortran ? 2 : 0)); }
  static OperationKind of(std::uint8_t bits) { return {.commutes = (bits & 1) != 0, .fortran = (bits & 2) != 0}; }
};

/// An operation in an image: the program's function by its name.
struct OperationRecipe {
  std::uint64_t number;
  std::string function;
  OperationKind kind;
};

class Operations {
  struct Made {
    MPI_User_function* function;
    OperationKind kind;
  };

 public:
  using Table = OwnTable<MPI_Op, Made>;

  /// For MPI_Op_create and MPI_Op_free.
  int create(MPI_User_function* function, OperationKind kind, MPI_Op* op);
  int free(MPI_Op* op);

  /// CPPC_ERR_UNSUPPORTED, logged, when a function has no name.
  cppc_status write(ByteWriter& writer);

  /// Fails the reader when they are none.
  static std::vector<OperationRecipe> read(ByteReader& reader);

  /// Makes them, in a replacement. CPPC_ERR_MISMATCH, logged, when the program does not have such a function.
  cppc_status make(const std::vector<OperationRecipe>& recipes);

 private:
  Table ops_;
};

Operations& operations();

/// The operation that MPI knows; MPI_OP_NULL for one that has been freed, as MPI looks into whatever it gets.
inline MPI_Op real(MPI_Op op) {
  const MPI_Op known = Operations::Table::real(op);
  return known != nullptr ? known : MPI_OP_NULL;
}

}  // namespace cppc::mpi
