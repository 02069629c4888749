#include "mpi/node_memory.hpp"

#include <sys/mman.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

#include "address/program_time.hpp"
#include "log.hpp"
#include "mpi/infos.hpp"
#include "mpi/kept.hpp"
#include "mpi/mpi_objects.hpp"

namespace cppc::mpi {

namespace {

constexpr std::size_t kPage = 4096;

std::size_t offset_in_page(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory) % kPage; }

std::byte* page_of(void* memory) { return static_cast<std::byte*>(memory) - offset_in_page(memory); }

/// Bytes of the pages that have these.
std::size_t pages_of(const void* memory, MPI_Aint bytes) {
  return (offset_in_page(memory) + static_cast<std::size_t>(bytes) + kPage - 1) / kPage * kPage;
}

/// Whether all members were started together. What MPI knows about a process of another start, which node it is on, may
/// differ from what that process knows about this one.
bool started_together(MPI_Comm comm) {
  const Group started = Group::of(MPI_COMM_WORLD);
  const Group members = Group::of(comm);
  int size = 0;
  must(PMPI_Group_size(members.get(), &size), "MPI_Group_size");
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<int> found(ranks.size());
  must(PMPI_Group_translate_ranks(members.get(), size, ranks.data(), started.get(), found.data()),
       "MPI_Group_translate_ranks");
  return size > 1 && std::ranges::find(found, MPI_UNDEFINED) == found.end();
}

bool on_one_node(MPI_Comm comm) {
  MPI_Comm node = MPI_COMM_NULL;
  must(PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node), "MPI_Comm_split_type");
  int size = 0;
  int all = 0;
  must(PMPI_Comm_size(node, &size), "MPI_Comm_size");
  must(PMPI_Comm_size(comm, &all), "MPI_Comm_size");
  must(PMPI_Comm_free(&node), "MPI_Comm_free");
  return size == all;
}

/// Where Open MPI has the memory that ranks share; the process is ended when it is full.
std::uint64_t free_shared_memory() {
  struct statvfs system {};
  return statvfs("/dev/shm", &system) == 0 ? system.f_bavail * system.f_frsize : 0;
}

/// Pages of the program's heap, none of them another block's.
std::byte* allocate_pages(std::size_t bytes) noexcept {
  const address::InsideProgram program;
  return static_cast<std::byte*>(std::aligned_alloc(kPage, bytes));
}

/// Maps the pages at `from` once more, at `to`. Fails for memory that is not shared.
bool map_twice(void* from, std::size_t bytes, void* to) {
  constexpr std::size_t what_is_there_stays = 0;
  return mremap(from, what_is_there_stays, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to;
}

bool show_at_new(void* shared, MPI_Aint bytes, WindowMemory& memory) {
  const std::size_t size = pages_of(shared, bytes);
  std::byte* const block = allocate_pages(size);
  if (block == nullptr) return false;
  memory = {.block = block, .base = block + offset_in_page(shared)};
  return map_twice(page_of(shared), size, block);
}

bool show_again(void* shared, MPI_Aint bytes, const WindowMemory& memory) {
  if (offset_in_page(shared) != offset_in_page(memory.base)) return false;
  std::memcpy(shared, memory.base, static_cast<std::size_t>(bytes));
  return map_twice(page_of(shared), pages_of(shared, bytes), memory.block);
}

bool show(void* shared, MPI_Aint bytes, WindowMemory& memory) {
  if (bytes <= 0) return true;
  return memory.base == nullptr ? show_at_new(shared, bytes, memory) : show_again(shared, bytes, memory);
}

}  // namespace

bool can_share_memory(MPI_Aint bytes, MPI_Comm comm) {
  if (!address::kept_by_address() || !started_together(comm) || !on_one_node(comm)) return false;
  std::uint64_t wanted = bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0;
  must(PMPI_Allreduce(MPI_IN_PLACE, &wanted, 1, MPI_UINT64_T, MPI_SUM, comm), "MPI_Allreduce");
  int enough = wanted > 0 && wanted <= free_shared_memory() / 2 ? 1 : 0;
  must(PMPI_Allreduce(MPI_IN_PLACE, &enough, 1, MPI_INT, MPI_LAND, comm), "MPI_Allreduce");
  return enough != 0;
}

int make_node_window(WindowMemory& memory, MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, MPI_Win* made) {
  Hints hints = info != MPI_INFO_NULL ? hints_in(info) : Hints{};
  // Each rank's memory begins at the same place in a page, and a page more than it needs keeps the next one's out of
  // those that are shown.
  hints.emplace_back("alloc_shared_noncontig", "true");
  const OwnInfo own = OwnInfo::with(hints);
  void* shared = nullptr;
  const MPI_Aint room = bytes > 0 ? bytes + static_cast<MPI_Aint>(kPage) : bytes;
  const int status = PMPI_Win_allocate(room, unit, own.get(), comm, static_cast<void*>(&shared), made);
  if (status != MPI_SUCCESS) return status;
  int shown = show(shared, bytes, memory) ? 1 : 0;
  must(PMPI_Allreduce(MPI_IN_PLACE, &shown, 1, MPI_INT, MPI_LAND, comm), "MPI_Allreduce");
  if (shown != 0) return MPI_SUCCESS;
  must(PMPI_Win_free(made), "MPI_Win_free");
  return MPI_ERR_NO_MEM;
}

bool stop_sharing(const WindowMemory& memory, MPI_Aint bytes) {
  if (memory.block == nullptr) return true;
  const std::size_t size = pages_of(memory.base, bytes);
  void* const own = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (own != MAP_FAILED) {
    std::memcpy(own, memory.block, size);
    if (mremap(own, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, memory.block) == memory.block) return true;
  }
  log().error("the memory of a window at {} cannot be made the rank's own again: {}", memory.base,
              std::strerror(errno));
  if (own != MAP_FAILED) munmap(own, size);
  return false;
}

}  // namespace cppc::mpi
