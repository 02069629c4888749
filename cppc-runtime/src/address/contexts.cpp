/// getcontext() and its kin of a program whose state is kept by address. What they save is part of the state like any
/// other memory; so they shall not save what happens to be in registers that a call does not preserve, and the stack
/// that a context is made for is noted.
#include <dlfcn.h>

#include <cstdlib>

#if !defined(__x86_64__)
#error "the registers of this architecture are to be named here"
#endif

extern "C" {

/// The C library's functions, looked for when they are first needed.
__attribute__((visibility("hidden"), used)) void* cppc_other_getcontext = nullptr;
__attribute__((visibility("hidden"), used)) void* cppc_other_swapcontext = nullptr;
__attribute__((visibility("hidden"), used)) void* cppc_other_makecontext = nullptr;

__attribute__((visibility("hidden"), used)) void cppc_find_contexts() {
  cppc_other_getcontext = dlsym(RTLD_NEXT, "getcontext");
  cppc_other_swapcontext = dlsym(RTLD_NEXT, "swapcontext");
  cppc_other_makecontext = dlsym(RTLD_NEXT, "makecontext");
  if (cppc_other_getcontext == nullptr || cppc_other_swapcontext == nullptr || cppc_other_makecontext == nullptr)
    std::abort();
}
}

// All arguments of makecontext() are the C library's to find, on the stack, too.
asm(R"(
  .macro find_contexts
    cmpq $0, cppc_other_makecontext(%rip)
    jne 1f
    call cppc_find_contexts
  1:
  .endm

  .text
  .p2align 4
  .globl getcontext
  .type getcontext, @function
getcontext:
  push %rdi
  find_contexts
  pop %rdi
  xor %esi, %esi; xor %edx, %edx; xor %ecx, %ecx; xor %r8d, %r8d; xor %r9d, %r9d
  jmp *cppc_other_getcontext(%rip)
  .size getcontext, .-getcontext

  .p2align 4
  .globl swapcontext
  .type swapcontext, @function
swapcontext:
  push %rdi
  push %rsi
  sub $8, %rsp
  find_contexts
  add $8, %rsp
  pop %rsi
  pop %rdi
  xor %edx, %edx; xor %ecx, %ecx; xor %r8d, %r8d; xor %r9d, %r9d
  jmp *cppc_other_swapcontext(%rip)
  .size swapcontext, .-swapcontext

  .p2align 4
  .globl makecontext
  .type makecontext, @function
makecontext:
  push %rdi; push %rsi; push %rdx; push %rcx; push %r8; push %r9; push %rax
  find_contexts
  mov 48(%rsp), %rdi
  call cppc_note_stack
  pop %rax; pop %r9; pop %r8; pop %rcx; pop %rdx; pop %rsi; pop %rdi
  jmp *cppc_other_makecontext(%rip)
  .size makecontext, .-makecontext
)");
