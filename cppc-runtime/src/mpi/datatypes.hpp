/// Datatypes that the program has made. They belong to their process alone, so they stay what they are when another
/// rank moves; they are made again in a replacement only. The program knows them by numbers (own_table.hpp).
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "bytes.hpp"
#include "cppc/status.h"
#include "handles.hpp"
#include "mpi/comm_table.hpp"
#include "mpi/datatype_recipe.hpp"
#include "mpi/own_table.hpp"
#include "mpi/program_list.hpp"
#include "never_destroyed.hpp"

namespace cppc::mpi {

class Datatypes {
  struct Uses {
    std::uint64_t count;  ///< by the program, which frees it as often, and by requests
  };

 public:
  using Table = OwnTable<MPI_Datatype, Uses>;

  /// `make(MPI_Datatype*)` makes a datatype, or gives one once more (MPI_Type_create_f90_integer and its like); the
  /// program gets a handle of the table for it in *out.
  template <class Make>
  int create(MPI_Datatype* out, Make make) {
    if (!comms.managed() || out == nullptr) return make(out);
    MPI_Datatype made = MPI_DATATYPE_NULL;
    const int status = make(&made);
    if (status == MPI_SUCCESS) *out = known(made);
    return status;
  }

  /// MPI has given the program `real`, if derived as a copy that it is to free: what the program gets.
  MPI_Datatype given(MPI_Datatype real);

  /// What the program knows `real` as; itself when that is no other.
  [[nodiscard]] MPI_Datatype handle_for(MPI_Datatype real) const { return types_.handle_for(real); }

  /// A request needs `type`, the program's, for as long as it lives: until release().
  void retain(MPI_Datatype type) {
    if (Uses* const uses = types_.find(type)) retain_own(type, *uses);
  }
  void release(MPI_Datatype type) {
    if (types_.find(type) != nullptr) release_own(type);
  }

  /// For MPI_Type_free.
  int free(MPI_Datatype* type);

  /// CPPC_ERR_UNSUPPORTED, logged by name, when one cannot be made in another process.
  cppc_status write(ByteWriter& writer);

  /// Fails the reader when they are none.
  static std::vector<DatatypeRecipe> read(ByteReader& reader);

  /// Gives those of another architecture's image the form that they have here. CPPC_ERR_UNSUPPORTED, logged by name.
  static cppc_status translate(std::vector<DatatypeRecipe>& recipes, const mpi_state::Types& types);

  /// Makes them, in a replacement. CPPC_ERR_MPI, logged.
  cppc_status make(const std::vector<DatatypeRecipe>& recipes);

 private:
  MPI_Datatype known(MPI_Datatype made);
  static void retain_own(MPI_Datatype type, Uses& uses);
  void release_own(MPI_Datatype type);
  Table types_;
};

inline Datatypes& datatypes() {
  static NeverDestroyed<Datatypes> instance;
  return *instance;
}

/// The datatype that MPI knows.
inline MPI_Datatype real(MPI_Datatype type) { return Datatypes::Table::real(type); }

/// A list of datatypes as MPI knows them.
ProgramList<MPI_Datatype> real_types(const MPI_Datatype* types, int count);

}  // namespace cppc::mpi
