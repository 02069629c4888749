#include "mpi/datatype_translation.hpp"

#include <mpi.h>

#include <algorithm>
#include <optional>

#include "mpi/mpi_objects.hpp"
#include "mpi/predefined.hpp"

namespace cppc::mpi {

namespace {

using Addresses = std::vector<MPI_Aint>;

MPI_Aint extent_here(std::size_t predefined) {
  MPI_Aint lower = 0, extent = 0;
  must(PMPI_Type_get_extent(*datatype_at(predefined), &lower, &extent), "MPI_Type_get_extent");
  return extent;
}

/// Where `length` elements, of so many bytes there and here, that begin at `place` of the image's structure are in this
/// program's; nothing when they are none of its members.
std::optional<MPI_Aint> member_at(const Layout& image, const Layout& own, MPI_Aint place, int length, MPI_Aint there,
                                  MPI_Aint here) {
  const auto first = leaf_at(image, 1, static_cast<std::uint64_t>(place));
  if (!first || first->past || first->number >= image.leaves) return std::nullopt;
  std::optional<MPI_Aint> begin;
  for (int i = 0; i < length; ++i) {
    const Leaf leaf{first->number + static_cast<std::uint64_t>(i), false};
    if (leaf.number >= image.leaves) return std::nullopt;
    const auto in_image = static_cast<MPI_Aint>(*offset_of(image, 1, leaf));
    const auto in_own = static_cast<MPI_Aint>(*offset_of(own, 1, leaf));
    if (i == 0) begin = in_own;
    const bool fits = in_image == place + i * there && in_own == *begin + i * here &&
                      static_cast<MPI_Aint>(leaf_bytes(image, leaf.number)) == there &&
                      static_cast<MPI_Aint>(leaf_bytes(own, leaf.number)) == here;
    if (!fits) return std::nullopt;
  }
  return begin;
}

/// The displacements of a call of MPI_Type_create_struct for this program's structure.
std::optional<Addresses> members_of(const Layout& image, const Layout& own, const DatatypeRecipe& recipe) {
  Addresses places;
  for (std::size_t i = 0; i < recipe.parts.size(); ++i) {
    const DatatypeRecipe::Part& part = recipe.parts[i];
    if (part.own) return std::nullopt;
    const auto place =
        member_at(image, own, recipe.addresses[i], recipe.integers[i + 1], part.extent, extent_here(part.position));
    if (!place) return std::nullopt;
    places.push_back(*place);
  }
  return places;
}

tl::unexpected<std::string> unknown(const DatatypeRecipe& recipe, const char* what) {
  return tl::unexpected("datatype \"" + recipe.name + "\", made by " + recipe.function() + ", has " + what +
                        ", and no structure of the program says what they are on another architecture");
}

}  // namespace

DatatypeTranslation::DatatypeTranslation(const mpi_state::Types& types) {
  for (const cppc_type* type : types.image) {
    const Layout& image = layout_of(type);
    if (type->kind != CPPC_STRUCT) continue;
    if (const Layout* const own = types.translation.own(image)) structures_.push_back({&image, own});
  }
}

tl::expected<void, std::string> DatatypeTranslation::translate(DatatypeRecipe& recipe, std::size_t position) {
  if (recipe.combiner() == MPI_COMBINER_STRUCT) return translate_members(recipe, position);
  if (recipe.combiner() == MPI_COMBINER_RESIZED) return translate_extent(recipe);
  if (!recipe.addresses.empty()) return unknown(recipe, "displacements in bytes");
  return {};
}

tl::expected<void, std::string> DatatypeTranslation::translate_members(DatatypeRecipe& recipe, std::size_t position) {
  std::optional<Addresses> found;
  for (const Structure& structure : structures_) {
    auto places = members_of(*structure.image, *structure.own, recipe);
    if (!places) continue;
    if (found && *found != *places) return unknown(recipe, "displacements that several structures have");
    found = std::move(places);
    described_[position].push_back(structure);
  }
  if (!found) return unknown(recipe, "displacements in bytes");
  recipe.addresses = *std::move(found);
  return {};
}

/// The size of the structure.
tl::expected<void, std::string> DatatypeTranslation::translate_extent(DatatypeRecipe& recipe) const {
  const DatatypeRecipe::Part& part = recipe.parts.front();
  MPI_Aint &lower = recipe.addresses[0], &extent = recipe.addresses[1];
  std::optional<MPI_Aint> size;
  if (const auto described = described_.find(part.position); part.own && described != described_.end()) {
    for (const Structure& structure : described->second) {
      if (static_cast<MPI_Aint>(structure.image->type->size) != extent) continue;
      const auto own = static_cast<MPI_Aint>(structure.own->type->size);
      if (size && *size != own) return unknown(recipe, "an extent that several structures have");
      size = own;
    }
  }
  if (!size || lower != 0) return unknown(recipe, "an extent in bytes");
  extent = *size;
  return {};
}

}  // namespace cppc::mpi
