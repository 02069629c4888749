/// One-sided communication: memory, windows and their synchronization.
#include <mpi.h>

#include <algorithm>
#include <cstring>

#include "address/program_stack.hpp"
#include "mpi/blocking.hpp"
#include "mpi/collective_counts.hpp"
#include "mpi/comm_table.hpp"
#include "mpi/groups.hpp"
#include "mpi/infos.hpp"
#include "mpi/kept.hpp"
#include "mpi/node_memory.hpp"
#include "mpi/own_attributes.hpp"
#include "mpi/traffic.hpp"
#include "mpi/turns.hpp"
#include "mpi/windows.hpp"

using namespace cppc::mpi;

namespace {

/// Null in a plain program, and when the call that returned `status` failed.
Window* after(int status, MPI_Win win) { return status == MPI_SUCCESS ? windows().find(win) : nullptr; }

template <class Value>
void hand_out(Value* value, void* out) {
  std::memcpy(out, static_cast<const void*>(&value), sizeof value);
}

/// Memory that is carried over as the program's own; of no bytes, none.
void* memory(MPI_Aint bytes) {
  return bytes == 0 ? nullptr : allocate_carried(cppc_type_bytes, static_cast<std::size_t>(bytes));
}

int create(const char* function, int flavor, void* base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm,
           MPI_Win* win) {
  collective_counts().begin(comm);
  const KeptWindow shown{
      .base = base, .block = nullptr, .size = size, .unit = unit, .flavor = flavor, .model = MPI_WIN_UNIFIED};
  const int status = windows().create(shown, real(info), comms.real(comm, function), win);
  cppc::address::program_stack::clear_unused();  // MPI has opened libraries
  if (status != MPI_SUCCESS) return status;
  collective_counts().made(CollectiveCounts::index_of(comm), Windows::index_of(*win), windows().real(*win));
  return status;
}

/// What the program's own functions on attributes returned, as an error of the window.
int raise(MPI_Win win, int status) {
  if (status != MPI_SUCCESS) PMPI_Win_call_errhandler(windows().real(win), status);
  return status;
}

/// The accesses of an epoch of fences may come after it no more.
void begin_other_epoch(Window& window) { window.fenced = false; }

void lock(Window& window, int type, int target) {
  begin_other_epoch(window);
  if (type == MPI_LOCK_SHARED) {
    window.shared.push_back(target);
  } else {
    window.exclusive.push_back(target);
    traffic.activated(1);
  }
}

void unlock(Window& window, int target) {
  window.settle(target, Access::writes);
  traffic.completed(static_cast<std::int64_t>(std::erase(window.exclusive, target)));
  std::erase(window.shared, target);
}

void set_active(bool& flag, bool active) {
  if (flag != active) traffic.activated(active ? 1 : -1);
  flag = active;
}

void forget_attached(Window& window, const void* base) {
  const auto found = std::ranges::find(window.attached, base, &AttachedMemory::base);
  if (found != window.attached.end()) window.attached.erase(found);
}

int test_epoch(MPI_Win win, int* done) {
  const int status = PMPI_Win_test(windows().real(win), done);
  Window* const window = after(status, win);
  if (window != nullptr && *done != 0) set_active(window->posted, false);
  return status;
}

}  // namespace

extern "C" {

int MPI_Alloc_mem(MPI_Aint size, MPI_Info info, void* base) {
  const Entry entry;
  if (!comms.managed() || size < 0) return PMPI_Alloc_mem(size, real(info), base);
  void* const block = memory(size);
  if (block == nullptr && size > 0) {
    PMPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_NO_MEM);
    return MPI_ERR_NO_MEM;
  }
  hand_out(block, base);
  return MPI_SUCCESS;
}

int MPI_Free_mem(void* base) {
  const Entry entry;
  if (!comms.managed()) return PMPI_Free_mem(base);
  release_carried(base);
  return MPI_SUCCESS;
}

int MPI_Win_create(void* base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  const Entry entry;
  if (!comms.managed()) return PMPI_Win_create(base, size, unit, info, comm, win);
  return create(__func__, MPI_WIN_FLAVOR_CREATE, base, size, unit, info, comm, win);
}

int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* win) {
  const Entry entry;
  if (!comms.managed()) return PMPI_Win_allocate(size, unit, info, comm, base, win);
  const int status = create(__func__, MPI_WIN_FLAVOR_ALLOCATE, nullptr, size, unit, info, comm, win);
  if (status == MPI_SUCCESS) hand_out(windows().find(*win)->kept->base, base);
  return status;
}

int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* win) {
  const Entry entry;
  if (!comms.managed()) return PMPI_Win_allocate_shared(size, unit, info, comm, base, win);
  const int status = create(__func__, MPI_WIN_FLAVOR_SHARED, nullptr, size, unit, info, comm, win);
  if (status == MPI_SUCCESS) hand_out(windows().find(*win)->kept->base, base);
  return status;
}

int MPI_Win_shared_query(MPI_Win win, int rank, MPI_Aint* size, int* unit, void* base) {
  const Entry entry;
  const Window* const window = windows().find(win);
  if (window != nullptr && window->spans_members) {
    void* place = nullptr;
    const int status = PMPI_Win_shared_query(window->real, rank, size, unit, static_cast<void*>(&place));
    const WindowMemory memory{.block = window->kept->block, .base = window->kept->base};
    if (status == MPI_SUCCESS) hand_out(shown_at(memory, window->real, place), base);
    return status;
  }
  const bool own = window != nullptr && !window->bound && window->kept->flavor == MPI_WIN_FLAVOR_SHARED;
  if (!own || (rank != 0 && rank != MPI_PROC_NULL))
    return PMPI_Win_shared_query(windows().real(win), rank, size, unit, base);
  *size = window->kept->size;
  *unit = window->kept->unit;
  hand_out(window->kept->base, base);
  return MPI_SUCCESS;
}

int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  const Entry entry;
  if (!comms.managed()) return PMPI_Win_create_dynamic(info, comm, win);
  return create(__func__, MPI_WIN_FLAVOR_DYNAMIC, MPI_BOTTOM, 0, 1, info, comm, win);
}

int MPI_Win_attach(MPI_Win win, void* base, MPI_Aint size) {
  const Entry entry;
  const int status = PMPI_Win_attach(windows().real(win), base, size);
  if (Window* const window = after(status, win)) window->attached.push_back({base, size});
  return status;
}

int MPI_Win_detach(MPI_Win win, const void* base) {
  const Entry entry;
  const int status = PMPI_Win_detach(windows().real(win), base);
  if (Window* const window = after(status, win)) forget_attached(*window, base);
  return status;
}

int MPI_Win_free(MPI_Win* win) {
  const Entry entry;
  if (!comms.managed() || win == nullptr) return PMPI_Win_free(win);
  if (const int status = own_attributes<MPI_Win>().erase_all(*win); status != MPI_SUCCESS) return raise(*win, status);
  collective_counts().begin(CollectiveCounts::Of::window, Windows::index_of(*win));
  MPI_Win real = windows().real(*win);
  const int status = waiting<PMPI_Win_free>(&real);
  if (after(status, *win) == nullptr) return status;
  collective_counts().gone(CollectiveCounts::Of::window, Windows::index_of(*win));
  windows().remove(*win);
  *win = MPI_WIN_NULL;
  return status;
}

int MPI_Win_get_attr(MPI_Win win, int keyval, void* value, int* flag) {
  const Entry entry;
  const Window* const window = windows().find(win);
  if (window == nullptr) return PMPI_Win_get_attr(windows().real(win), keyval, value, flag);
  KeptWindow& kept = *window->kept;
  *flag = 1;
  switch (keyval) {
    case MPI_WIN_BASE:
      hand_out(kept.base, value);
      return MPI_SUCCESS;
    case MPI_WIN_SIZE:
      hand_out(&kept.size, value);
      return MPI_SUCCESS;
    case MPI_WIN_DISP_UNIT:
      hand_out(&kept.unit, value);
      return MPI_SUCCESS;
    case MPI_WIN_CREATE_FLAVOR:
      hand_out(&kept.flavor, value);
      return MPI_SUCCESS;
    case MPI_WIN_MODEL:
      hand_out(&kept.model, value);
      return MPI_SUCCESS;
    default:
      if (is_own_key(keyval)) return raise(win, own_attributes<MPI_Win>().get(win, keyval, value, flag));
      return PMPI_Win_get_attr(window->real, keyval, value, flag);
  }
}

int MPI_Win_set_attr(MPI_Win win, int keyval, void* value) {
  const Entry entry;
  if (windows().find(win) == nullptr || !is_own_key(keyval))
    return PMPI_Win_set_attr(windows().real(win), keyval, value);
  return raise(win, own_attributes<MPI_Win>().set(win, keyval, value));
}

int MPI_Win_delete_attr(MPI_Win win, int keyval) {
  const Entry entry;
  if (windows().find(win) == nullptr || !is_own_key(keyval)) return PMPI_Win_delete_attr(windows().real(win), keyval);
  return raise(win, own_attributes<MPI_Win>().erase(win, keyval));
}

int MPI_Win_create_keyval(MPI_Win_copy_attr_function* copy, MPI_Win_delete_attr_function* erase, int* keyval,
                          void* extra) {
  const Entry entry;
  if (!comms.managed()) return PMPI_Win_create_keyval(copy, erase, keyval, extra);
  return own_attributes<MPI_Win>().create_key(copy, erase, keyval, extra);
}

int MPI_Win_free_keyval(int* keyval) {
  const Entry entry;
  if (!comms.managed() || !is_own_key(*keyval)) return PMPI_Win_free_keyval(keyval);
  return raise_of_world(own_attributes<MPI_Win>().free_key(keyval));
}

int MPI_Win_get_group(MPI_Win win, MPI_Group* group) {
  const Entry entry;
  return groups().create(group, [&](MPI_Group* made) { return PMPI_Win_get_group(windows().real(win), made); });
}

int MPI_Win_fence(int assertion, MPI_Win win) {
  const Entry entry;
  collective_counts().begin(CollectiveCounts::Of::window, Windows::index_of(win));
  const int status = waiting<PMPI_Win_fence>(assertion, windows().real(win));
  if (Window* const window = after(status, win)) {
    window->settle(Access::writes);
    window->fenced = (assertion & MPI_MODE_NOSUCCEED) == 0;
  }
  return status;
}

int MPI_Win_lock(int type, int target, int assertion, MPI_Win win) {
  const Entry entry;
  call_point.pass();
  const UninterruptibleCall uninterruptible;
  const int status = waiting<PMPI_Win_lock>(type, target, assertion, windows().real(win));
  if (Window* const window = after(status, win)) lock(*window, type, target);
  return status;
}

int MPI_Win_lock_all(int assertion, MPI_Win win) {
  const Entry entry;
  call_point.pass();
  const UninterruptibleCall uninterruptible;
  const int status = waiting<PMPI_Win_lock_all>(assertion, windows().real(win));
  if (Window* const window = after(status, win)) {
    begin_other_epoch(*window);
    window->locked_all = true;
  }
  return status;
}

int MPI_Win_unlock(int target, MPI_Win win) {
  const Entry entry;
  call_point.pass();
  const UninterruptibleCall uninterruptible;
  const int status = waiting<PMPI_Win_unlock>(target, windows().real(win));
  if (Window* const window = after(status, win)) unlock(*window, target);
  return status;
}

int MPI_Win_unlock_all(MPI_Win win) {
  const Entry entry;
  call_point.pass();
  const UninterruptibleCall uninterruptible;
  const int status = waiting<PMPI_Win_unlock_all>(windows().real(win));
  if (Window* const window = after(status, win)) {
    window->settle(Access::writes);
    window->locked_all = false;
  }
  return status;
}

int MPI_Win_flush(int target, MPI_Win win) {
  const Entry entry;
  call_point.pass();
  const UninterruptibleCall uninterruptible;
  const int status = waiting<PMPI_Win_flush>(target, windows().real(win));
  if (Window* const window = after(status, win)) window->settle(target, Access::writes);
  return status;
}

int MPI_Win_flush_all(MPI_Win win) {
  const Entry entry;
  call_point.pass();
  const UninterruptibleCall uninterruptible;
  const int status = waiting<PMPI_Win_flush_all>(windows().real(win));
  if (Window* const window = after(status, win)) window->settle(Access::writes);
  return status;
}

int MPI_Win_flush_local(int target, MPI_Win win) {
  const Entry entry;
  call_point.pass();
  const UninterruptibleCall uninterruptible;
  const int status = waiting<PMPI_Win_flush_local>(target, windows().real(win));
  if (Window* const window = after(status, win)) window->settle(target, Access::reads);
  return status;
}

int MPI_Win_flush_local_all(MPI_Win win) {
  const Entry entry;
  call_point.pass();
  const UninterruptibleCall uninterruptible;
  const int status = waiting<PMPI_Win_flush_local_all>(windows().real(win));
  if (Window* const window = after(status, win)) window->settle(Access::reads);
  return status;
}

int MPI_Win_start(MPI_Group group, int assertion, MPI_Win win) {
  const Entry entry;
  call_point.pass();
  const UninterruptibleCall uninterruptible;
  const int status = waiting<PMPI_Win_start>(groups().real(group), assertion, windows().real(win));
  if (Window* const window = after(status, win)) {
    begin_other_epoch(*window);
    set_active(window->started, true);
  }
  return status;
}

int MPI_Win_complete(MPI_Win win) {
  const Entry entry;
  call_point.pass();
  const UninterruptibleCall uninterruptible;
  const int status = waiting<PMPI_Win_complete>(windows().real(win));
  if (Window* const window = after(status, win)) {
    window->settle(Access::writes);  // a target is active until its MPI_Win_wait
    set_active(window->started, false);
  }
  return status;
}

int MPI_Win_post(MPI_Group group, int assertion, MPI_Win win) {
  const Entry entry;
  call_point.pass();
  const int status = waiting<PMPI_Win_post>(groups().real(group), assertion, windows().real(win));
  if (Window* const window = after(status, win)) {
    begin_other_epoch(*window);
    set_active(window->posted, true);
  }
  return status;
}

int MPI_Win_wait(MPI_Win win) {
  const Entry entry;
  if (call_point.watching())
    return repeat([win](int* done) { return test_epoch(win, done); }, [] { call_point.wait_for_anybody(); });
  const int status = waiting<PMPI_Win_wait>(windows().real(win));
  if (Window* const window = after(status, win)) set_active(window->posted, false);
  return status;
}

int MPI_Win_test(MPI_Win win, int* flag) {
  const Entry entry;
  call_point.pass();
  const int status = test_epoch(win, flag);
  if (status == MPI_SUCCESS && *flag == 0 && call_point.rings()) call_point.wait_for_anybody();
  return status;
}

}  // extern "C"
