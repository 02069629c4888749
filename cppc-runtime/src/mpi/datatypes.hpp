/// Datatypes that the program has made. They belong to their process alone, so they stay what they are when another
/// rank moves; they are made again in a replacement only.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "bytes.hpp"
#include "cppc/status.h"
#include "mpi/comm_table.hpp"
#include "mpi/datatype_recipe.hpp"
#include "never_destroyed.hpp"
#include "own_handles.hpp"

namespace cppc::mpi {

class Datatypes {
 public:
  /// The call that returned `status` made `type`, or gave it once more (MPI_Type_create_f90_integer and its like).
  /// Nothing is remembered in a plain program.
  int made(int status, const MPI_Datatype* type) {
    if (comms.managed() && status == MPI_SUCCESS && types_.find(*type) == nullptr) types_.add(*type, {.count = 1});
    return status;
  }

  /// A request needs `type` for as long as it lives: until release().
  void retain(MPI_Datatype type) {
    if (!types_.empty()) retain_own(type);
  }
  void release(MPI_Datatype type) {
    if (!types_.empty()) release_own(type);
  }

  /// For MPI_Type_free.
  int free(MPI_Datatype* type);

  [[nodiscard]] std::optional<std::uint64_t> number_of(MPI_Datatype type) const { return types_.number_of(type); }
  [[nodiscard]] std::optional<MPI_Datatype> at(std::uint64_t number) const { return types_.at(number); }

  /// CPPC_ERR_UNSUPPORTED, logged by name, when one cannot be made in another process.
  cppc_status write(ByteWriter& writer) const;

  /// Fails the reader when they are none.
  static std::vector<DatatypeRecipe> read(ByteReader& reader);

  /// Makes them, in a replacement. CPPC_ERR_MPI, logged.
  cppc_status make(const std::vector<DatatypeRecipe>& recipes);

 private:
  struct Uses {
    std::uint64_t count;  ///< by the program, which frees it as often, and by requests
  };
  void retain_own(MPI_Datatype type);
  void release_own(MPI_Datatype type);
  OwnHandles<MPI_Datatype, Uses> types_;
};

inline Datatypes& datatypes() {
  static NeverDestroyed<Datatypes> instance;
  return *instance;
}

}  // namespace cppc::mpi
