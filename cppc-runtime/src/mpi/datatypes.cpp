#include "mpi/datatypes.hpp"

#include <algorithm>

#include "log.hpp"
#include "mpi/datatype_translation.hpp"
#include "mpi/mpi_objects.hpp"
#include "mpi/own_attributes.hpp"
#include "mpi/turns.hpp"

namespace cppc::mpi {

MPI_Datatype Datatypes::known(MPI_Datatype made) {
  if (made == MPI_DATATYPE_NULL) return made;
  const MPI_Datatype handle = types_.handle_for(made);
  return handle != made ? handle : types_.add(made, {.count = 1});
}

MPI_Datatype Datatypes::given(MPI_Datatype real) {
  if (!is_derived(real)) return types_.handle_for(real);
  const MPI_Datatype handle = types_.handle_for(real);
  if (handle == real) return types_.add(real, {.count = 1});
  ++types_.find(handle)->count;
  must(PMPI_Type_free(&real), "MPI_Type_free");  // the table has it already
  return handle;
}

void Datatypes::retain_own(MPI_Datatype type, Uses& uses) {
  if (is_derived(mpi::real(type))) ++uses.count;
}

void Datatypes::release_own(MPI_Datatype type) {
  if (is_derived(mpi::real(type))) free(&type);  // what the program's functions on attributes return, nobody hears
}

int Datatypes::free(MPI_Datatype* type) {
  Uses* const uses = type != nullptr ? types_.find(*type) : nullptr;
  MPI_Datatype real = type != nullptr ? mpi::real(*type) : MPI_DATATYPE_NULL;
  if (uses == nullptr || !is_derived(real)) return PMPI_Type_free(&real);
  if (uses->count > 1) {
    --uses->count;
    *type = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
  }
  if (const int status = own_attributes<MPI_Datatype>().erase_all(*type); status != MPI_SUCCESS) {
    return raise_of_world(status);
  }
  types_.remove(*type);
  *type = MPI_DATATYPE_NULL;
  return PMPI_Type_free(&real);
}

ProgramList<MPI_Datatype> real_types(const MPI_Datatype* types, int count) {
  ProgramList<MPI_Datatype> all(types != nullptr ? static_cast<std::size_t>(std::max(count, 0)) : 0);
  std::transform(types, types + all.size(), all.begin(), [](MPI_Datatype type) { return real(type); });
  return all;
}

cppc_status Datatypes::write(ByteWriter& writer) {
  DatatypeRecipes recipes;
  bool all_added = true;
  types_.each([&](std::size_t index, MPI_Datatype real, const Uses& uses) {
    const auto added = recipes.add(real, index, uses.count);
    if (!added && all_added) log().error("{}", added.error());
    all_added = all_added && added;
  });
  if (!all_added) return CPPC_ERR_UNSUPPORTED;
  writer.u64(recipes.list().size());
  for (const DatatypeRecipe& recipe : recipes.list()) recipe.write(writer);
  return CPPC_OK;
}

std::vector<DatatypeRecipe> Datatypes::read(ByteReader& reader) {
  std::vector<DatatypeRecipe> recipes;
  std::vector<std::uint64_t> numbers;
  const std::uint64_t count = reader.count(sizeof(std::uint64_t));
  for (std::uint64_t i = 0; i < count && reader.ok(); ++i) {
    recipes.push_back(DatatypeRecipe::read(reader, i));
    const std::uint64_t number = recipes.back().number;
    if (number != 0) numbers.push_back(number);
    const bool used = recipes.back().uses > 0;
    if ((number != 0) != used || number >= Table::limit) reader.fail();
  }
  std::ranges::sort(numbers);
  if (std::ranges::adjacent_find(numbers) != numbers.end()) reader.fail();
  return recipes;
}

cppc_status Datatypes::translate(std::vector<DatatypeRecipe>& recipes, const mpi_state::Types& types) {
  DatatypeTranslation translation(types);
  for (std::size_t i = 0; i < recipes.size(); ++i) {
    const auto translated = translation.translate(recipes[i], i);
    if (translated) continue;
    log().error("{}", translated.error());
    return CPPC_ERR_UNSUPPORTED;
  }
  return CPPC_OK;
}

cppc_status Datatypes::make(const std::vector<DatatypeRecipe>& recipes) {
  const ErrorsReturned errors_returned;
  std::vector<MPI_Datatype> made;
  for (const DatatypeRecipe& recipe : recipes) {
    const auto type = recipe.make(made);
    if (!type) return type.error();
    made.push_back(*type);
    if (recipe.number != 0) types_.put(recipe.number, *type, {.count = recipe.uses});
  }
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (recipes[i].number == 0 && is_derived(made[i])) PMPI_Type_free(&made[i]);  // those made from it keep it
  }
  return CPPC_OK;
}

}  // namespace cppc::mpi

using namespace cppc::mpi;

namespace {

/// For functions that MPI's own attributes and those of a plain program are left to.
bool has_own_attributes(MPI_Datatype type, int keyval) {
  return comms.managed() && is_own_key(keyval) && type != nullptr && type != MPI_DATATYPE_NULL;
}

}  // namespace

extern "C" {

int MPI_Type_free(MPI_Datatype* type) {
  const Entry entry;
  return comms.managed() ? datatypes().free(type) : PMPI_Type_free(type);
}

int MPI_Type_commit(MPI_Datatype* type) {
  const Entry entry;
  if (!comms.managed() || type == nullptr) return PMPI_Type_commit(type);
  MPI_Datatype committed = real(*type);
  return PMPI_Type_commit(&committed);
}

int MPI_Type_dup(MPI_Datatype oldtype, MPI_Datatype* newtype) {
  const Entry entry;
  const int made = datatypes().create(newtype, [&](MPI_Datatype* out) { return PMPI_Type_dup(real(oldtype), out); });
  if (!comms.managed() || made != MPI_SUCCESS) return made;
  const int copied = own_attributes<MPI_Datatype>().copy_all(oldtype, *newtype);
  if (copied == MPI_SUCCESS) return MPI_SUCCESS;
  datatypes().free(newtype);
  return raise_of_world(copied);
}

int MPI_Type_get_contents(MPI_Datatype type, int max_integers, int max_addresses, int max_datatypes, int integers[],
                          MPI_Aint addresses[], MPI_Datatype types[]) {
  const Entry entry;
  const int status =
      PMPI_Type_get_contents(real(type), max_integers, max_addresses, max_datatypes, integers, addresses, types);
  if (!comms.managed() || status != MPI_SUCCESS) return status;
  int number_of_integers = 0, number_of_addresses = 0, number = 0, combiner = MPI_COMBINER_NAMED;
  must(PMPI_Type_get_envelope(real(type), &number_of_integers, &number_of_addresses, &number, &combiner),
       "MPI_Type_get_envelope");
  for (int i = 0; i < number; ++i) types[i] = datatypes().given(types[i]);
  return status;
}

int MPI_Type_create_keyval(MPI_Type_copy_attr_function* copy, MPI_Type_delete_attr_function* erase, int* keyval,
                           void* extra) {
  const Entry entry;
  if (!comms.managed()) return PMPI_Type_create_keyval(copy, erase, keyval, extra);
  return own_attributes<MPI_Datatype>().create_key(copy, erase, keyval, extra);
}

int MPI_Type_free_keyval(int* keyval) {
  const Entry entry;
  if (!comms.managed() || !is_own_key(*keyval)) return PMPI_Type_free_keyval(keyval);
  return raise_of_world(own_attributes<MPI_Datatype>().free_key(keyval));
}

int MPI_Type_get_attr(MPI_Datatype type, int keyval, void* value, int* flag) {
  const Entry entry;
  if (!has_own_attributes(type, keyval)) return PMPI_Type_get_attr(real(type), keyval, value, flag);
  return raise_of_world(own_attributes<MPI_Datatype>().get(type, keyval, value, flag));
}

int MPI_Type_set_attr(MPI_Datatype type, int keyval, void* value) {
  const Entry entry;
  if (!has_own_attributes(type, keyval)) return PMPI_Type_set_attr(real(type), keyval, value);
  return raise_of_world(own_attributes<MPI_Datatype>().set(type, keyval, value));
}

int MPI_Type_delete_attr(MPI_Datatype type, int keyval) {
  const Entry entry;
  if (!has_own_attributes(type, keyval)) return PMPI_Type_delete_attr(real(type), keyval);
  return raise_of_world(own_attributes<MPI_Datatype>().erase(type, keyval));
}

// Of MPI 1: for mpi.h they are errors by now, unless one asks for them; the library has them all the same.
#undef MPI_Type_hvector
#undef MPI_Type_hindexed
#undef MPI_Type_struct
#pragma GCC visibility push(default)

int MPI_Type_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  const Entry entry;
  return MPI_Type_create_hvector(count, blocklength, stride, oldtype, newtype);
}

int MPI_Type_hindexed(int count, int lengths[], MPI_Aint displs[], MPI_Datatype oldtype, MPI_Datatype* newtype) {
  const Entry entry;
  return MPI_Type_create_hindexed(count, lengths, displs, oldtype, newtype);
}

int MPI_Type_struct(int count, int lengths[], MPI_Aint displs[], MPI_Datatype types[], MPI_Datatype* newtype) {
  const Entry entry;
  return MPI_Type_create_struct(count, lengths, displs, types, newtype);
}

#pragma GCC visibility pop

}  // extern "C"
