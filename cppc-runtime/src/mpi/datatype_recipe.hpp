/// How a datatype was made, as MPI itself remembers it: enough to make it again in another process.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "bytes.hpp"
#include "cppc/status.h"

namespace cppc::mpi {

/// A call of a constructor.
struct DatatypeRecipe {
  /// A datatype that is MPI's own, or that an earlier recipe of the same list makes.
  struct Part {
    bool own;
    std::size_t position;  ///< in the list of recipes, or among MPI's own
    MPI_Aint extent;       ///< in the process that wrote it

    bool operator==(const Part&) const = default;
  };

  std::size_t constructor = 0;
  std::vector<int> integers;
  std::vector<MPI_Aint> addresses;
  std::vector<Part> parts;
  std::string name;  ///< empty without a number
  std::uint64_t number =
      0;  ///< by which the program's objects know it; 0: the program does not have it, others need it
  std::uint64_t uses = 0;

  /// Makes the datatype and commits it, since it cannot be told whether it was, nor does it matter to a correct
  /// program. `made`: by the recipes before. CPPC_ERR_MPI, logged.
  [[nodiscard]] tl::expected<MPI_Datatype, cppc_status> make(const std::vector<MPI_Datatype>& made) const;

  [[nodiscard]] int combiner() const;
  [[nodiscard]] const char* function() const;

  void write(ByteWriter& writer) const;

  /// The recipe at `position` of its list; fails the reader when it is none.
  static DatatypeRecipe read(ByteReader& reader, std::size_t position);
};

/// Recipes of datatypes and of all that they are made from, each after its parts.
class DatatypeRecipes {
 public:
  /// The error says why `type` cannot be made again in another process.
  tl::expected<void, std::string> add(MPI_Datatype type, std::uint64_t number, std::uint64_t uses);

  [[nodiscard]] const std::vector<DatatypeRecipe>& list() const { return recipes_; }

 private:
  tl::expected<std::size_t, std::string> position_of(MPI_Datatype part);
  tl::expected<DatatypeRecipe, std::string> recipe_of(MPI_Datatype type);
  tl::expected<void, std::string> add_parts(DatatypeRecipe& recipe, const std::vector<MPI_Datatype>& parts);

  std::vector<DatatypeRecipe> recipes_;
};

}  // namespace cppc::mpi
