#include "mpi/windows.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <utility>

#include "cppc/cppc.h"
#include "handles.hpp"
#include "log.hpp"
#include "mpi/bound_windows.hpp"
#include "mpi/comm_table.hpp"
#include "mpi/kept.hpp"
#include "mpi/node_memory.hpp"
#include "mpi/numbers.hpp"
#include "mpi/traffic.hpp"
#include "mpi/window_making.hpp"
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
  for (const bool flag : {fenced, locked_all, made_on_node, spans_members}) writer.u8(flag);
  writer.u64(spanned_bytes);
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
  for (bool* flag : {&window.fenced, &window.locked_all, &window.made_on_node, &window.spans_members})
    *flag = reader.u8() != 0;
  window.spanned_bytes = reader.u64();
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
  const int status = window_making::make_first(shown, info, comm, window);
  if (status != MPI_SUCCESS) {
    window_making::release_memory(shown);
    return status;
  }
  shown.model = window_making::model_of(window.real);
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
  window_making::release_memory(*removed.kept);
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

std::vector<std::size_t> Windows::indices(bool spanning) {
  std::vector<std::pair<std::uint64_t, std::size_t>> by_order;
  table_.each([&](std::size_t index, const Window& window) {
    if (!window.bound && (spanning || !window.spans_members)) by_order.emplace_back(window.order, index);
  });
  std::ranges::sort(by_order);
  std::vector<std::size_t> indices;
  for (const auto& [order, index] : by_order) indices.push_back(index);
  return indices;
}

WindowDescriptions Windows::describe(const Group& world, bool spanning) {
  WindowDescriptions all;
  for (const std::size_t index : indices(spanning)) {
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
                   .attached = window.attached,
                   .made_on_node = window.made_on_node,
                   .spans_members = window.spans_members,
                   .spanned_bytes = window.spans_members ? spanned_bytes(window.real) : 0});
  }
  return all;
}

bool Windows::go_together(const std::vector<int>& members) const {
  return go_together_ != nullptr && go_together_(members.data(), members.size()) != 0;
}

std::vector<int> Windows::sharers(const Group& world) {
  std::set<int> found;
  table_.each([&](std::size_t, const Window& window) {
    if (!window.spans_members) return;
    const std::vector<int> members = ranks_in(world.get(), Group::of(window.real).get());
    found.insert(members.begin(), members.end());
  });
  return {found.begin(), found.end()};
}

bool Windows::portable(const WindowDescriptions& all) {
  bool good = true;
  for (const WindowDescription& window : all) {
    if (!window.spans_members || go_together(window.members)) continue;
    log().error(
        "{} has memory that ranks {} share (MPI_Win_allocate_shared()): they can only be moved together, to "
        "the same node",
        window_name(window.index, window.name), fmt::join(window.members, ", "));
    good = false;
  }
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

cppc_status Windows::find_room(const WindowDescriptions& all) {
  std::uint64_t wanted = 0;
  for (const WindowDescription& window : all) wanted += window.spanned_bytes;
  const std::uint64_t free = wanted == 0 ? 0 : free_shared_memory();
  if (wanted <= free) return CPPC_OK;
  log().error(
      "windows of ranks that share memory (MPI_Win_allocate_shared()) need {} bytes in /dev/shm of the node, where {} "
      "are free",
      wanted, free);
  return CPPC_ERR_MEMORY;
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
    adopted.made_on_node = window.made_on_node;
    adopted.spans_members = window.spans_members;
    adopted.unsettled.resize(window.members.size());
    table_.put(window.index, std::move(adopted));
  }
  return CPPC_OK;
}

void Windows::free_real() {
  for (const std::size_t index : indices(/*spanning=*/false)) {
    Window& window = *table_.find(Table::handle_of(index));
    window_making::leave_epochs(window);
    must(PMPI_Win_free(&window.real), "MPI_Win_free");
  }
}

cppc_status Windows::make_real(const WindowDescriptions& all, MPI_Comm world) {
  for (const WindowDescription& window : all) {
    const cppc_status status = window_making::make_again(window, world, *table_.find(Table::handle_of(window.index)));
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

namespace cppc::mpi_state {

void ask_about_members(int (*go_together)(const int* ranks, std::uint64_t count)) {
  mpi::windows().ask_about_members(go_together);
}

std::uint64_t sharers(std::span<int> ranks) {
  if (!mpi::comms.managed() || !mpi::windows().any()) return 0;
  const std::vector<int> all = mpi::windows().sharers(mpi::Group::of(mpi::comms.world()));
  const std::size_t count = std::min(all.size(), ranks.size());
  std::copy_n(all.begin(), count, ranks.begin());
  return count;
}

}  // namespace cppc::mpi_state
