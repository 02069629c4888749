#include "mpi/comm_table.hpp"

#include <algorithm>
#include <span>
#include <string>

#include "log.hpp"
#include "mpi/mpi_objects.hpp"

namespace cppc::mpi {

void CommTable::no_world(const char* function) {
  die(CPPC_ERR_STATE, std::string(function) +
                          " was called while the rank starts again, before its state is restored: code that runs again "
                          "at a restart must not communicate; this rank cannot be migrated");
}

void CommTable::manage(MPI_Comm world, int rank, int size) {
  managed_ = true;
  world_ = world;
  rank_ = rank;
  size_ = size;
}

MPI_Comm CommTable::handle_for(MPI_Comm real) const {
  if (real == world_) return MPI_COMM_WORLD;
  const auto used = std::span(slots_).first(end_).subspan(1);
  const auto found = std::ranges::find(used, real);
  return found == used.end() ? real : handle_of(static_cast<std::size_t>(found - used.begin()) + 1);
}

MPI_Comm CommTable::add(MPI_Comm made) {
  while (first_free_ < limit && slots_[first_free_] != nullptr) ++first_free_;
  if (first_free_ == limit) die(CPPC_ERR_MEMORY, "the program has more than 65535 communicators");
  put(first_free_, made);
  return handle_of(first_free_++);
}

void CommTable::put(std::size_t index, MPI_Comm made) {
  slots_[index] = made;
  order_[index] = ++made_;
  end_ = std::max(end_, index + 1);
}

void CommTable::remove(MPI_Comm handle) {
  const std::size_t index = index_of(handle);
  slots_[index] = nullptr;
  first_free_ = std::min(first_free_, index);
}

std::vector<std::size_t> CommTable::indices() const {
  std::vector<std::size_t> used;
  for (std::size_t index = 1; index < end_; ++index) {
    if (slots_[index] != nullptr) used.push_back(index);
  }
  std::ranges::sort(used, {}, [this](std::size_t index) { return order_[index]; });
  return used;
}

void CommTable::free_all() {
  for (const std::size_t index : indices()) {
    must(PMPI_Comm_free(&slots_[index]), "MPI_Comm_free");
    remove(handle_of(index));
  }
  if (world_ != nullptr) must(PMPI_Comm_free(&world_), "MPI_Comm_free");
  world_ = nullptr;
}

}  // namespace cppc::mpi
