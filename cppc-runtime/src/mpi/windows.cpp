#include "mpi/windows.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <utility>

#include "cppc/cppc.h"
#include "log.hpp"
#include "mpi/bound_windows.hpp"
#include "mpi/comm_table.hpp"
#include "mpi/kept.hpp"
#include "mpi/node_memory.hpp"
#include "mpi/numbers.hpp"
#include "mpi/traffic.hpp"
#include "never_destroyed.hpp"

namespace cppc::mpi {

namespace {

static_assert(sizeof(MPI_Aint) == sizeof(long));

constexpr std::array window_fields{
    cppc_field{"base", offsetof(KeptWindow, base), &cppc_type_pointer, 1},
    cppc_field{"block", offsetof(KeptWindow, block), &cppc_type_pointer, 1},
    cppc_field{"size", offsetof(KeptWindow, size), &cppc_type_long, 1},
    cppc_field{"unit", offsetof(KeptWindow, unit), &cppc_type_int, 1},
    cppc_field{"flavor", offsetof(KeptWindow, flavor), &cppc_type_int, 1},
    cppc_field{"model", offsetof(KeptWindow, model), &cppc_type_int, 1},
};
constexpr cppc_type window_type = {CPPC_STRUCT, sizeof(KeptWindow), "window", window_fields.data(),
                                   window_fields.size()};

int model_of(MPI_Win real) {
  const int* model = nullptr;
  int found = 0;
  must(PMPI_Win_get_attr(real, MPI_WIN_MODEL, static_cast<void*>(&model), &found), "MPI_Win_get_attr");
  return found != 0 ? *model : MPI_WIN_SEPARATE;
}

std::size_t size_of(MPI_Win real) {
  int size = 0;
  must(PMPI_Group_size(Group::of(real).get(), &size), "MPI_Group_size");
  return static_cast<std::size_t>(size);
}

std::string name_of(MPI_Win real) {
  std::array<char, MPI_MAX_OBJECT_NAME> name{};
  int length = 0;
  must(PMPI_Win_get_name(real, name.data(), &length), "MPI_Win_get_name");
  return name.data();
}

Hints hints_of(MPI_Win real) {
  MPI_Info info = MPI_INFO_NULL;
  must(PMPI_Win_get_info(real, &info), "MPI_Win_get_info");
  return hints_in(OwnInfo(info).get());
}

/// All that the rank counts as active for.
std::int64_t active_in(const Window& window) {
  return std::ranges::count_if(window.unsettled, [](Access access) { return access != Access::none; }) +
         static_cast<std::int64_t>(window.exclusive.size()) + (window.started ? 1 : 0) + (window.posted ? 1 : 0);
}

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

/// As make_node_window(), for memory that is shared or none yet. MPI_ERR_NO_MEM as well when the members cannot share.
int make_on_node(KeptWindow& kept, MPI_Info info, MPI_Comm comm, Window& out) {
  if (!can_share_memory(kept.size, comm)) return MPI_ERR_NO_MEM;
  WindowMemory memory{.block = kept.block, .base = kept.base};
  const int status = make_node_window(memory, kept.size, kept.unit, info, comm, &out.real);
  kept.block = memory.block;
  kept.base = memory.base;
  out.shares_memory = kept.block != nullptr;
  return status;
}

/// With memory for it.
int make_allocated(KeptWindow& kept, MPI_Info info, MPI_Comm comm, Window& out) {
  const int status = make_on_node(kept, info, comm, out);
  out.made_on_node = status == MPI_SUCCESS;
  if (status != MPI_ERR_NO_MEM) return status;
  if (kept.base == nullptr && kept.size > 0) {
    kept.base = kept.block = allocate_carried(cppc_type_bytes, static_cast<std::size_t>(kept.size));
    if (kept.base == nullptr) return PMPI_Comm_call_errhandler(comm, MPI_ERR_NO_MEM), MPI_ERR_NO_MEM;
    std::memset(kept.base, 0, static_cast<std::size_t>(kept.size));  // as fresh memory of Open MPI is
  }
  return make_window(kept, info, comm, &out.real);
}

/// For the program, as `shown` says.
int make_first(KeptWindow& shown, MPI_Info info, MPI_Comm comm, Window& out) {
  out.bound = bound_windows::are(shown, comm);
  if (out.bound) return bound_windows::make(shown, info, comm, &out.real);
  const bool allocated = shown.flavor == MPI_WIN_FLAVOR_ALLOCATE || shown.flavor == MPI_WIN_FLAVOR_SHARED;
  return allocated ? make_allocated(shown, info, comm, out) : make_window(shown, info, comm, &out.real);
}

int make_again(KeptWindow& kept, MPI_Info info, MPI_Comm comm, Window& out) {
  // All members take this way, with memory in the window or without, unless one is in another process now.
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

void leave_epochs(const Window& window) {
  if (window.locked_all) must(PMPI_Win_unlock_all(window.real), "MPI_Win_unlock_all");
  for (const int target : window.shared) must(PMPI_Win_unlock(target, window.real), "MPI_Win_unlock");
}

/// That the window has got, if any.
void release_memory(const KeptWindow& kept, bool shared) {
  if (kept.block == nullptr) return;
  if (shared && !stop_sharing({.block = kept.block, .base = kept.base}, kept.size)) return;  // it stays allocated
  release_carried(kept.block);
}

int attach_again(const Window& window) {
  for (const AttachedMemory& memory : window.attached)
    if (const int status = PMPI_Win_attach(window.real, memory.base, memory.size); status != MPI_SUCCESS) return status;
  return MPI_SUCCESS;
}

cppc_status make(const WindowDescription& window, MPI_Comm world, Window& out) {
  const Members members(world, window.members);
  if (members.status() != MPI_SUCCESS) return failed(members.status(), "MPI_Comm_create_group", window);
  const OwnInfo info = OwnInfo::with(window.hints);
  const int status = make_again(*out.kept, info.get(), members.get(), out);
  if (status != MPI_SUCCESS) return failed(status, "MPI_Win_create", window);
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

}  // namespace

void Window::settle(int target, Access access) {
  Access& there = unsettled[static_cast<std::size_t>(target)];
  if (there == Access::none || there > access) return;
  there = Access::none;
  traffic.completed(1);
}

void Window::settle(Access access) {
  for (std::size_t target = 0; target < unsettled.size(); ++target) settle(static_cast<int>(target), access);
}

bool Window::holds_lock(int target) const {
  const auto among = [target](const std::vector<int>& targets) {
    return std::ranges::find(targets, target) != targets.end();
  };
  return locked_all || among(shared) || among(exclusive);
}

void WindowDescription::write(std::uint64_t number, ByteWriter& writer) const {
  writer.u32(static_cast<std::uint32_t>(index));
  writer.u64(number);
  writer.text(name);
  error_handler.write(writer);
  for (const bool flag : {fenced, locked_all}) writer.u8(flag);
  mpi::write(hints, writer);
  write_numbers(writer, members);
  write_numbers(writer, shared);
  writer.u64(attached.size());
  for (const AttachedMemory& memory : attached) {
    writer.u64(reinterpret_cast<std::uintptr_t>(memory.base));
    writer.u64(static_cast<std::uint64_t>(memory.size));
  }
}

WindowDescription WindowDescription::read(ByteReader& reader, int rank, int size) {
  WindowDescription window;
  window.index = reader.u32();
  window.block = reader.u64();
  window.name = reader.text();
  window.error_handler = ErrorSetting::read(HandlerKind::window, reader);
  for (bool* flag : {&window.fenced, &window.locked_all}) *flag = reader.u8() != 0;
  window.hints = read_hints(reader);
  window.members = read_numbers(reader);
  window.shared = read_numbers(reader);
  window.attached.resize(reader.count(2 * sizeof(std::uint64_t)));
  for (AttachedMemory& memory : window.attached) {
    memory.base = reinterpret_cast<void*>(reader.u64());
    memory.size = static_cast<MPI_Aint>(reader.u64());
  }
  const bool valid_name = window.name.size() < MPI_MAX_OBJECT_NAME && window.name.find('\0') == std::string::npos;
  if (window.index == 0 || window.index >= Windows::Table::limit || !valid_name ||
      !distinct_ranks(window.members, size) || std::ranges::find(window.members, rank) == window.members.end() ||
      !distinct_ranks(window.shared, static_cast<int>(window.members.size()))) {
    reader.fail();
  }
  return window;
}

int Windows::create(KeptWindow shown, MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  Window window;
  const int status = make_first(shown, info, comm, window);
  if (status != MPI_SUCCESS) {
    release_memory(shown, window.shares_memory);
    return status;
  }
  shown.model = model_of(window.real);
  window.kept = keep(window_type, shown);
  window.order = ++made_;
  window.unsettled.resize(size_of(window.real));
  *win = table_.add(std::move(window));
  return MPI_SUCCESS;
}

bool Windows::any() {
  bool found = false;
  table_.each([&](std::size_t, const Window&) { found = true; });
  return found;
}

bool Windows::busy() {
  bool found = false;
  table_.each([&](std::size_t, const Window& window) {
    found = found || window.started || window.posted || !window.exclusive.empty();
    for (std::size_t target = 0; target < window.unsettled.size(); ++target)
      found = found || (window.unsettled[target] != Access::none && !window.holds_lock(static_cast<int>(target)));
  });
  return found;
}

void Windows::remove(MPI_Win win) {
  const Window& removed = *table_.find(win);
  traffic.completed(active_in(removed));
  release_memory(*removed.kept, removed.shares_memory);
  release_carried(removed.kept);
  table_.remove(win);
}

int Windows::accessed(int status, MPI_Win win, int target, Access access) {
  Window* const window = status == MPI_SUCCESS && target != MPI_PROC_NULL ? find(win) : nullptr;
  if (window == nullptr) return status;
  Access& unsettled = window->unsettled[static_cast<std::size_t>(target)];
  if (unsettled == Access::none) traffic.activated(1);
  unsettled = std::max(unsettled, access);
  return status;
}

void Windows::complete_locked() {
  table_.each([](std::size_t, Window& window) {
    for (int target = 0; target < static_cast<int>(window.unsettled.size()); ++target) {
      const bool waits = window.unsettled[static_cast<std::size_t>(target)] != Access::none;
      if (!waits || !window.holds_lock(target)) continue;
      if (PMPI_Win_flush(target, window.real) == MPI_SUCCESS) window.settle(target, Access::writes);
    }
  });
}

std::vector<std::size_t> Windows::indices() {
  std::vector<std::pair<std::uint64_t, std::size_t>> by_order;
  table_.each([&](std::size_t index, const Window& window) {
    if (!window.bound) by_order.emplace_back(window.order, index);
  });
  std::ranges::sort(by_order);
  std::vector<std::size_t> indices;
  for (const auto& [order, index] : by_order) indices.push_back(index);
  return indices;
}

WindowDescriptions Windows::describe(const Group& world) {
  WindowDescriptions all;
  for (const std::size_t index : indices()) {
    const Window& window = *table_.find(Table::handle_of(index));
    all.push_back({.index = index,
                   .block = 0,
                   .name = name_of(window.real),
                   .error_handler = ErrorSetting(HandlerKind::window, ErrorHandler::of(window.real)),
                   .hints = hints_of(window.real),
                   .members = ranks_in(world.get(), Group::of(window.real).get()),
                   .fenced = window.fenced,
                   .locked_all = window.locked_all,
                   .shared = window.shared,
                   .attached = window.attached});
  }
  return all;
}

bool Windows::portable() {
  bool good = true;
  table_.each([&](std::size_t index, const Window& window) {
    if (window.bound) {
      log().error("{} {}, which cannot be carried over: free it before the rank is moved",
                  window_name(index, name_of(window.real)), bound_windows::reason(*window.kept));
      good = false;
    }
    if (active_in(window) == 0) return;
    log().error(
        "{} has accesses that are not complete, an exclusive lock or an epoch of a group: end it before the "
        "safe point",
        window_name(index, name_of(window.real)));
    good = false;
  });
  return good;
}

void Windows::write(const WindowDescriptions& all, ByteWriter& writer) {
  writer.u64(all.size());
  if (all.empty()) return;
  const BlockNumbers numbers;
  for (const WindowDescription& window : all)
    window.write(numbers.of(windows().find(Table::handle_of(window.index))->kept), writer);
}

WindowDescriptions Windows::read(ByteReader& reader, int rank, int size) {
  WindowDescriptions all;
  std::set<std::size_t> seen;
  const std::uint64_t count = reader.count(sizeof(std::uint32_t) + sizeof(std::uint64_t));
  for (std::uint64_t i = 0; i < count && reader.ok(); ++i) {
    all.push_back(WindowDescription::read(reader, rank, size));
    if (!seen.insert(all.back().index).second) reader.fail();
  }
  return all;
}

cppc_status Windows::adopt(const WindowDescriptions& all) {
  if (all.empty()) return CPPC_OK;
  const BlockNumbers numbers;
  for (const WindowDescription& window : all) {
    auto* const kept = numbers.at<KeptWindow>(window.block, window_type);
    if (kept == nullptr) return CPPC_ERR_IMAGE;
    if (kept->size < 0 || kept->unit <= 0) {
      log().error("heap/{} in the image is no window", window.block);
      return CPPC_ERR_IMAGE;
    }
    Window adopted{.kept = kept, .order = ++made_, .fenced = window.fenced, .locked_all = window.locked_all};
    adopted.shared = window.shared;
    adopted.attached = window.attached;
    adopted.unsettled.resize(window.members.size());
    table_.put(window.index, std::move(adopted));
  }
  return CPPC_OK;
}

void Windows::free_real() {
  for (const std::size_t index : indices()) {
    Window& window = *table_.find(Table::handle_of(index));
    leave_epochs(window);
    must(PMPI_Win_free(&window.real), "MPI_Win_free");
  }
}

cppc_status Windows::make_real(const WindowDescriptions& all, MPI_Comm world) {
  for (const WindowDescription& window : all) {
    const cppc_status status = make(window, world, *table_.find(Table::handle_of(window.index)));
    if (status != CPPC_OK) return status;
  }
  return CPPC_OK;
}

Windows& windows() {
  static NeverDestroyed<Windows> instance;
  return *instance;
}

std::string window_name(std::size_t index, const std::string& name) {
  return name.empty() ? "window number " + std::to_string(index) : "window \"" + name + '"';
}

}  // namespace cppc::mpi
