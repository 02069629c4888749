/// Datatypes of another architecture: displacements in bytes are those of the members of a structure, which lie
/// elsewhere here.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "handles.hpp"
#include "layout.hpp"
#include "mpi/datatype_recipe.hpp"

namespace cppc::mpi {

/// Of the datatypes of one image.
class DatatypeTranslation {
 public:
  explicit DatatypeTranslation(const mpi_state::Types& types);

  /// Gives the recipe at `position` the displacements that it has here: by the program's structures that have members
  /// of these sizes there, if all of them say the same. The error says why that is not known.
  tl::expected<void, std::string> translate(DatatypeRecipe& recipe, std::size_t position);

 private:
  struct Structure {
    const Layout* image;
    const Layout* own;
  };
  tl::expected<void, std::string> translate_members(DatatypeRecipe& recipe, std::size_t position);
  tl::expected<void, std::string> translate_extent(DatatypeRecipe& recipe) const;

  std::vector<Structure> structures_;
  std::map<std::size_t, std::vector<Structure>> described_;  ///< by the position of their datatype
};

}  // namespace cppc::mpi
