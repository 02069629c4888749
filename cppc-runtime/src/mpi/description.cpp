#include "mpi/description.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "log.hpp"
#include "mpi/numbers.hpp"

namespace cppc::mpi {

namespace {

enum : std::uint8_t { errors_are_fatal, errors_return };

std::optional<Cartesian> cartesian_of(MPI_Comm comm) {
  int topology = MPI_UNDEFINED;
  must(PMPI_Topo_test(comm, &topology), "MPI_Topo_test");
  if (topology != MPI_CART) return std::nullopt;
  int ndims = 0;
  must(PMPI_Cartdim_get(comm, &ndims), "MPI_Cartdim_get");
  Cartesian cartesian{.dims = std::vector<int>(static_cast<std::size_t>(ndims)), .periods = {}};
  cartesian.periods = cartesian.dims;
  std::vector<int> coords = cartesian.dims;
  must(PMPI_Cart_get(comm, ndims, cartesian.dims.data(), cartesian.periods.data(), coords.data()), "MPI_Cart_get");
  return cartesian;
}

tl::unexpected<cppc_status> failed(int status, const char* call, const std::string& name) {
  log().error("cannot make communicator \"{}\" again: {}: {}", name, call, error_text(status));
  return tl::unexpected(CPPC_ERR_MPI);
}

bool valid_members(const std::vector<int>& members, int rank, int size) {
  return distinct_ranks(members, size) && std::ranges::find(members, rank) != members.end();
}

bool valid_cartesian(const Cartesian& cartesian, std::size_t processes) {
  std::size_t product = 1;
  for (const int dim : cartesian.dims) {
    if (dim < 1 || static_cast<std::size_t>(dim) > processes / product) return false;
    product *= static_cast<std::size_t>(dim);
  }
  return product == processes && cartesian.periods.size() == cartesian.dims.size();
}

}  // namespace

Settings Settings::of(MPI_Comm comm) {
  std::array<char, MPI_MAX_OBJECT_NAME> name{};
  int length = 0;
  must(PMPI_Comm_get_name(comm, name.data(), &length), "MPI_Comm_get_name");
  return {.name = name.data(), .error_handler = ErrorHandler::of(comm)};
}

void Settings::apply(MPI_Comm comm) const {
  must(PMPI_Comm_set_name(comm, name.c_str()), "MPI_Comm_set_name");
  must(PMPI_Comm_set_errhandler(comm, error_handler.get()), "MPI_Comm_set_errhandler");
}

bool Settings::portable(const std::string& object) const {
  const MPI_Errhandler handler = error_handler.get();
  if (handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRORS_RETURN) return true;
  log().error(
      "{} has an error handler of the program's own, which cannot be carried over to another process; set "
      "MPI_ERRORS_ARE_FATAL or MPI_ERRORS_RETURN before the safe point",
      object);
  return false;
}

void Settings::write(ByteWriter& writer) const {
  writer.text(name);
  writer.u8(error_handler.get() == MPI_ERRORS_RETURN ? errors_return : errors_are_fatal);
}

Settings Settings::read(ByteReader& reader) {
  const std::string name(reader.text());
  const std::uint8_t handler = reader.u8();
  if (name.size() >= MPI_MAX_OBJECT_NAME || name.find('\0') != std::string::npos || handler > errors_return)
    reader.fail();
  return {
      .name = name,
      .error_handler = ErrorHandler::predefined(handler == errors_return ? MPI_ERRORS_RETURN : MPI_ERRORS_ARE_FATAL)};
}

Description Description::of(MPI_Comm comm, const Group& world) {
  return {.settings = Settings::of(comm),
          .members = ranks_in(world.get(), Group::of(comm).get()),
          .cartesian = cartesian_of(comm)};
}

tl::expected<MPI_Comm, cppc_status> Description::make(MPI_Comm world) const {
  const Group group = Group::of(Group::of(world), members);
  MPI_Comm made = MPI_COMM_NULL;
  int status = PMPI_Comm_create_group(world, group.get(), 0, &made);
  if (status != MPI_SUCCESS) return failed(status, "MPI_Comm_create_group", settings.name);
  if (cartesian) {
    // The members are in the order that MPI once gave them, so they must not be reordered again.
    MPI_Comm plain = std::exchange(made, MPI_COMM_NULL);
    status = PMPI_Cart_create(plain, static_cast<int>(cartesian->dims.size()), cartesian->dims.data(),
                              cartesian->periods.data(), 0, &made);
    must(PMPI_Comm_free(&plain), "MPI_Comm_free");
    if (status != MPI_SUCCESS) return failed(status, "MPI_Cart_create", settings.name);
  }
  settings.apply(made);
  return made;
}

void Description::write(ByteWriter& writer) const {
  settings.write(writer);
  write_numbers(writer, members);
  writer.u8(cartesian.has_value());
  if (!cartesian) return;
  write_numbers(writer, cartesian->dims);
  write_numbers(writer, cartesian->periods);
}

Description Description::read(ByteReader& reader, int rank, int size) {
  Description description{.settings = Settings::read(reader), .members = read_numbers(reader), .cartesian = {}};
  if (!valid_members(description.members, rank, size)) reader.fail();
  const std::uint8_t has_cartesian = reader.u8();
  if (has_cartesian > 1) reader.fail();
  if (!reader.ok() || has_cartesian == 0) return description;
  Cartesian cartesian{.dims = read_numbers(reader), .periods = read_numbers(reader)};
  if (!valid_cartesian(cartesian, description.members.size())) reader.fail();
  description.cartesian = std::move(cartesian);
  return description;
}

std::string communicator_name(std::size_t index, const std::string& name) {
  return name.empty() ? "communicator number " + std::to_string(index) : "communicator \"" + name + "\"";
}

}  // namespace cppc::mpi
