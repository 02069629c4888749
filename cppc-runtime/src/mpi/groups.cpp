#include "mpi/groups.hpp"

#include <algorithm>
#include <cstdint>

#include "mpi/numbers.hpp"
#include "mpi/turns.hpp"
#include "never_destroyed.hpp"

namespace cppc::mpi {

int Groups::free(MPI_Group* group) {
  if (group == nullptr || !Table::is_virtual(*group) || table_.find(*group) == nullptr) return PMPI_Group_free(group);
  const int status = PMPI_Group_free(table_.find(*group));
  table_.remove(*group);
  *group = MPI_GROUP_NULL;
  return status;
}

GroupMembers Groups::members(const Group& world) {
  GroupMembers all;
  table_.each([&](std::size_t index, MPI_Group group) { all.emplace_back(index, ranks_in(world.get(), group)); });
  return all;
}

void Groups::make(const GroupMembers& all, const Group& world) {
  for (const auto& [index, members] : all) {
    MPI_Group* const before = table_.find(Table::handle_of(index));
    if (before != nullptr) must(PMPI_Group_free(before), "MPI_Group_free");
    table_.put(index, Group::of(world, members).release());
  }
}

void Groups::write(const GroupMembers& all, ByteWriter& writer) {
  writer.u64(all.size());
  for (const auto& [index, members] : all) {
    writer.u32(static_cast<std::uint32_t>(index));
    write_numbers(writer, members);
  }
}

GroupMembers Groups::read(ByteReader& reader, int size) {
  GroupMembers all;
  const std::uint64_t count = reader.count(sizeof(std::uint32_t));
  std::uint32_t before = 0;
  for (std::uint64_t i = 0; i < count && reader.ok(); ++i) {
    const std::uint32_t index = reader.u32();
    all.emplace_back(index, read_numbers(reader));
    if (index <= before || index >= Table::limit || !distinct_ranks(all.back().second, size)) reader.fail();
    before = index;
  }
  return all;
}

Groups& groups() {
  static NeverDestroyed<Groups> instance;
  return *instance;
}

}  // namespace cppc::mpi

using namespace cppc::mpi;

extern "C" {

int MPI_Comm_group(MPI_Comm comm, MPI_Group* group) {
  const Entry entry;
  const MPI_Comm real = comms.real(comm, __func__);
  return groups().create(group, [&](MPI_Group* made) { return PMPI_Comm_group(real, made); });
}

int MPI_Comm_remote_group(MPI_Comm comm, MPI_Group* group) {
  const Entry entry;
  const MPI_Comm real = comms.real(comm, __func__);
  return groups().create(group, [&](MPI_Group* made) { return PMPI_Comm_remote_group(real, made); });
}

int MPI_Group_free(MPI_Group* group) {
  const Entry entry;
  return comms.managed() ? groups().free(group) : PMPI_Group_free(group);
}

}  // extern "C"
