#include "address/process/signals.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <bitset>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <optional>
#include <utility>
#include <vector>

#include "address/process/owner.hpp"
#include "address/program_time.hpp"
#include "log.hpp"

namespace cppc::address::signals {

namespace {

constexpr int numbers = 65;                 // 1 to 64
constexpr std::array of_c_library{32, 33};  // which it keeps to itself: no program has them
using Set = std::bitset<numbers - 1>;

constexpr std::size_t bit(int number) { return static_cast<std::size_t>(number) - 1; }

struct Action {
  int number;
  struct sigaction action;
};

struct State {
  std::vector<Action> actions;
  Set mask;
  std::vector<siginfo_t> queued;  ///< those that wait, each with who has sent it, and a value
  std::optional<stack_t> stack;
};

/// Before main().
constinit std::array<struct sigaction, numbers> at_start{};
constinit stack_t stack_at_start{};

/// Of MPI, by number.
constinit std::array<struct sigaction, numbers> of_mpi{};

constinit bool held = false;
constinit sigset_t mask_of_program{};

State& captured() {
  static auto& state = *new State;  // used until the process ends
  return state;
}

Set bits_of(const sigset_t& signals) {
  Set set;
  for (int number = 1; number < numbers; ++number) set[bit(number)] = sigismember(&signals, number) == 1;
  for (const int number : of_c_library) set[bit(number)] = false;
  return set;
}

sigset_t signals_of(const Set& set) {
  sigset_t signals;
  sigemptyset(&signals);
  for (int number = 1; number < numbers; ++number)
    if (set[bit(number)]) sigaddset(&signals, number);
  return signals;
}

const void* address_of(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 ? reinterpret_cast<const void*>(action.sa_sigaction)
                                             : reinterpret_cast<const void*>(action.sa_handler);
}

void handle_for_mpi(int number, siginfo_t* info, void* context) {
  const OutsideProgram outside;
  const auto& action = of_mpi[static_cast<std::size_t>(number)];
  if ((action.sa_flags & SA_SIGINFO) != 0)
    action.sa_sigaction(number, info, context);
  else
    action.sa_handler(number);
}

bool has_code(const struct sigaction& action) { return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN; }

/// With each number that the C library lets others have.
void for_each_action(auto&& function) {
  for (int number = 1; number < numbers; ++number) {
    Action action{.number = number, .action = {}};
    if (sigaction(number, nullptr, &action.action) == 0) function(action);
  }
}

/// But for what the C library adds.
bool same(const struct sigaction& one, const struct sigaction& other) {
  constexpr int with_restorer = 0x04000000;  // the kernel's SA_RESTORER
  return address_of(one) == address_of(other) && (one.sa_flags | with_restorer) == (other.sa_flags | with_restorer) &&
         bits_of(one.sa_mask) == bits_of(other.sa_mask);
}

Owner owner(const Action& action) {
  const auto number = static_cast<std::size_t>(action.number);
  const bool of_mpi_now = action.action.sa_sigaction == handle_for_mpi;
  if (of_mpi_now || (!has_code(of_mpi[number]) && same(at_start[number], action.action))) return Owner::process;
  return has_code(action.action) ? owner_of(address_of(action.action)) : Owner::program;
}

/// Until release().
void block(const sigset_t& signals) {
  sigset_t before;
  if (const int error = pthread_sigmask(SIG_BLOCK, &signals, &before); error != 0)
    die(CPPC_ERR_SYSTEM, std::strerror(error));
  if (!std::exchange(held, true)) mask_of_program = before;
}

bool collect_actions(State& state) {
  bool good = true;
  for_each_action([&](const Action& action) {
    const Owner whose = owner(action);
    if (whose == Owner::program) state.actions.push_back(action);
    if (whose != Owner::unknown) return;
    log().error(
        "the handler of signal {} (SIG{}) is a function of {}, which is not carried over; undo it before the "
        "safe point",
        action.number, sigabbrev_np(action.number), file_of(address_of(action.action)));
    good = false;
  });
  return good;
}

bool collect_stack(State& state) {
  stack_t stack{};
  if (sigaltstack(nullptr, &stack) != 0 || (stack.ss_flags & SS_DISABLE) != 0) return true;
  if (stack.ss_sp == stack_at_start.ss_sp) return true;
  if ((stack.ss_flags & SS_ONSTACK) != 0) {
    log().error("the safe point lies in a signal handler on an alternate stack, which cannot be carried over");
    return false;
  }
  if (owner_of(stack.ss_sp) != Owner::program) {
    log().error("the alternate signal stack at {} is no memory of the program's; take a variable or malloc()",
                stack.ss_sp);
    return false;
  }
  state.stack = stack;
  return true;
}

void write(const Action& action, ByteWriter& writer) {
  writer.i32(action.number);
  writer.u64(reinterpret_cast<std::uintptr_t>(address_of(action.action)));
  writer.i32(action.action.sa_flags);
  writer.u64(bits_of(action.action.sa_mask).to_ullong());
}

constexpr std::size_t info_words = sizeof(siginfo_t) / sizeof(std::uint64_t);
using InfoWords = std::array<std::uint64_t, info_words>;

/// For the thread, as raise() does, or for the process.
bool queue(const siginfo_t& info) {
  siginfo_t one = info;
  if (one.si_code == SI_TKILL) return syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), one.si_signo, &one) == 0;
  return syscall(SYS_rt_sigqueueinfo, getpid(), one.si_signo, &one) == 0;
}

/// The system shows them only to who takes them: they are queued again.
std::vector<siginfo_t> queued_signals() {
  std::vector<siginfo_t> queued;
  const Set pending(waiting());
  const timespec at_once{};
  for (int number = 1; number < numbers; ++number) {
    if (!pending[bit(number)]) continue;
    const sigset_t one = signals_of(Set().set(bit(number)));
    // The C library's sigtimedwait() says SI_USER for SI_TKILL.
    for (siginfo_t info; syscall(SYS_rt_sigtimedwait, &one, &info, &at_once, (numbers - 1) / 8) == number;)
      queued.push_back(info);
  }
  for (const siginfo_t& info : queued)
    if (!queue(info)) die(CPPC_ERR_SYSTEM, "signals that wait could not be queued again");
  return queued;
}

Action read_action(ByteReader& reader) {
  Action action{.number = reader.i32(), .action = {}};
  const std::uint64_t address = reader.u64();
  action.action.sa_flags = reader.i32();
  action.action.sa_mask = signals_of(Set(reader.u64()));
  if ((action.action.sa_flags & SA_SIGINFO) != 0) {
    action.action.sa_sigaction = reinterpret_cast<void (*)(int, siginfo_t*, void*)>(address);
  } else {
    action.action.sa_handler = reinterpret_cast<void (*)(int)>(address);
  }
  if (action.number <= 0 || action.number >= numbers) reader.fail();
  return action;
}

}  // namespace

void start() {
  for_each_action([](const Action& action) { at_start[static_cast<std::size_t>(action.number)] = action.action; });
  if (sigaltstack(nullptr, &stack_at_start) != 0)
    die(CPPC_ERR_SYSTEM, "the alternate signal stack cannot be asked for");
}

void mpi_started() {
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    Action action{.number = number, .action = {}};
    const bool known = sigaction(number, nullptr, &action.action) == 0;
    const auto& before = at_start[static_cast<std::size_t>(number)];
    if (!known || address_of(before) == address_of(action.action) || !has_code(action.action)) continue;
    if (owner(action) != Owner::process) continue;
    of_mpi[static_cast<std::size_t>(number)] = action.action;
    action.action.sa_sigaction = handle_for_mpi;
    action.action.sa_flags |= SA_SIGINFO;
    if (sigaction(number, &action.action, nullptr) != 0)
      log().warn("MPI's handler of signal {} is called as the program's: {}", number, std::strerror(errno));
  }
}

void hold() {
  sigset_t handled;
  sigemptyset(&handled);
  for_each_action([&](const Action& action) {
    if (has_code(action.action) && owner(action) != Owner::process) sigaddset(&handled, action.number);
  });
  block(handled);
}

void release() {
  if (!std::exchange(held, false)) return;
  if (const int error = pthread_sigmask(SIG_SETMASK, &mask_of_program, nullptr); error != 0)
    die(CPPC_ERR_SYSTEM, std::strerror(error));
}

std::uint64_t waiting() {
  sigset_t pending;
  if (sigpending(&pending) != 0) die(CPPC_ERR_SYSTEM, "the signals that wait cannot be asked for");
  return bits_of(pending).to_ullong();
}

bool may_be_in_handler(const sigset_t& mask) {
  bool may = false;
  for_each_action([&](const Action& action) {
    if (!has_code(action.action) || owner(action) == Owner::process) return;
    may = may || (action.action.sa_flags & SA_NODEFER) != 0 || sigismember(&mask, action.number) == 1;
  });
  return may;
}

cppc_status write(ByteWriter& writer) {
  State state;
  const bool actions = collect_actions(state);
  if (!collect_stack(state) || !actions) return CPPC_ERR_UNSUPPORTED;
  writer.u64(state.actions.size());
  for (const Action& action : state.actions) write(action, writer);
  writer.u64(bits_of(mask_of_program).to_ullong());
  const std::vector<siginfo_t> queued = queued_signals();
  writer.u64(queued.size());
  for (const siginfo_t& info : queued)
    for (const std::uint64_t word : std::bit_cast<InfoWords>(info)) writer.u64(word);
  writer.u8(state.stack.has_value());
  const stack_t stack = state.stack.value_or(stack_t{});
  writer.u64(reinterpret_cast<std::uintptr_t>(stack.ss_sp));
  writer.u64(stack.ss_size);
  writer.i32(stack.ss_flags);
  return CPPC_OK;
}

cppc_status prepare(ByteReader& reader) {
  State& state = captured();
  state = {};
  const std::uint64_t count = reader.count(sizeof(std::uint64_t));
  for (std::uint64_t i = 0; i < count; ++i) state.actions.push_back(read_action(reader));
  state.mask = Set(reader.u64());
  const std::uint64_t queued = reader.count(sizeof(siginfo_t));
  for (std::uint64_t i = 0; i < queued; ++i) {
    InfoWords words{};
    for (std::uint64_t& word : words) word = reader.u64();
    state.queued.push_back(std::bit_cast<siginfo_t>(words));
  }
  const bool has_stack = reader.u8() != 0;
  stack_t stack{};
  stack.ss_sp = reinterpret_cast<void*>(reader.u64());
  stack.ss_size = reader.u64();
  stack.ss_flags = reader.i32();
  if (has_stack) state.stack = stack;
  return reader.ok() ? CPPC_OK : CPPC_ERR_IMAGE;
}

void apply() {
  const State& state = captured();
  sigset_t all;
  sigfillset(&all);
  block(all);
  bool good = !state.stack || sigaltstack(&*state.stack, nullptr) == 0;
  for (const Action& action : state.actions) good = sigaction(action.number, &action.action, nullptr) == 0 && good;
  for (const siginfo_t& info : state.queued) good = queue(info) && good;
  if (!good) die(CPPC_ERR_SYSTEM, "the program's signal handlers could not be set again");
  mask_of_program = signals_of(state.mask);
}

void leave() {
  for_each_action([](const Action& action) {
    if (owner(action) != Owner::program || !has_code(action.action)) return;
    struct sigaction ignored {};
    ignored.sa_handler = SIG_IGN;
    if (sigaction(action.number, &ignored, nullptr) != 0)
      log().warn("signal {} cannot be ignored: {}", action.number, std::strerror(errno));
  });
}

}  // namespace cppc::address::signals
