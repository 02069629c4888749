#include "address/process/libraries.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#include "address/carried_objects.hpp"
#include "address/process/late_thread_data.hpp"
#include "address/process/library_search.hpp"
#include "address/process/library_slot.hpp"
#include "address/process/next.hpp"
#include "address/process/threads.hpp"
#include "address/program_time.hpp"
#include "cppc/hooks.h"
#include "log.hpp"
#include "memory_map.hpp"
#include "never_destroyed.hpp"

#if !defined(__x86_64__)
#error "the calling convention of this architecture is to be named here"
#endif

namespace cppc::address::libraries {

namespace {

/// What the program has opened and not closed.
struct Opened {
  std::string path;
  std::int32_t flags = 0;
  std::uint64_t calls = 0;       ///< of dlopen() without dlclose(); 0: the library stays loaded all the same
  std::uint64_t slot_end = 0;    ///< 0: it was loaded before, or there was no slot
  const void* handle = nullptr;  ///< the dynamic linker's record
  std::uintptr_t base = 0;       ///< where it is loaded
};

/// A library's constructor may open another.
constinit std::recursive_mutex mutex;

constinit bool opening_again = false;

constinit std::atomic<unsigned> loading_now{0};

/// The program may open what MPI's plug-ins need, too.
constinit bool others_get_slots = false;

/// Those that others need first.
std::vector<Opened>& all_opened() {
  static NeverDestroyed<std::vector<Opened>> opened;
  return *opened;
}

/// What the program has asked dlmopen() for.
std::vector<std::string>& asked_for() {
  static NeverDestroyed<std::vector<std::string>> names;
  return *names;
}

/// What open_published() has opened.
std::vector<void*>& opened_early() {
  static NeverDestroyed<std::vector<void*>> handles;
  return *handles;
}

/// Of the image, for complete().
std::vector<std::byte>& thread_data() {
  static NeverDestroyed<std::vector<std::byte>> bytes;
  return *bytes;
}

Opened* find(const void* handle) {
  const auto found = std::ranges::find(all_opened(), handle, &Opened::handle);
  return found == all_opened().end() ? nullptr : &*found;
}

bool is_to_be_placed(const std::string& path, int flags) { return (flags & RTLD_NOLOAD) == 0 && !is_open(path); }

struct Loading {
  void* handle;
  std::uintptr_t slot_end;
};

/// Constructors are the program's. The dynamic linker has the last word, which dlerror() tells.
Loading load(const std::string& path, int flags, std::uintptr_t slot_end) {
  std::unique_ptr<LibrarySlot> slot;
  if (is_to_be_placed(path, flags)) slot = std::make_unique<LibrarySlot>(slot_end);
  ++loading_now;
  void* handle = nullptr;
  {
    const InsideProgram inside;
    handle = CPPC_NEXT(dlopen)(path.c_str(), flags);
  }
  --loading_now;
  return {handle, slot != nullptr ? slot->end() : 0};
}

void note(const Loading& loading, int flags) {
  if (Opened* const opened = find(loading.handle)) {
    ++opened->calls;
    opened->flags |= flags & RTLD_GLOBAL;
    return;
  }
  const link_map* const map = record_of(loading.handle);
  if (map == nullptr || !note_opened_object(map->l_addr)) return;
  all_opened().push_back({.path = absolute(map->l_name),
                          .flags = flags & ~RTLD_NOLOAD,
                          .calls = 1,
                          .slot_end = loading.slot_end,
                          .handle = loading.handle,
                          .base = map->l_addr});
}

void* open_for_program(const char* name, int flags, const void* caller) {
  if (opening_again) return CPPC_NEXT(dlopen)(name, flags);  // by a constructor
  const std::lock_guard lock(mutex);
  const OutsideProgram outside;
  const Loading loading = load(found_for(caller, name), flags, 0);
  if (loading.handle != nullptr) note(loading, flags);
  return loading.handle;
}

void* open_for_others(const char* name, int flags, const void* /*caller*/) {
  std::unique_ptr<LibrarySlot> slot;
  const std::uintptr_t end = is_to_be_placed(name, flags) ? LibrarySlot::end_for_others(name) : 0;
  if (end != 0) slot = std::make_unique<LibrarySlot>(end);
  return CPPC_NEXT(dlopen)(name, flags);
}

void note_closed(const void* handle) {
  const std::lock_guard lock(mutex);
  Opened* const opened = find(handle);
  if (opened == nullptr) return;
  if (opened->calls > 0) --opened->calls;
  forget_closed_objects();
  if (opened->calls == 0 && !is_known(opened->base))
    all_opened().erase(all_opened().begin() + (opened - all_opened().data()));
}

cppc_status open_again(Opened opened) {
  for (std::uint64_t call = 0; call < std::max<std::uint64_t>(opened.calls, 1); ++call) {
    const Loading loading = load(opened.path, opened.flags, opened.slot_end);
    if (loading.handle == nullptr) {
      log().error("the library {}, which the program has opened, cannot be opened here: {}", opened.path, dlerror());
      return CPPC_ERR_MISMATCH;
    }
    opened.handle = loading.handle;
  }
  opened.base = record_of(const_cast<void*>(opened.handle))->l_addr;
  (void)note_opened_object(opened.base);
  all_opened().push_back(std::move(opened));
  return CPPC_OK;
}

/// Those that constructors have started: what comes from the image knows nothing of them.
void end_pools() {
  if (threads::others() != 0) (void)threads::end_pools();
}

}  // namespace

namespace {

/// Another process opens it by its path.
cppc_status check_files() {
  if (all_opened().empty()) return CPPC_OK;
  const auto memory = MemoryMap::read();
  if (!memory) return memory.error();
  cppc_status status = CPPC_OK;
  for (const Opened& opened : all_opened()) {
    const link_map* const record = record_of(const_cast<void*>(opened.handle));
    const MemoryMap::Range* const range = record != nullptr ? memory->find(record->l_ld) : nullptr;
    if (range == nullptr || !range->name.ends_with(" (deleted)")) continue;
    log().error(
        "the program has opened the library {}, whose file has been removed or replaced since, so that no other "
        "process can open it; leave it where it is, or close it by dlclose() before the safe point",
        opened.path);
    status = CPPC_ERR_UNSUPPORTED;
  }
  return status;
}

}  // namespace

cppc_status check() {
  const std::lock_guard lock(mutex);
  cppc_status status = check_files();
  static const auto& foreign = *new auto(call_of_other_allocator());  // used until the process ends
  if (!foreign.empty()) {
    log().error("the program calls {}, whose memory cannot be carried over; link the program without this library",
                foreign);
    status = CPPC_ERR_UNSUPPORTED;
  }
  for (const std::string& name : asked_for()) {
    log().error(
        "the program has asked for the library {} by dlmopen(), which may lie in a namespace of its own and cannot be "
        "carried over; use dlopen()",
        name);
    status = CPPC_ERR_UNSUPPORTED;
  }
  for (const auto& [path, reason] : opened_and_not_carried()) {
    log().error(
        "the program has opened the library {} by dlopen(), which cannot be carried over since it {}; link the "
        "program with it, or close it by dlclose() before the safe point",
        path, reason);
    status = CPPC_ERR_UNSUPPORTED;
  }
  return status;
}

void start() { others_get_slots = kept_by_address() && program_calls("dlopen"); }

void publish() {
  const std::lock_guard lock(mutex);
  if (all_opened().empty()) return;
  std::string list;
  for (const Opened& opened : all_opened())
    list += fmt::format("{} {} {}\n", opened.slot_end, opened.flags, opened.path);
  const int descriptor = CPPC_NEXT(memfd_create)(CPPC_OPENED_LIBRARIES_FILE, MFD_CLOEXEC);
  if (descriptor < 0 || ::write(descriptor, list.data(), list.size()) != static_cast<ssize_t>(list.size()))
    log().warn("the list of libraries that the program has opened cannot be published: {}", std::strerror(errno));
}

void open_published() {
  const char* const list = std::getenv(CPPC_OPENED_LIBRARIES);
  if (list == nullptr) return;
  std::istringstream lines(list);
  unsetenv(CPPC_OPENED_LIBRARIES);
  opening_again = true;
  std::uint64_t slot_end = 0;
  int flags = 0;
  for (std::string path; lines >> slot_end >> flags && std::getline(lines >> std::ws, path);)
    if (void* const handle = load(path, flags, slot_end).handle; handle != nullptr) opened_early().push_back(handle);
  opening_again = false;
  end_pools();
}

bool is_loading() { return loading_now != 0; }

void write(ByteWriter& out) {
  out.u64(all_opened().size());
  for (const Opened& opened : all_opened()) {
    out.text(opened.path);
    out.i32(opened.flags);
    out.u64(opened.calls);
    out.u64(opened.slot_end);
  }
  ByteWriter thread_data;
  late_thread_data::write(thread_data);
  out.block(thread_data.bytes());
}

cppc_status open_again(ByteReader& in) {
  opening_again = true;
  cppc_status status = CPPC_OK;
  for (std::uint64_t left = in.count(28); left > 0 && status == CPPC_OK && in.ok(); --left) {
    Opened opened{.path = std::string(in.text())};
    opened.flags = in.i32();
    opened.calls = in.u64();
    opened.slot_end = in.u64();
    if (in.ok()) status = open_again(std::move(opened));
  }
  for (void* const handle : opened_early()) CPPC_NEXT(dlclose)(handle);  // the program may have closed it since
  opened_early().clear();
  opening_again = false;
  end_pools();
  if (status != CPPC_OK) return status;
  const auto bytes = in.block();
  thread_data().assign(bytes.begin(), bytes.end());
  if (in.at_end()) return CPPC_OK;
  log().error("the image's list of opened libraries is damaged");
  return CPPC_ERR_IMAGE;
}

cppc_status complete() {
  ByteReader in(thread_data());
  const auto there = late_thread_data::put_back(in, thread_module_of);
  if (there) return CPPC_OK;
  log().error("{}", there.error());
  return CPPC_ERR_MISMATCH;
}

void is_handle(std::uintptr_t record) {
  const auto* const map = reinterpret_cast<const link_map*>(record);
  if (find(map) != nullptr) return;                               // opened as often as it was
  (void)CPPC_NEXT(dlopen)(map->l_name, RTLD_LAZY | RTLD_NOLOAD);  // it is loaded: this counts only
}

}  // namespace cppc::address::libraries

extern "C" {

/// What answers dlopen() at the moment.
__attribute__((visibility("hidden"), used)) void* cppc_dlopen_for(const char* name) {
  using namespace cppc::address;
  if (name == nullptr) return reinterpret_cast<void*>(CPPC_NEXT(dlopen));
  if (program_time) return reinterpret_cast<void*>(libraries::open_for_program);
  // Without a directory it depends on who asks where it is found.
  return libraries::others_get_slots && std::strchr(name, '/') != nullptr
             ? reinterpret_cast<void*>(libraries::open_for_others)
             : reinterpret_cast<void*>(CPPC_NEXT(dlopen));
}

__attribute__((visibility("hidden"), used)) void* cppc_dlmopen_for(const char* name) {
  using namespace cppc::address;
  if (program_time && name != nullptr) {
    const OutsideProgram outside;
    const std::lock_guard lock(libraries::mutex);
    libraries::asked_for().emplace_back(name);
  }
  return reinterpret_cast<void*>(CPPC_NEXT(dlmopen));
}

__attribute__((visibility("default"))) int dlclose(void* handle) {
  using namespace cppc::address;
  const int failed = CPPC_NEXT(dlclose)(handle);
  if (failed == 0 && program_time && !libraries::opening_again) {
    const OutsideProgram outside;
    libraries::note_closed(handle);
  }
  return failed;
}
}

// Where a library is looked for depends on who asks: the C library's functions have to return to the program itself,
// and open_for_program() is told.
asm(R"(
  .text
  .p2align 4
  .globl dlopen
  .type dlopen, @function
dlopen:
  push %rdi
  push %rsi
  sub $8, %rsp
  call cppc_dlopen_for
  add $8, %rsp
  pop %rsi
  pop %rdi
  mov (%rsp), %rdx
  jmp *%rax
  .size dlopen, .-dlopen

  .p2align 4
  .globl dlmopen
  .type dlmopen, @function
dlmopen:
  push %rdi
  push %rsi
  push %rdx
  mov %rsi, %rdi
  call cppc_dlmopen_for
  pop %rdx
  pop %rsi
  pop %rdi
  jmp *%rax
  .size dlmopen, .-dlmopen
)");
