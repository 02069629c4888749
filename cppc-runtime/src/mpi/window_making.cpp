#include "mpi/window_making.hpp"

#include <algorithm>

#include "cppc/cppc.h"
#include "log.hpp"
#include "mpi/bound_windows.hpp"
#include "mpi/comm_table.hpp"
#include "mpi/kept.hpp"
#include "mpi/node_memory.hpp"
#include "pages.hpp"

namespace cppc::mpi::window_making {

namespace {

cppc_status failed(int status, const char* call, const WindowDescription& window) {
  log().error("cannot make {} again: {}: {}", window_name(window.index, window.name), call, error_text(status));
  return CPPC_ERR_MPI;
}

/// A communicator of the window's members, for as long as the window is being made.
class Members {
 public:
  Members(MPI_Comm world, const std::vector<int>& members) : status_(make_comm(world, members, &comm_)) {}
  Members(const Members&) = delete;
  Members& operator=(const Members&) = delete;
  ~Members() {
    if (comm_ != MPI_COMM_NULL) PMPI_Comm_free(&comm_);
  }

  [[nodiscard]] int status() const { return status_; }
  [[nodiscard]] MPI_Comm get() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int status_;
};

/// Over the program's memory, which MPI reaches by messages.
int make_window(const KeptWindow& kept, MPI_Info info, MPI_Comm comm, MPI_Win* made) {
  if (kept.flavor == MPI_WIN_FLAVOR_DYNAMIC) return PMPI_Win_create_dynamic(info, comm, made);
  return PMPI_Win_create(kept.base, kept.size, kept.unit, info, comm, made);
}

/// `make` gets the memory that the window has, and may give it some.
int with_memory(KeptWindow& kept, auto make) {
  WindowMemory memory{.block = kept.block, .base = kept.base};
  const int status = make(memory);
  kept.block = memory.block;
  kept.base = memory.base;
  return status;
}

/// As make_node_window(), for memory that is shared or none yet. MPI_ERR_NO_MEM as well when the members cannot share.
int make_on_node(KeptWindow& kept, MPI_Info info, MPI_Comm comm, Window& out) {
  if (!can_share_memory(kept.size, comm)) return MPI_ERR_NO_MEM;
  return with_memory(kept, [&](WindowMemory& memory) {
    return make_node_window(memory, kept.size, kept.unit, info, comm, &out.real);
  });
}

/// That MPI_Win_allocate_shared makes. MPI_ERR_NO_MEM as make_spanning_window().
int make_spanning(KeptWindow& kept, MPI_Info info, MPI_Comm comm, Window& out) {
  return with_memory(kept, [&](WindowMemory& memory) {
    return make_spanning_window(memory, kept.size, kept.unit, info, comm, &out.real);
  });
}

/// With memory for it.
int make_allocated(KeptWindow& kept, MPI_Info info, MPI_Comm comm, Window& out) {
  const int status = make_on_node(kept, info, comm, out);
  out.made_on_node = status == MPI_SUCCESS;
  if (status != MPI_ERR_NO_MEM) return status;
  if (kept.base == nullptr && kept.size > 0) {
    kept.base = kept.block = allocate_carried(cppc_type_bytes, static_cast<std::size_t>(kept.size));
    if (kept.base == nullptr) return PMPI_Comm_call_errhandler(comm, MPI_ERR_NO_MEM), MPI_ERR_NO_MEM;
    clear({static_cast<std::byte*>(kept.base), static_cast<std::size_t>(kept.size)});  // as fresh memory of Open MPI is
  }
  return make_window(kept, info, comm, &out.real);
}

int make_real(KeptWindow& kept, MPI_Info info, MPI_Comm comm, Window& out) {
  if (out.spans_members) return make_spanning(kept, info, comm, out);
  // All members take this way, with memory in the window or without.
  const int status = out.made_on_node ? make_on_node(kept, info, comm, out) : MPI_ERR_NO_MEM;
  return status != MPI_ERR_NO_MEM ? status : make_window(kept, info, comm, &out.real);
}

/// Enters the epochs again in which the program is.
void enter_epochs(const WindowDescription& window, MPI_Win real) {
  if (window.fenced) must(PMPI_Win_fence(0, real), "MPI_Win_fence");
  if (window.locked_all) must(PMPI_Win_lock_all(0, real), "MPI_Win_lock_all");
  for (const int target : window.shared) {
    must(PMPI_Win_lock(MPI_LOCK_SHARED, target, 0, real), "MPI_Win_lock");
  }
}

int attach_again(const Window& window) {
  for (const AttachedMemory& memory : window.attached)
    if (const int status = PMPI_Win_attach(window.real, memory.base, memory.size); status != MPI_SUCCESS) return status;
  return MPI_SUCCESS;
}

}  // namespace

int model_of(MPI_Win real) {
  const int* model = nullptr;
  int found = 0;
  must(PMPI_Win_get_attr(real, MPI_WIN_MODEL, static_cast<void*>(&model), &found), "MPI_Win_get_attr");
  return found != 0 ? *model : MPI_WIN_SEPARATE;
}

int make_first(KeptWindow& shown, MPI_Info info, MPI_Comm comm, Window& out) {
  if (shown.flavor == MPI_WIN_FLAVOR_SHARED && can_span_members(comm)) {
    const int status = make_spanning(shown, info, comm, out);
    out.spans_members = status == MPI_SUCCESS;
    if (status != MPI_ERR_NO_MEM) return status;
  }
  out.bound = bound_windows::are(shown, comm);
  if (out.bound) return bound_windows::make(shown, info, comm, &out.real);
  const bool allocated = shown.flavor == MPI_WIN_FLAVOR_ALLOCATE || shown.flavor == MPI_WIN_FLAVOR_SHARED;
  return allocated ? make_allocated(shown, info, comm, out) : make_window(shown, info, comm, &out.real);
}

void release_memory(const KeptWindow& kept) {
  if (kept.block == nullptr) return;
  if (stop_sharing({.block = kept.block, .base = kept.base})) release_carried(kept.block);  // else it stays allocated
}

void leave_epochs(const Window& window) {
  if (window.locked_all) must(PMPI_Win_unlock_all(window.real), "MPI_Win_unlock_all");
  for (const int target : window.shared) must(PMPI_Win_unlock(target, window.real), "MPI_Win_unlock");
}

cppc_status make_again(const WindowDescription& window, MPI_Comm world, Window& out) {
  const Members members(world, window.members);
  if (members.status() != MPI_SUCCESS) return failed(members.status(), "MPI_Comm_create_group", window);
  const OwnInfo info = OwnInfo::with(window.hints);
  const int status = make_real(*out.kept, info.get(), members.get(), out);
  if (status != MPI_SUCCESS)
    return failed(
        status,
        window.spans_members ? "MPI_Win_allocate_shared (all of its ranks have to be on one node)" : "MPI_Win_create",
        window);
  must(PMPI_Win_set_name(out.real, window.name.c_str()), "MPI_Win_set_name");
  must(PMPI_Win_set_errhandler(out.real, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
  if (const int attached = attach_again(out); attached != MPI_SUCCESS)
    return failed(attached, "MPI_Win_attach", window);
  enter_epochs(window, out.real);
  // A target grants a lock while it is in MPI, which it may leave for long. What others may access has been attached.
  must(PMPI_Barrier(members.get()), "MPI_Barrier");
  must(PMPI_Win_set_errhandler(out.real, window.error_handler.get()), "MPI_Win_set_errhandler");
  out.kept->model = model_of(out.real);
  return CPPC_OK;
}

}  // namespace cppc::mpi::window_making
