#include "mpi/node_memory.hpp"

#include <malloc.h>
#include <sys/mman.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <span>
#include <vector>

#include "address/program_time.hpp"
#include "address/shared_blocks.hpp"
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
std::size_t pages_of(std::span<const std::byte> memory) {
  return (offset_in_page(memory.data()) + memory.size() + kPage - 1) / kPage * kPage;
}

/// What MPI has for a window, where MPI has it.
struct Shared {
  std::span<std::byte> all;  ///< that this member is to see
  std::span<std::byte> own;  ///< in it, this member's
};

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

/// In the block that shows `shared`.
std::byte* place_in(void* block, const Shared& shared, const std::byte* place) {
  return static_cast<std::byte*>(block) + offset_in_page(shared.all.data()) + (place - shared.all.data());
}

bool show_at(void* block, const Shared& shared) {
  const std::size_t size = pages_of(shared.all);
  if (!map_twice(page_of(shared.all.data()), size, block)) return false;
  address::SharedBlocks::add({.memory = {static_cast<std::byte*>(block), size},
                              .own = {place_in(block, shared, shared.own.data()), shared.own.size()}});
  return true;
}

bool show_at_new(const Shared& shared, WindowMemory& memory) {
  std::byte* const block = allocate_pages(pages_of(shared.all));
  if (block == nullptr) return false;
  memory = {.block = block, .base = place_in(block, shared, shared.own.data())};
  return show_at(block, shared);
}

std::size_t room_of(void* block) {
  const address::InsideProgram program;
  return malloc_usable_size(block);
}

bool show_again(const Shared& shared, const WindowMemory& memory) {
  const bool same_place = memory.base == place_in(memory.block, shared, shared.own.data());
  if (!same_place || room_of(memory.block) < pages_of(shared.all)) return false;
  std::memcpy(shared.own.data(), memory.base, shared.own.size());
  return show_at(memory.block, shared);
}

bool show(const Shared& shared, WindowMemory& memory) {
  if (shared.all.empty()) return true;
  return memory.block == nullptr ? show_at_new(shared, memory) : show_again(shared, memory);
}

/// Nothing of it is left unless all members can.
int show_on_all(const Shared& shared, WindowMemory& memory, MPI_Comm comm, MPI_Win* made) {
  int shown = show(shared, memory) ? 1 : 0;
  must(PMPI_Allreduce(MPI_IN_PLACE, &shown, 1, MPI_INT, MPI_LAND, comm), "MPI_Allreduce");
  if (shown != 0) return MPI_SUCCESS;
  must(PMPI_Win_free(made), "MPI_Win_free");
  return MPI_ERR_NO_MEM;
}

/// Of this member of a window of MPI_Win_allocate_shared.
std::span<std::byte> memory_of(MPI_Win real, int member) {
  MPI_Aint size = 0;
  int unit = 0;
  void* base = nullptr;
  must(PMPI_Win_shared_query(real, member, &size, &unit, static_cast<void*>(&base)), "MPI_Win_shared_query");
  return {static_cast<std::byte*>(base), static_cast<std::size_t>(size)};
}

/// From the first member's memory to the end of the last one's, which lie one behind the other.
std::span<std::byte> memory_of_all(MPI_Win real) {
  int members = 0;
  must(PMPI_Group_size(Group::of(real).get(), &members), "MPI_Group_size");
  std::byte* begin = nullptr;
  std::byte* end = nullptr;
  for (int member = 0; member < members; ++member) {
    const auto memory = memory_of(real, member);
    if (memory.empty()) continue;
    if (begin == nullptr || memory.data() < begin) begin = memory.data();
    end = std::max(end, memory.data() + memory.size());
  }
  return {begin, end};
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
  std::byte* shared = nullptr;
  const MPI_Aint room = bytes > 0 ? bytes + static_cast<MPI_Aint>(kPage) : bytes;
  const int status = PMPI_Win_allocate(room, unit, own.get(), comm, static_cast<void*>(&shared), made);
  if (status != MPI_SUCCESS) return status;
  const std::span shown(shared, bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  return show_on_all({.all = shown, .own = shown}, memory, comm, made);
}

bool can_span_members(MPI_Comm comm) { return address::kept_by_address() && started_together(comm); }

int make_spanning_window(WindowMemory& memory, MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, MPI_Win* made) {
  std::byte* own = nullptr;
  const int status = PMPI_Win_allocate_shared(bytes, unit, info, comm, static_cast<void*>(&own), made);
  if (status != MPI_SUCCESS) return status;
  const auto all = memory_of_all(*made);
  if (bytes <= 0) own = all.data();  // what MPI gives then need not be there
  return show_on_all({.all = all, .own = {own, static_cast<std::size_t>(bytes)}}, memory, comm, made);
}

void* shown_at(const WindowMemory& memory, MPI_Win real, void* place) {
  const auto all = memory_of_all(real);
  auto* const byte = static_cast<std::byte*>(place);
  if (memory.block == nullptr || byte < all.data() || byte > all.data() + all.size()) return place;
  return place_in(memory.block, {.all = all, .own = {}}, byte);
}

std::uint64_t spanned_bytes(MPI_Win real) { return memory_of_all(real).size(); }

// Open MPI has it there; the process is ended when it is full.
std::uint64_t free_shared_memory() {
  struct statvfs system {};
  return statvfs("/dev/shm", &system) == 0 ? system.f_bavail * system.f_frsize : 0;
}

bool stop_sharing(const WindowMemory& memory) {
  const address::SharedBlock* const shared = address::SharedBlocks::find(memory.block);
  if (shared == nullptr) return true;
  constexpr int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  const auto pages = shared->memory;
  if (mmap(pages.data(), pages.size(), PROT_READ | PROT_WRITE, kind, -1, 0) == MAP_FAILED) {
    log().error("the memory of a window at {} cannot be made the rank's own again: {}", memory.base,
                std::strerror(errno));
    return false;
  }
  address::SharedBlocks::remove(memory.block);
  return true;
}

}  // namespace cppc::mpi
