#include "address/interruption.hpp"

#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "address/carried_objects.hpp"
#include "address/process/saved_registers.hpp"
#include "address/process/signals.hpp"
#include "address/process/threads.hpp"
#include "address/program_stack.hpp"
#include "address/program_time.hpp"
#include "cppc/hooks.h"
#include "log.hpp"

// What a handler returns to. It has to be the same in a process that takes over: libcppc's is, or is written anew as
// all words are that lead into libcppc. Debuggers know a signal's frame by these instructions.
extern "C" __attribute__((visibility("hidden"))) void cppc_return_from_signal();
asm(R"(
  .text
  .p2align 4
  .hidden cppc_return_from_signal
  .globl cppc_return_from_signal
  .type cppc_return_from_signal, @function
cppc_return_from_signal:
  mov $15, %rax
  syscall
  .size cppc_return_from_signal, .-cppc_return_from_signal
)");

namespace cppc::address::interruption {

namespace {

using Handler = void (*)(int, siginfo_t*, void*);

/// As the system has it: the C library does not let anybody have this signal.
struct Action {
  Handler handler;
  unsigned long flags;
  void (*restorer)();
  unsigned long mask;
};
constexpr unsigned long has_restorer = 0x04000000;

constinit Action of_c_library{};
using Look = void (*)();
constinit Look look_at_page = nullptr;

/// In the system's form, what else may come meanwhile: else a handler of the program's could leave this one by
/// siglongjmp().
constexpr unsigned long all_but_the_processes() {
  unsigned long mask = ~0UL;
  for (const int number : signals::taken_by_process) mask &= ~(1UL << (number - 1));
  return mask;
}

void exchange(const Action* action, Action* before) {
  if (syscall(SYS_rt_sigaction, CPPC_LOOK_SIGNAL, action, before, sizeof action->mask) != 0)
    die(CPPC_ERR_SYSTEM, std::string("signal " + std::to_string(CPPC_LOOK_SIGNAL) + ": ") + std::strerror(errno));
}

/// A call of the system that this signal has ended, and that does not begin again by itself, as nanosleep() and poll():
/// so that the program sees nothing of it.
void begin_call_again(ucontext_t& context) {
  auto& registers = context.uc_mcontext.gregs;
  const bool ended = registers[REG_RAX] == -EINTR && registers[REG_RCX] == registers[REG_RIP];
  if (!ended) return;
  std::array<std::uint8_t, 7> code;  // mov $number, %eax; syscall: as the C library has it
  std::memcpy(code.data(), reinterpret_cast<const void*>(registers[REG_RIP] - std::ssize(code)), code.size());
  if (code[0] == 0xb8 && code[5] == 0x0f && code[6] == 0x05) registers[REG_RIP] -= std::ssize(code);
}

/// What lies below in the C library, as qsort() does when it compares, goes along: all that it has is on the stack.
bool computes(const ucontext_t& context) {
  const auto& registers = context.uc_mcontext.gregs;
  return is_computing_code(reinterpret_cast<const void*>(registers[REG_RIP])) &&
         program_stack::holds({reinterpret_cast<const std::byte*>(registers[REG_RSP]), 1});
}

void look(ucontext_t& context) {
  const OutsideProgram outside;
  const int error = errno;
  if (threads::may_stop() && !signals::may_be_in_handler(context.uc_sigmask)) {
    saved_registers::on_stack = true;
    look_at_page();
    saved_registers::on_stack = false;
    // The one of this process, which may be another by now.
    if (sigaltstack(nullptr, &context.uc_stack) != 0)
      die(CPPC_ERR_SYSTEM, "the alternate signal stack cannot be asked for");
  }
  errno = error;
}

void handle(int number, siginfo_t* info, void* given) {
  auto& context = *static_cast<ucontext_t*>(given);
  if (info->si_code != SI_QUEUE) {
    if ((of_c_library.flags & SA_SIGINFO) != 0) of_c_library.handler(number, info, given);
    return;
  }
  begin_call_again(context);
  if (program_time && computes(context)) look(context);
}

}  // namespace

void start(void (*look)()) {
  look_at_page = look;
  (void)is_computing_code(nullptr);  // what it needs is there from now on
  const Action ours{.handler = handle,
                    .flags = SA_SIGINFO | SA_RESTART | has_restorer,
                    .restorer = cppc_return_from_signal,
                    .mask = all_but_the_processes()};
  exchange(&ours, &of_c_library);
}

}  // namespace cppc::address::interruption
