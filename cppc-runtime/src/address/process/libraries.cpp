#include "address/process/libraries.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "address/carried_objects.hpp"
#include "address/process/next.hpp"
#include "address/program_time.hpp"
#include "log.hpp"
#include "never_destroyed.hpp"

#if !defined(__x86_64__)
#error "the calling convention of this architecture is to be named here"
#endif

namespace cppc::address::libraries {

namespace {

constinit std::mutex mutex;

/// As the program has asked for them, be they closed by now.
std::vector<std::string>& asked_for() {
  static NeverDestroyed<std::vector<std::string>> names;
  return *names;
}

void note(const char* name) {
  if (!program_time || name == nullptr) return;
  const OutsideProgram outside;
  const std::lock_guard lock(mutex);
  if (std::ranges::find(asked_for(), name) == asked_for().end()) asked_for().emplace_back(name);
}

/// Whether it is open, and another process would not have it.
bool is_open(const std::string& name) {
  void* const handle = CPPC_NEXT(dlopen)(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return false;
  const link_map* map = nullptr;
  const bool known = dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0;
  const bool missing = !known || !is_in_every_process(map->l_addr);
  dlclose(handle);
  return missing;
}

}  // namespace

cppc_status check() {
  const std::lock_guard lock(mutex);
  cppc_status status = CPPC_OK;
  static const auto& foreign = *new auto(call_of_other_allocator());  // used until the process ends
  if (!foreign.empty()) {
    log().error("the program calls {}, whose memory cannot be carried over; link the program without this library",
                foreign);
    status = CPPC_ERR_UNSUPPORTED;
  }
  for (const std::string& name : asked_for()) {
    if (!is_open(name)) continue;
    log().error(
        "the program has opened the library {} by dlopen(), which cannot be carried over; link the program with it, or "
        "close it by dlclose() before the safe point",
        name);
    status = CPPC_ERR_UNSUPPORTED;
  }
  return status;
}

void open_again(std::uintptr_t record) {
  const auto* const map = reinterpret_cast<const link_map*>(record);
  (void)CPPC_NEXT(dlopen)(map->l_name, RTLD_LAZY | RTLD_NOLOAD);  // it is loaded: this counts only
}

}  // namespace cppc::address::libraries

extern "C" {

/// They give the C library's functions.
__attribute__((visibility("hidden"), used)) void* cppc_before_dlopen(const char* name) {
  cppc::address::libraries::note(name);
  return reinterpret_cast<void*>(CPPC_NEXT(dlopen));
}

__attribute__((visibility("hidden"), used)) void* cppc_before_dlmopen(const char* name) {
  cppc::address::libraries::note(name);
  return reinterpret_cast<void*>(CPPC_NEXT(dlmopen));
}
}

// Where a library is looked for depends on who asks: the C library's functions have to return to the program itself.
asm(R"(
  .text
  .p2align 4
  .globl dlopen
  .type dlopen, @function
dlopen:
  push %rdi
  push %rsi
  sub $8, %rsp
  call cppc_before_dlopen
  add $8, %rsp
  pop %rsi
  pop %rdi
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
  call cppc_before_dlmopen
  pop %rdx
  pop %rsi
  pop %rdi
  jmp *%rax
  .size dlmopen, .-dlmopen
)");
