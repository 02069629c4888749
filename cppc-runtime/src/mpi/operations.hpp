/// Operations that the program has made. Like datatypes they belong to their process alone.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bytes.hpp"
#include "cppc/status.h"
#include "own_handles.hpp"

namespace cppc::mpi {

/// An operation in an image: the program's function by its name.
struct OperationRecipe {
  std::uint64_t number;
  std::string function;
  bool commutes;
};

class Operations {
 public:
  /// For MPI_Op_create and MPI_Op_free.
  int create(MPI_User_function* function, int commutes, MPI_Op* op);
  int free(MPI_Op* op);

  [[nodiscard]] std::optional<std::uint64_t> number_of(MPI_Op op) const { return ops_.number_of(op); }
  [[nodiscard]] std::optional<MPI_Op> at(std::uint64_t number) const { return ops_.at(number); }

  /// CPPC_ERR_UNSUPPORTED, logged, when a function has no name.
  cppc_status write(ByteWriter& writer) const;

  /// Fails the reader when they are none.
  static std::vector<OperationRecipe> read(ByteReader& reader);

  /// Makes them, in a replacement. CPPC_ERR_MISMATCH, logged, when the program does not have such a function.
  cppc_status make(const std::vector<OperationRecipe>& recipes);

 private:
  struct Made {
    MPI_User_function* function;
    bool commutes;
  };
  OwnHandles<MPI_Op, Made> ops_;
};

Operations& operations();

}  // namespace cppc::mpi
