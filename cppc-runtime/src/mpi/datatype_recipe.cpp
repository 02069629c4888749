#include "mpi/datatype_recipe.hpp"

#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "address/program_time.hpp"
#include "log.hpp"
#include "mpi/mpi_objects.hpp"
#include "mpi/predefined.hpp"

namespace cppc::mpi {

namespace {

/// How many arguments of a kind a constructor has: some, and some for each item.
struct Arity {
  std::size_t fixed;
  std::size_t per_item;

  [[nodiscard]] bool fits(std::size_t number, std::size_t items) const { return number == fixed + per_item * items; }
};

using Recipe = DatatypeRecipe;
using Types = std::vector<MPI_Datatype>;

struct Constructor {
  int combiner;
  const char* name;
  std::optional<std::size_t> items;  ///< which integer is the number of items
  Arity integers;
  Arity addresses;
  Arity parts;
  int (*make)(const Recipe& recipe, const Types& types, MPI_Datatype* made);
};

// May only be appended to: positions are stored in images.
constexpr std::array constructors{
    Constructor{MPI_COMBINER_DUP,
                "MPI_Type_dup",
                {},
                {0, 0},
                {0, 0},
                {1, 0},
                [](const Recipe&, const Types& t, MPI_Datatype* made) { return PMPI_Type_dup(t[0], made); }},
    Constructor{MPI_COMBINER_CONTIGUOUS,
                "MPI_Type_contiguous",
                {},
                {1, 0},
                {0, 0},
                {1, 0},
                [](const Recipe& r, const Types& t, MPI_Datatype* made) {
                  return PMPI_Type_contiguous(r.integers[0], t[0], made);
                }},
    Constructor{MPI_COMBINER_VECTOR,
                "MPI_Type_vector",
                {},
                {3, 0},
                {0, 0},
                {1, 0},
                [](const Recipe& r, const Types& t, MPI_Datatype* made) {
                  return PMPI_Type_vector(r.integers[0], r.integers[1], r.integers[2], t[0], made);
                }},
    Constructor{MPI_COMBINER_HVECTOR,
                "MPI_Type_create_hvector",
                {},
                {2, 0},
                {1, 0},
                {1, 0},
                [](const Recipe& r, const Types& t, MPI_Datatype* made) {
                  return PMPI_Type_create_hvector(r.integers[0], r.integers[1], r.addresses[0], t[0], made);
                }},
    Constructor{MPI_COMBINER_INDEXED,
                "MPI_Type_indexed",
                0,
                {1, 2},
                {0, 0},
                {1, 0},
                [](const Recipe& r, const Types& t, MPI_Datatype* made) {
                  const int* lengths = &r.integers[0] + 1;
                  return PMPI_Type_indexed(r.integers[0], lengths, lengths + r.integers[0], t[0], made);
                }},
    Constructor{MPI_COMBINER_HINDEXED,
                "MPI_Type_create_hindexed",
                0,
                {1, 1},
                {0, 1},
                {1, 0},
                [](const Recipe& r, const Types& t, MPI_Datatype* made) {
                  return PMPI_Type_create_hindexed(r.integers[0], &r.integers[0] + 1, r.addresses.data(), t[0], made);
                }},
    Constructor{MPI_COMBINER_INDEXED_BLOCK,
                "MPI_Type_create_indexed_block",
                0,
                {2, 1},
                {0, 0},
                {1, 0},
                [](const Recipe& r, const Types& t, MPI_Datatype* made) {
                  return PMPI_Type_create_indexed_block(r.integers[0], r.integers[1], &r.integers[0] + 2, t[0], made);
                }},
    Constructor{MPI_COMBINER_HINDEXED_BLOCK,
                "MPI_Type_create_hindexed_block",
                0,
                {2, 0},
                {0, 1},
                {1, 0},
                [](const Recipe& r, const Types& t, MPI_Datatype* made) {
                  return PMPI_Type_create_hindexed_block(r.integers[0], r.integers[1], r.addresses.data(), t[0], made);
                }},
    Constructor{MPI_COMBINER_STRUCT,
                "MPI_Type_create_struct",
                0,
                {1, 1},
                {0, 1},
                {0, 1},
                [](const Recipe& r, const Types& t, MPI_Datatype* made) {
                  return PMPI_Type_create_struct(r.integers[0], &r.integers[0] + 1, r.addresses.data(), t.data(), made);
                }},
    Constructor{MPI_COMBINER_SUBARRAY,
                "MPI_Type_create_subarray",
                0,
                {2, 3},
                {0, 0},
                {1, 0},
                [](const Recipe& r, const Types& t, MPI_Datatype* made) {
                  const int ndims = r.integers[0];
                  const int* sizes = &r.integers[0] + 1;
                  return PMPI_Type_create_subarray(ndims, sizes, sizes + ndims, sizes + 2 * ndims, r.integers.back(),
                                                   t[0], made);
                }},
    Constructor{MPI_COMBINER_DARRAY,
                "MPI_Type_create_darray",
                2,
                {4, 4},
                {0, 0},
                {1, 0},
                [](const Recipe& r, const Types& t, MPI_Datatype* made) {
                  const int ndims = r.integers[2];
                  const int* gsizes = &r.integers[0] + 3;
                  return PMPI_Type_create_darray(r.integers[0], r.integers[1], ndims, gsizes, gsizes + ndims,
                                                 gsizes + 2 * ndims, gsizes + 3 * ndims, r.integers.back(), t[0], made);
                }},
    Constructor{MPI_COMBINER_RESIZED,
                "MPI_Type_create_resized",
                {},
                {0, 0},
                {2, 0},
                {1, 0},
                [](const Recipe& r, const Types& t, MPI_Datatype* made) {
                  return PMPI_Type_create_resized(t[0], r.addresses[0], r.addresses[1], made);
                }},
    Constructor{MPI_COMBINER_F90_INTEGER,
                "MPI_Type_create_f90_integer",
                {},
                {1, 0},
                {0, 0},
                {0, 0},
                [](const Recipe& r, const Types&, MPI_Datatype* made) {
                  return PMPI_Type_create_f90_integer(r.integers[0], made);
                }},
    Constructor{MPI_COMBINER_F90_REAL,
                "MPI_Type_create_f90_real",
                {},
                {2, 0},
                {0, 0},
                {0, 0},
                [](const Recipe& r, const Types&, MPI_Datatype* made) {
                  return PMPI_Type_create_f90_real(r.integers[0], r.integers[1], made);
                }},
    Constructor{MPI_COMBINER_F90_COMPLEX,
                "MPI_Type_create_f90_complex",
                {},
                {2, 0},
                {0, 0},
                {0, 0},
                [](const Recipe& r, const Types&, MPI_Datatype* made) {
                  return PMPI_Type_create_f90_complex(r.integers[0], r.integers[1], made);
                }},
};

/// MPI checks values, but not the lengths of arrays.
bool sound(const Recipe& recipe) {
  const Constructor& constructor = constructors[recipe.constructor];
  std::size_t items = 0;
  if (constructor.items) {
    if (*constructor.items >= recipe.integers.size() || recipe.integers[*constructor.items] < 0) return false;
    items = static_cast<std::size_t>(recipe.integers[*constructor.items]);
  }
  return constructor.integers.fits(recipe.integers.size(), items) &&
         constructor.addresses.fits(recipe.addresses.size(), items) &&
         constructor.parts.fits(recipe.parts.size(), items);
}

/// Whether `displacement` is an address, which means nothing in another process unless the state is kept by address:
/// one in the program's own data when that is linked to low addresses, or one so high that no displacement is.
bool is_address(MPI_Aint displacement) {
  constexpr auto high = static_cast<MPI_Aint>(std::uint64_t{1} << (sizeof(void*) == sizeof(std::uint64_t) ? 40 : 30));
  static const auto program = static_cast<MPI_Aint>(getauxval(AT_PHDR));
  return displacement >= high || (displacement >= program && displacement < reinterpret_cast<MPI_Aint>(sbrk(0)));
}

std::string name_of(MPI_Datatype type) {
  std::array<char, MPI_MAX_OBJECT_NAME> name{};
  int length = 0;
  must(PMPI_Type_get_name(type, name.data(), &length), "MPI_Type_get_name");
  return name.data();
}

/// What MPI says that a datatype was made from: copies, to be freed.
class Contents {
 public:
  Contents(MPI_Datatype type, int integers, int addresses, int parts, Recipe& recipe)
      : parts_(static_cast<std::size_t>(parts)) {
    recipe.integers.resize(static_cast<std::size_t>(integers));
    recipe.addresses.resize(static_cast<std::size_t>(addresses));
    must(PMPI_Type_get_contents(type, integers, addresses, parts, recipe.integers.data(), recipe.addresses.data(),
                                parts_.data()),
         "MPI_Type_get_contents");
  }
  Contents(const Contents&) = delete;
  Contents& operator=(const Contents&) = delete;
  ~Contents() {
    for (MPI_Datatype& part : parts_) {
      if (is_derived(part)) PMPI_Type_free(&part);
    }
  }

  [[nodiscard]] const Types& parts() const { return parts_; }

 private:
  Types parts_;
};

bool make_the_same(const Recipe& a, const Recipe& b) {
  return a.constructor == b.constructor && a.integers == b.integers && a.addresses == b.addresses && a.parts == b.parts;
}

}  // namespace

tl::expected<void, std::string> DatatypeRecipes::add(MPI_Datatype type, std::uint64_t number, std::uint64_t uses) {
  auto recipe = recipe_of(type);
  if (!recipe) return tl::unexpected(recipe.error());
  recipe->name = name_of(type);
  recipe->number = number;
  recipe->uses = uses;
  recipes_.push_back(std::move(*recipe));
  return {};
}

tl::expected<std::size_t, std::string> DatatypeRecipes::position_of(MPI_Datatype part) {
  auto recipe = recipe_of(part);
  if (!recipe) return tl::unexpected(recipe.error());
  const auto same = std::ranges::find_if(recipes_, [&](const Recipe& other) { return make_the_same(*recipe, other); });
  const auto position = static_cast<std::size_t>(same - recipes_.begin());
  if (same == recipes_.end()) recipes_.push_back(std::move(*recipe));
  return position;
}

tl::expected<DatatypeRecipe, std::string> DatatypeRecipes::recipe_of(MPI_Datatype type) {
  int integers = 0, addresses = 0, parts = 0, combiner = MPI_COMBINER_NAMED;
  must(PMPI_Type_get_envelope(type, &integers, &addresses, &parts, &combiner), "MPI_Type_get_envelope");
  const auto constructor = std::ranges::find(constructors, combiner, &Constructor::combiner);
  const std::string label = "datatype \"" + name_of(type) + "\"";
  if (constructor == constructors.end()) {
    return tl::unexpected(label + " was made by a function that cannot be repeated in another process");
  }
  Recipe recipe{.constructor = static_cast<std::size_t>(constructor - constructors.begin())};
  const Contents contents(type, integers, addresses, parts, recipe);
  if (!address::kept_by_address() && std::ranges::any_of(recipe.addresses, is_address)) {
    return tl::unexpected(label + ", made by " + constructor->name +
                          ", has addresses for displacements, which mean nothing in another process: take them "
                          "relative to the beginning of the buffer");
  }
  if (auto added = add_parts(recipe, contents.parts()); !added) return tl::unexpected(added.error());
  return recipe;
}

tl::expected<void, std::string> DatatypeRecipes::add_parts(Recipe& recipe, const std::vector<MPI_Datatype>& parts) {
  for (const MPI_Datatype part : parts) {
    const auto predefined = mpi::position_of(part);
    const auto position = predefined ? tl::expected<std::size_t, std::string>(*predefined) : position_of(part);
    if (!position) return tl::unexpected(position.error());
    MPI_Aint lower = 0, extent = 0;
    must(PMPI_Type_get_extent(part, &lower, &extent), "MPI_Type_get_extent");
    recipe.parts.push_back({.own = !predefined, .position = *position, .extent = extent});
  }
  return {};
}

tl::expected<MPI_Datatype, cppc_status> DatatypeRecipe::make(const std::vector<MPI_Datatype>& made) const {
  std::vector<MPI_Datatype> types;
  for (const Part& part : parts) types.push_back(part.own ? made[part.position] : *datatype_at(part.position));
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int status = constructors[constructor].make(*this, types, &type);
  if (status == MPI_SUCCESS) status = PMPI_Type_commit(&type);
  if (status != MPI_SUCCESS) {
    log().error("cannot make datatype \"{}\" again: {}: {}", name, constructors[constructor].name, error_text(status));
    return tl::unexpected(CPPC_ERR_MPI);
  }
  if (number != 0) must(PMPI_Type_set_name(type, name.c_str()), "MPI_Type_set_name");
  return type;
}

int DatatypeRecipe::combiner() const { return constructors[constructor].combiner; }
const char* DatatypeRecipe::function() const { return constructors[constructor].name; }

void DatatypeRecipe::write(ByteWriter& writer) const {
  writer.u8(static_cast<std::uint8_t>(constructor));
  writer.text(name);
  writer.u64(number);
  writer.u64(uses);
  writer.u64(integers.size());
  for (const int integer : integers) writer.i32(integer);
  writer.u64(addresses.size());
  for (const MPI_Aint address : addresses) writer.i64(address);
  writer.u64(parts.size());
  for (const Part& part : parts) {
    writer.u8(part.own);
    writer.u32(static_cast<std::uint32_t>(part.position));
    writer.i64(part.extent);
  }
}

DatatypeRecipe DatatypeRecipe::read(ByteReader& reader, std::size_t position) {
  DatatypeRecipe recipe{.constructor = reader.u8(), .name = std::string(reader.text())};
  recipe.number = reader.u64();
  recipe.uses = reader.u64();
  recipe.integers.resize(reader.count(sizeof(std::int32_t)));
  for (int& integer : recipe.integers) integer = reader.i32();
  recipe.addresses.resize(reader.count(sizeof(std::int64_t)));
  for (MPI_Aint& address : recipe.addresses) address = static_cast<MPI_Aint>(reader.i64());
  recipe.parts.resize(reader.count(sizeof(std::uint8_t) + sizeof(std::uint32_t) + sizeof(std::int64_t)));
  bool known = true;
  for (Part& part : recipe.parts) {
    part.own = reader.u8() != 0;
    part.position = reader.u32();
    part.extent = static_cast<MPI_Aint>(reader.i64());
    known = known && (part.own ? part.position < position : datatype_at(part.position).has_value());
  }
  if (!known || recipe.constructor >= constructors.size() || !sound(recipe) ||
      recipe.name.size() >= MPI_MAX_OBJECT_NAME || recipe.name.find('\0') != std::string::npos) {
    reader.fail();
  }
  return recipe;
}

}  // namespace cppc::mpi
