/// setjmp() and longjmp() of a program whose state is kept by address. The C library's own disguise what they save by a
/// random number of the process; in another process that would lead anywhere. These save it as it is: a jmp_buf is part
/// of the state like any other memory.
///
/// Outside of the program's time the C library's work. Which ones have filled a buffer stands in its member that says
/// whether the signal mask is in it.
#include <dlfcn.h>

#include <csetjmp>
#include <csignal>
#include <cstddef>
#include <cstdlib>

#if !defined(__x86_64__)
#error "the registers of this architecture are to be named here"
#endif

namespace {

enum Saved : int { kOurs = 2, kMask = 1 };

using Jump = void (*)(__jmp_buf_tag*, int);

Jump other_jump(const char* name) {
  const auto found = reinterpret_cast<Jump>(dlsym(RTLD_NEXT, name));
  if (found == nullptr) std::abort();
  return found;
}

}  // namespace

extern "C" {

static_assert(offsetof(__jmp_buf_tag, __mask_was_saved) == 64);

/// The C library's functions, looked for when they are first needed: before any constructor, perhaps.
__attribute__((visibility("hidden"), used)) void* cppc_other_sigsetjmp = nullptr;

__attribute__((visibility("hidden"), used)) void cppc_find_sigsetjmp() {
  cppc_other_sigsetjmp = dlsym(RTLD_NEXT, "__sigsetjmp");
  if (cppc_other_sigsetjmp == nullptr) std::abort();
}

/// The end of setjmp(): what it returns.
__attribute__((visibility("hidden"), used)) int cppc_save_mask(__jmp_buf_tag* buffer, int save) {
  buffer->__mask_was_saved = kOurs;
  if (save != 0 && sigprocmask(SIG_BLOCK, nullptr, reinterpret_cast<sigset_t*>(&buffer->__saved_mask)) == 0)
    buffer->__mask_was_saved |= kMask;
  return 0;
}

[[noreturn]] void cppc_jump(__jmp_buf_tag* buffer, int value) __attribute__((visibility("hidden")));
}

asm(R"(
  .text
  .p2align 4
  .globl _setjmp
  .type _setjmp, @function
_setjmp:
  xor %esi, %esi
  jmp 1f
  .size _setjmp, .-_setjmp

  .p2align 4
  .globl setjmp
  .type setjmp, @function
setjmp:
  mov $1, %esi
  jmp 1f
  .size setjmp, .-setjmp

  .p2align 4
  .globl __sigsetjmp
  .type __sigsetjmp, @function
__sigsetjmp:
1:
  mov _ZN4cppc7address12program_timeE@GOTTPOFF(%rip), %rax
  cmpb $0, %fs:(%rax)
  je 2f
  mov %rbx, (%rdi)
  mov %rbp, 8(%rdi)
  mov %r12, 16(%rdi)
  mov %r13, 24(%rdi)
  mov %r14, 32(%rdi)
  mov %r15, 40(%rdi)
  lea 8(%rsp), %rdx
  mov %rdx, 48(%rdi)
  mov (%rsp), %rdx
  mov %rdx, 56(%rdi)
  jmp cppc_save_mask
2:
  cmpq $0, cppc_other_sigsetjmp(%rip)
  jne 3f
  push %rdi
  push %rsi
  sub $8, %rsp
  call cppc_find_sigsetjmp
  add $8, %rsp
  pop %rsi
  pop %rdi
3:
  jmp *cppc_other_sigsetjmp(%rip)
  .size __sigsetjmp, .-__sigsetjmp

  .p2align 4
  .hidden cppc_jump
  .globl cppc_jump
  .type cppc_jump, @function
cppc_jump:
  mov (%rdi), %rbx
  mov 8(%rdi), %rbp
  mov 16(%rdi), %r12
  mov 24(%rdi), %r13
  mov 32(%rdi), %r14
  mov 40(%rdi), %r15
  mov 48(%rdi), %rsp
  mov %esi, %eax
  jmp *56(%rdi)
  .size cppc_jump, .-cppc_jump
)");

#define CPPC_JUMP(name)                                                                                    \
  extern "C" __attribute__((visibility("default"))) void name(__jmp_buf_tag* buffer, int value) noexcept { \
    if ((buffer->__mask_was_saved & kOurs) == 0) {                                                         \
      static const Jump other = other_jump(#name);                                                         \
      other(buffer, value);                                                                                \
    }                                                                                                      \
    if ((buffer->__mask_was_saved & kMask) != 0)                                                           \
      sigprocmask(SIG_SETMASK, reinterpret_cast<const sigset_t*>(&buffer->__saved_mask), nullptr);         \
    cppc_jump(buffer, value != 0 ? value : 1);                                                             \
  }

CPPC_JUMP(longjmp)
CPPC_JUMP(_longjmp)
CPPC_JUMP(siglongjmp)
CPPC_JUMP(__longjmp_chk)
