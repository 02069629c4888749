#include "address/program_stack.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "address/places.hpp"
#include "log.hpp"
#include "memory_map.hpp"
#include "pages.hpp"

#if !defined(__x86_64__)
#error "the registers of this architecture are to be named here"
#endif

extern "C" {

/// The stack pointer of the runtime, while the program has its own.
__attribute__((visibility("hidden"), used)) void* cppc_runtime_stack = nullptr;

int cppc_stack_run(void* top, int (*function)(void*), void* argument) __attribute__((visibility("hidden")));
void cppc_stack_stop(void (*work)(void*, std::byte*), void* context) __attribute__((visibility("hidden")));
int cppc_stack_go_on(std::byte* end, std::uint64_t guard) __attribute__((visibility("hidden")));
void cppc_stack_call(std::byte* top, void (*work)(void*), void* context) __attribute__((visibility("hidden")));
}

// What a call preserves is pushed: the general registers, and the control words of floating point. Nobody unwinds
// beyond these frames, and the program does not find what the runtime had in registers.
asm(R"(
  .macro push_preserved
    push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15
    sub $8, %rsp; stmxcsr (%rsp); fnstcw 4(%rsp)
  .endm
  .macro pop_preserved
    add $8, %rsp; pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp
  .endm

  .text
  .p2align 4
  .hidden cppc_stack_run
  .globl cppc_stack_run
  .type cppc_stack_run, @function
cppc_stack_run:
  .cfi_startproc
  .cfi_undefined %rip
  push_preserved
  mov %rsp, cppc_runtime_stack(%rip)
  mov %rdi, %rsp
  mov %rdx, %rdi
  xor %ebp, %ebp; xor %ebx, %ebx; xor %r12d, %r12d; xor %r13d, %r13d; xor %r14d, %r14d; xor %r15d, %r15d
  call *%rsi
  mov cppc_runtime_stack(%rip), %rsp
  pop_preserved
  ret
  .cfi_endproc
  .size cppc_stack_run, .-cppc_stack_run

  .p2align 4
  .hidden cppc_stack_stop
  .globl cppc_stack_stop
  .type cppc_stack_stop, @function
cppc_stack_stop:
  .cfi_startproc
  .cfi_undefined %rip
  push_preserved
  mov %rdi, %rax
  mov %rsi, %rdi
  mov %rsp, %rsi
  mov %rsp, %rbp
  mov cppc_runtime_stack(%rip), %rcx
  test %rcx, %rcx
  cmovne %rcx, %rsp
  and $-16, %rsp
  call *%rax
  mov %rbp, %rsp
1:
  ldmxcsr (%rsp); fldcw 4(%rsp)
  pop_preserved
  ret

  .hidden cppc_stack_go_on
  .globl cppc_stack_go_on
  .type cppc_stack_go_on, @function
cppc_stack_go_on:
  push_preserved
  mov %rsp, cppc_runtime_stack(%rip)
  mov %rsi, %fs:0x28
  mov %rdi, %rsp
  jmp 1b
  .cfi_endproc
  .size cppc_stack_stop, .-cppc_stack_stop

  .p2align 4
  .hidden cppc_stack_call
  .globl cppc_stack_call
  .type cppc_stack_call, @function
cppc_stack_call:
  .cfi_startproc
  push %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  mov %rsp, %rbp
  .cfi_def_cfa_register %rbp
  mov %rdi, %rsp
  mov %rdx, %rdi
  call *%rsi
  mov %rbp, %rsp
  pop %rbp
  .cfi_def_cfa %rsp, 8
  ret
  .cfi_endproc
  .size cppc_stack_call, .-cppc_stack_call
)");

namespace cppc::address::program_stack {

namespace {

constexpr std::size_t kLeast = std::size_t{256} << 20;
constexpr std::size_t kMost = kStackEnd - kStack;
constexpr std::size_t kGuard = std::size_t{64} << 10;
constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK | MAP_FIXED_NOREPLACE;

std::span<std::byte> memory;
std::byte* stopped_end = nullptr;  ///< while the program has stopped

/// What stop() is to call.
struct Work {
  void (*function)(void* context, std::byte* end);
  void* context;
};

rlim_t limit_of(__rlimit_resource_t resource) {
  rlimit limit{};
  return getrlimit(resource, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

/// An unlimited stack leaves room for the rest of the program where its address space is limited.
std::size_t wanted_bytes() {
  const rlim_t most = std::clamp<rlim_t>(limit_of(RLIMIT_AS) / 4, kLeast, kMost);
  const rlim_t bytes = std::clamp<rlim_t>(limit_of(RLIMIT_STACK), kLeast, most);
  return bytes / kGuard * kGuard;
}

/// The compiler says whether the program has code on its stack: it has for functions within functions.
int protection() {
  const std::span headers(reinterpret_cast<const ElfW(Phdr)*>(getauxval(AT_PHDR)), getauxval(AT_PHNUM));
  const auto stack = std::ranges::find(headers, ElfW(Word){PT_GNU_STACK}, &ElfW(Phdr)::p_type);
  const bool code = stack != headers.end() && (stack->p_flags & PF_X) != 0;
  return PROT_READ | PROT_WRITE | (code ? PROT_EXEC : 0);
}

/// The lowest page that is in memory, or swapped out; where the system does not tell, the lowest of all.
std::byte* first_used() {
  std::byte* first = memory.data() + kGuard;
  visit_untouched(memory.subspan(kGuard), 1, [&first](std::span<std::byte> lowest) {
    if (lowest.data() == first) first += lowest.size();
    return false;
  });
  return first;
}

/// The C library tells by this where the main thread's stack is: pthread_getattr_np(), and by itself collectors of
/// garbage and interpreters, which look for pointers there. It is read-only when a process has started.
cppc_status set_stack_end() {
  auto* const stack_end = static_cast<void**>(dlsym(RTLD_DEFAULT, "__libc_stack_end"));
  if (stack_end == nullptr) return CPPC_OK;  // nobody can ask
  const auto map = MemoryMap::read();
  if (!map) return map.error();
  const MemoryMap::Range* const range = map->find(stack_end);
  const bool writable = range != nullptr && range->writable();
  constexpr std::uintptr_t page_bytes = 4096;
  auto* const page = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(stack_end) / page_bytes * page_bytes);
  if (!writable && mprotect(page, page_bytes, PROT_READ | PROT_WRITE) != 0) {
    log().error("the C library cannot be told where the program's stack is: {}", std::strerror(errno));
    return CPPC_ERR_SYSTEM;
  }
  *stack_end = memory.data() + memory.size() - 64;
  if (!writable) mprotect(page, page_bytes, PROT_READ);
  return CPPC_OK;
}

}  // namespace

cppc_status map() {
  const cppc_status status = grow(wanted_bytes());
  return status == CPPC_OK ? set_stack_end() : status;
}

std::size_t size() { return memory.size(); }

cppc_status grow(std::size_t bytes) {
  if (bytes <= memory.size()) return CPPC_OK;
  auto* const place = reinterpret_cast<std::byte*>(kStackEnd - std::min(bytes, kMost));
  const std::size_t more = bytes - memory.size();
  const bool mapped = bytes <= kMost && mmap(place, more, protection(), kFlags, -1, 0) == place;
  if (!mapped || mprotect(place, kGuard, PROT_NONE) != 0 ||
      (!memory.empty() && mprotect(memory.data(), kGuard, protection()) != 0)) {
    log().error("no memory of {} bytes at {} for the program's stack: {}", bytes, static_cast<void*>(place),
                std::strerror(errno));
    return CPPC_ERR_MEMORY;
  }
  memory = {place, bytes};
  return CPPC_OK;
}

int run(int (*function)(void*), void* argument) {
  // Above the first frame lies nothing: the stack grows down from the end, at which it is aligned.
  return cppc_stack_run(memory.data() + memory.size() - 64, function, argument);
}

void stop(void (*work)(void* context, std::byte* end), void* context) {
  Work given{.function = work, .context = context};
  const auto note_and_work = [](void* noted, std::byte* end) {
    const Work& to_do = *static_cast<Work*>(noted);
    stopped_end = end;
    to_do.function(to_do.context, end);
  };
  cppc_stack_stop(note_and_work, &given);
  stopped_end = nullptr;
}

void clear_unused() {
  // Threads that have other stacks may be at work meanwhile: the process's own stack is not theirs either.
  if (!holds({static_cast<std::byte*>(__builtin_frame_address(0)), 1})) return;
  const auto clear_below = [](void*, std::byte* end) {
    std::byte* const begin = memory.data() + kGuard;
    clear({begin, static_cast<std::size_t>(end - begin)});
  };
  cppc_stack_stop(clear_below, nullptr);
}

void has_stopped(std::byte* end) { stopped_end = end; }

void call(void (*work)(void* context), void* context) {
  constexpr std::uintptr_t red_zone = 128, alignment = 16;
  if (stopped_end == nullptr) return work(context);
  const auto top = (reinterpret_cast<std::uintptr_t>(stopped_end) - red_zone) / alignment * alignment;
  cppc_stack_call(reinterpret_cast<std::byte*>(top), work, context);
}

int go_on(std::byte* end, std::uint64_t guard) { return cppc_stack_go_on(end, guard); }

std::span<std::byte> used(std::byte* end) {
  if (!holds({end, 1})) end = first_used();
  return memory.subspan(static_cast<std::size_t>(end - memory.data()));
}

bool holds(std::span<const std::byte> part) {
  return part.data() >= memory.data() && part.data() + part.size() <= memory.data() + memory.size();
}

std::uint64_t guard() {
  std::uint64_t value = 0;
  asm("mov %%fs:0x28, %0" : "=r"(value));
  return value;
}

}  // namespace cppc::address::program_stack
