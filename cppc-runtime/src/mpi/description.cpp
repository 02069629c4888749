#include "mpi/description.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "log.hpp"
#include "mpi/numbers.hpp"

namespace cppc::mpi {

namespace {

tl::unexpected<cppc_status> failed(int status, const char* call, const std::string& name) {
  log().error("cannot make communicator \"{}\" again: {}: {}", name, call, error_text(status));
  return tl::unexpected(CPPC_ERR_MPI);
}

bool valid_members(const std::vector<int>& members, int rank, int size) {
  return distinct_ranks(members, size) && std::ranges::find(members, rank) != members.end();
}

bool valid_remote(const Description& description, int size) {
  std::vector<int> all = description.members;
  all.insert(all.end(), description.remote.begin(), description.remote.end());
  return distinct_ranks(all, size);
}

std::vector<int> remote_members(MPI_Comm comm, const Group& world) {
  int inter = 0;
  must(PMPI_Comm_test_inter(comm, &inter), "MPI_Comm_test_inter");
  return inter != 0 ? ranks_in(world.get(), Group::remote(comm).get()) : std::vector<int>{};
}

}  // namespace

Settings Settings::of(MPI_Comm comm) {
  std::array<char, MPI_MAX_OBJECT_NAME> name{};
  int length = 0;
  must(PMPI_Comm_get_name(comm, name.data(), &length), "MPI_Comm_get_name");
  return {.name = name.data(),
          .error_handler = ErrorSetting(HandlerKind::comm, ErrorHandler::of(comm)),
          .hints = hints_of(comm)};
}

void Settings::apply(MPI_Comm comm) const {
  must(PMPI_Comm_set_name(comm, name.c_str()), "MPI_Comm_set_name");
  must(PMPI_Comm_set_errhandler(comm, error_handler.get()), "MPI_Comm_set_errhandler");
  set_hints(comm, hints);
}

void Settings::write(ByteWriter& writer) const {
  writer.text(name);
  error_handler.write(writer);
  mpi::write(hints, writer);
}

Settings Settings::read(ByteReader& reader) {
  Settings settings{.name = std::string(reader.text()),
                    .error_handler = ErrorSetting::read(HandlerKind::comm, reader),
                    .hints = read_hints(reader)};
  if (settings.name.size() >= MPI_MAX_OBJECT_NAME || settings.name.find('\0') != std::string::npos) reader.fail();
  return settings;
}

Description Description::of(MPI_Comm comm, const Group& world) {
  return {.settings = Settings::of(comm),
          .members = ranks_in(world.get(), Group::of(comm).get()),
          .remote = remote_members(comm, world),
          .topology = topology_of(comm)};
}

tl::expected<MPI_Comm, cppc_status> Description::make(MPI_Comm world) const {
  MPI_Comm made = MPI_COMM_NULL;
  int status = make_comm(world, members, &made);
  if (status != MPI_SUCCESS) return failed(status, "MPI_Comm_create_group", settings.name);
  if (!remote.empty()) {
    MPI_Comm local = std::exchange(made, MPI_COMM_NULL);
    status = PMPI_Intercomm_create(local, 0, world, remote.front(), 0, &made);
    must(PMPI_Comm_free(&local), "MPI_Comm_free");
    if (status != MPI_SUCCESS) return failed(status, "MPI_Intercomm_create", settings.name);
  }
  if (!std::holds_alternative<std::monostate>(topology)) {
    const char* call = nullptr;
    status = add_topology(topology, &made, &call);
    if (status != MPI_SUCCESS) return failed(status, call, settings.name);
  }
  settings.apply(made);
  return made;
}

void Description::write(ByteWriter& writer) const {
  settings.write(writer);
  write_numbers(writer, members);
  write_numbers(writer, remote);
  mpi::write(topology, writer);
}

Description Description::read(ByteReader& reader, int rank, int size) {
  Description description{.settings = Settings::read(reader),
                          .members = read_numbers(reader),
                          .remote = read_numbers(reader),
                          .topology = {}};
  if (!valid_members(description.members, rank, size) || !valid_remote(description, size)) reader.fail();
  description.topology = read_topology(reader, description.members.size());
  return description;
}

std::string communicator_name(std::size_t index, const std::string& name) {
  return name.empty() ? "communicator number " + std::to_string(index) : "communicator \"" + name + "\"";
}

}  // namespace cppc::mpi
