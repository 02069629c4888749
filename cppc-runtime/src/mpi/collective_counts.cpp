#include "mpi/collective_counts.hpp"

#include <algorithm>
#include <numeric>

#include "mpi/comm_table.hpp"
#include "mpi/mpi_objects.hpp"

namespace cppc::mpi {

namespace {

constexpr std::size_t object_bytes = 28;
constexpr std::size_t apart_bytes = 16;
constexpr std::uint64_t world_id = 1;

/// A number for `a` and `b` in this order (the finalizer of splitmix64).
std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a * 0x9e3779b97f4a7c15 + b + 0x632be59bd9b4e019;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

std::vector<int> world_ranks(MPI_Group group) {
  const Group world = Group::of(comms.world());
  return ranks_in(world.get(), group);
}

/// Of both sides of an intercommunicator, in the order of the world.
std::vector<int> all_members(MPI_Comm comm) {
  int inter = 0;
  must(PMPI_Comm_test_inter(comm, &inter), "MPI_Comm_test_inter");
  std::vector<int> members = world_ranks(Group::of(comm).get());
  if (inter != 0) {
    const auto others = world_ranks(Group::remote(comm).get());
    members.insert(members.end(), others.begin(), others.end());
  }
  std::ranges::sort(members);
  return members;
}

}  // namespace

void CollectiveCounts::count(const cppc_calls& calls, std::uint32_t ranks) {
  calls_ = &calls;
  add(Of::comm, world, world_id, ranks, 0);
  current_ = calls.current();
}

void CollectiveCounts::end() {
  calls_ = nullptr;
  current_ = &unseen_;
  for (auto& counters : counters_) counters.clear();
  for (auto& objects : objects_) objects.clear();
}

void CollectiveCounts::add(Of of, std::size_t index, std::uint64_t id, std::uint32_t size, std::uint64_t begun) {
  const auto kind = static_cast<std::size_t>(of);
  Object& object = objects_[kind][index];
  object = {.id = id, .size = size, .own = {.id = id, .begun = begun}};
  if (size > 1) object.listed = calls_->open(id, size, begun);
  auto& counters = counters_[kind];
  if (index >= counters.size()) counters.resize(index + 1, {&nowhere_, {}});
  counters[index] = {&object.count(), {}};
}

void CollectiveCounts::add_of(std::size_t parent, Of of, std::size_t index, const std::vector<int>& members) {
  const auto& comms_counted = objects_[static_cast<std::size_t>(Of::comm)];
  const auto found = comms_counted.find(parent);
  const Object from = found != comms_counted.end() ? found->second : Object{};  // MPI_COMM_SELF is of one member
  const auto first = static_cast<std::uint64_t>(members.front()) * 4 + static_cast<std::uint64_t>(of);
  add(of, index, mix(mix(from.id, from.begun()), first), static_cast<std::uint32_t>(members.size()), 0);
}

void CollectiveCounts::made(std::size_t parent, std::size_t index, MPI_Comm made) {
  if (calls_ != nullptr) add_of(parent, Of::comm, index, all_members(made));
}

void CollectiveCounts::made(std::size_t parent, std::size_t index, MPI_Win made) {
  if (calls_ != nullptr) add_of(parent, Of::window, index, world_ranks(Group::of(made).get()));
}

void CollectiveCounts::made(std::size_t parent, std::size_t index, MPI_File made) {
  if (calls_ == nullptr) return;
  MPI_Group group = MPI_GROUP_NULL;
  must(PMPI_File_get_group(made, &group), "MPI_File_get_group");
  const auto members = world_ranks(group);
  must(PMPI_Group_free(&group), "MPI_Group_free");
  add_of(parent, Of::file, index, members);
}

void CollectiveCounts::made_apart(std::size_t index, MPI_Comm made, int tag) {
  if (calls_ == nullptr) return;
  const auto members = all_members(made);
  const std::uint64_t who =
      std::accumulate(members.begin(), members.end(), mix(0, static_cast<std::uint32_t>(tag)),
                      [](std::uint64_t sum, int rank) { return mix(sum, static_cast<std::uint32_t>(rank)); });
  add(Of::comm, index, mix(who, ++apart_[who]), static_cast<std::uint32_t>(members.size()), 0);
}

void CollectiveCounts::gone(Of of, std::size_t index) {
  if (calls_ == nullptr) return;
  auto& objects = objects_[static_cast<std::size_t>(of)];
  const auto found = objects.find(index);
  if (found == objects.end()) return;
  if (found->second.size > 1) calls_->close(found->second.listed);
  counters_[static_cast<std::size_t>(of)][index] = {&nowhere_, {}};
  objects.erase(found);
}

void CollectiveCounts::ask(MPI_Comm comm, Members& members) {
  const MPI_Comm real = comms.real(comm, __func__);
  if (real == MPI_COMM_NULL || real == nullptr) return;
  int between_groups = 0;
  must(PMPI_Comm_test_inter(real, &between_groups), "MPI_Comm_test_inter");
  must(PMPI_Comm_size(real, &members.size), "MPI_Comm_size");
  must(PMPI_Comm_rank(real, &members.rank), "MPI_Comm_rank");
  members.known = between_groups != 0 ? Members::Known::of_two_groups : Members::Known::of_one_group;
}

std::size_t CollectiveCounts::comm_of(const cppc_collective_count* count) const {
  const auto& counters = counters_[static_cast<std::size_t>(Of::comm)];
  return static_cast<std::size_t>(std::ranges::find(counters, count, &Counter::count) - counters.begin());
}

void CollectiveCounts::write(ByteWriter& writer) const {
  for (const auto& objects : objects_) {
    writer.u64(objects.size());
    for (const auto& [index, object] : objects) {
      writer.u64(index);
      writer.u64(object.id);
      writer.u32(object.size);
      writer.u64(object.begun());
    }
  }
  writer.u64(apart_.size());
  for (const auto& [who, times] : apart_) {
    writer.u64(who);
    writer.u64(times);
  }
}

void CollectiveCounts::read(ByteReader& reader) {
  for (std::size_t kind = 0; kind < objects_.size(); ++kind) {
    for (auto left = reader.count(object_bytes); left > 0 && reader.ok(); --left) {
      const std::uint64_t index = reader.u64();
      const std::uint64_t id = reader.u64();
      const std::uint32_t size = reader.u32();
      const std::uint64_t begun = reader.u64();
      if (index >= CommTable::limit || calls_ == nullptr) return reader.fail();
      gone(static_cast<Of>(kind), index);
      add(static_cast<Of>(kind), index, id, size, begun);
    }
  }
  apart_.clear();
  for (auto left = reader.count(apart_bytes); left > 0 && reader.ok(); --left) {
    const std::uint64_t who = reader.u64();
    apart_[who] = reader.u64();
  }
}

}  // namespace cppc::mpi
