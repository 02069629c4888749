/// An extension (CPPC_EXTENSION) that restarts a program of one rank in its middle, without a cluster: at the safe
/// points named by CPPC_RESTART_AT ("3", or several, ascending: "2,5") the state goes into a file, and the process
/// becomes the program again, with its first arguments and environment, as the replacement that takes the state over
/// and goes on.
///
///   CPPC_RESTART_AT=3 CPPC_EXTENSION=$PWD/restart_extension.so ./program
///
/// With CPPC_RESTART_AFTER ("5,20") instead, it is restarted between calls of MPI, by CPPC_LOOK_SIGNAL, each time after
/// so many milliseconds of its processor time or a little later, as long as it runs.
///
/// Standard output and the exit status are those of an uninterrupted run. On standard error it says of each restart
/// "restart extension: safe point 3: <objects> objects, <bytes> bytes, restarting", and at the end "restart extension:
/// <n> safe points passed": with CPPC_RESTART_AT empty, that is all it does. A state that cannot be saved or restored,
/// and a program that ends before the last of these safe points, end with a message and status 125.
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "cppc/hooks.h"
#include "state_bytes.hpp"

namespace cppc::test {
namespace {

constexpr int kFailed = 125;
/// The safe points that are still to come.
constexpr const char* kRestartsVariable = "CPPC_RESTART_AT";
/// The milliseconds that are still to come.
constexpr const char* kTimesVariable = "CPPC_RESTART_AFTER";
/// Of a replacement: the descriptor of the file with its state.
constexpr const char* kStateVariable = "CPPC_RESTART_STATE";

const volatile std::uint32_t ring = 1;
const cppc_runtime* runtime = nullptr;
const char* variable = kRestartsVariable;  ///< what `restarts` came by
std::vector<std::string> restarts;         ///< numbers of safe points, or milliseconds
timespec began{};                          ///< processor time of the main thread
int state_file = -1;                       ///< of a replacement

[[noreturn]] void fail(const std::string& message) {
  std::fprintf(stderr, "restart extension: %s\n", message.c_str());
  int finalized = 0;
  PMPI_Finalized(&finalized);
  if (finalized == 0) PMPI_Finalize();
  std::_Exit(kFailed);
}

[[noreturn]] void fail(const std::string& what, cppc_status status) { fail(what + ": " + cppc_status_text(status)); }

std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> strings_of(const std::string& path) {
  std::vector<std::string> strings;
  const std::string contents = contents_of(path);
  for (std::size_t from = 0; from < contents.size(); from += strings.back().size() + 1)
    strings.emplace_back(contents.c_str() + from);
  return strings;
}

std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& string : strings) pointers.push_back(string.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// In memory, so that nothing is left behind whatever happens.
int write_file(std::span<const std::byte> bytes) {
  const int file = memfd_create("state", 0);
  if (file < 0) fail("cannot make a file for the state");
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written <= 0) fail("cannot write the state to its file");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return file;
}

void set(std::vector<std::string>& environment, const std::string& variable, const std::string& value) {
  std::erase_if(environment, [&](const std::string& entry) { return entry.starts_with(variable + "="); });
  environment.push_back(variable + "=" + value);
}

/// As MPI gives it to a process that it starts: a pipe. What is in this one is not meant for the program.
void give_other_input() {
  constexpr std::string_view kNotMeant = "7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7";
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0 || write(ends[1], kNotMeant.data(), kNotMeant.size()) != std::ssize(kNotMeant) ||
      dup2(ends[0], STDIN_FILENO) < 0)
    fail("cannot give the program another standard input");
}

/// The program from its beginning, in this process: what it did to its arguments and environment does not count.
[[noreturn]] void start_again(int file) {
  std::fflush(nullptr);
  auto arguments = strings_of("/proc/self/cmdline");
  auto environment = strings_of("/proc/self/environ");
  set(environment, kStateVariable, std::to_string(file));
  std::string rest;
  for (std::size_t i = 1; i < restarts.size(); ++i) rest += (i > 1 ? "," : "") + restarts[i];
  set(environment, variable, rest);
  // As in a process that somebody else starts, there are no descriptors but for the standard ones.
  if (close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC) != 0 || fcntl(file, F_SETFD, 0) != 0)
    fail("cannot close descriptors");
  give_other_input();
  execve("/proc/self/exe", pointers_to(arguments).data(), pointers_to(environment).data());
  fail("cannot start the program again");
}

/// As agents do, but more often, and whatever it does.
void interrupt_main_thread() {
  for (;;) {
    siginfo_t info{};
    info.si_code = SI_QUEUE;
    syscall(SYS_rt_tgsigqueueinfo, getpid(), getpid(), CPPC_LOOK_SIGNAL, &info);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

bool is_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  const double elapsed =
      1e3 * static_cast<double>(now.tv_sec - began.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec - began.tv_nsec);
  return !restarts.empty() && elapsed >= std::stod(restarts.front());
}

/// The program says where it must not be asked.
int reached_between_calls(int, int) {
  static const auto* const forbidden = static_cast<const volatile int*>(dlsym(RTLD_DEFAULT, "must_not_stop"));
  if (forbidden != nullptr && *forbidden != 0) fail("the program is asked where it must not be stopped");
  return is_time() ? 1 : 0;
}

/// Of one rank no communicator is counted.
const cppc_calls calls = {
    .open = [](std::uint64_t, std::uint32_t, std::uint64_t) -> cppc_collective_count* { return nullptr; },
    .close = [](cppc_collective_count*) {},
    .current =
        [] {
          static cppc_current_operation current{};
          return &current;
        },
    .withdrawn = [](cppc_collective_count*) { return 0; },
    .reached = reached_between_calls,
    .enter = [](int, cppc_inside) {},
    .moved_on = [] {},
};

bool between_calls() { return variable == kTimesVariable; }

cppc_status watch_calls() {
  if (runtime->watch_calls(&ring, &calls) <= 0) return CPPC_ERR_UNSUPPORTED;
  std::thread(interrupt_main_thread).detach();
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &began);
  return CPPC_OK;
}

cppc_status start(MPI_Comm* world, int* rank, int* size) {
  PMPI_Comm_size(MPI_COMM_WORLD, size);
  if (*size != 1) {
    std::fprintf(stderr, "restart extension: the program has %d ranks, and only one can be restarted\n", *size);
    return CPPC_ERR_REFUSED;
  }
  *rank = 0;
  *world = MPI_COMM_NULL;
  runtime->watch(&ring);
  if (between_calls())
    if (const cppc_status status = watch_calls(); status != CPPC_OK) return status;
  if (state_file < 0 && PMPI_Comm_dup(MPI_COMM_WORLD, world) != MPI_SUCCESS) return CPPC_ERR_MPI;
  return CPPC_OK;
}

int reached(std::uint64_t passed, unsigned) {
  return !restarts.empty() && std::to_string(passed) == restarts.front() ? 1 : 0;
}

/// Messages of the one rank to itself.
void drain() {
  cppc_traffic traffic{};
  do {
    runtime->drain();
    runtime->traffic(&traffic);
  } while (traffic.sent != traffic.received || traffic.active != 0);
}

void stopped(std::uint64_t passed, unsigned) {
  drain();
  const std::string where = between_calls() ? "between calls" : "safe point " + std::to_string(passed);
  StateBytes state;
  if (const cppc_status status = capture(*runtime, state); status != CPPC_OK)
    fail(where + ": the state cannot be saved", status);
  const int file = write_file(state.writer.bytes());
  std::fprintf(stderr, "restart extension: %s: %ju objects, %ju bytes, restarting\n", where.c_str(),
               std::uintmax_t{state.objects}, std::uintmax_t{state.data});
  runtime->abandon();
  PMPI_Finalize();
  start_again(file);
}

cppc_status fetch() {
  const std::string contents = contents_of("/proc/self/fd/" + std::to_string(state_file));
  close(state_file);
  return restore(*runtime, std::as_bytes(std::span(contents)));
}

cppc_status join() {
  MPI_Comm world = MPI_COMM_NULL;
  if (PMPI_Comm_dup(MPI_COMM_WORLD, &world) != MPI_SUCCESS) return CPPC_ERR_MPI;
  return runtime->rebuild(world);
}

void cannot_restore(cppc_status status) { fail("the state cannot be restored", status); }

void finish() {
  if (between_calls()) return static_cast<void>(runtime->watch_calls(nullptr, nullptr));
  if (!restarts.empty()) fail("the program ended before safe point " + restarts.front());
  std::fprintf(stderr, "restart extension: %ju safe points passed\n", std::uintmax_t{cppc_control_block.passed});
}

bool read_restarts() {
  if (std::getenv(kTimesVariable) != nullptr) variable = kTimesVariable;
  const char* text = std::getenv(variable);
  if (text == nullptr) return false;
  std::istringstream numbers(text);
  for (std::string number; std::getline(numbers, number, ',');) {
    if (number.empty() || number.find_first_not_of("0123456789") != std::string::npos) return false;
    restarts.push_back(number);
  }
  return true;
}

}  // namespace
}  // namespace cppc::test

extern "C" __attribute__((visibility("default"))) cppc_status cppc_extension(const cppc_runtime* offered,
                                                                             cppc_hooks* hooks) {
  using namespace cppc::test;
  if (offered->version != CPPC_HOOKS_VERSION) return CPPC_ERR_MISMATCH;
  runtime = offered;
  if (const char* file = std::getenv(kStateVariable); file != nullptr) state_file = std::atoi(file);
  unsetenv(kStateVariable);
  if (!read_restarts()) {
    std::fprintf(
        stderr,
        "restart extension: set CPPC_RESTART_AT to numbers of safe points, ascending (3 or 2,5), or to nothing\n");
    return CPPC_ERR_ARGUMENT;
  }
  *hooks = {.version = CPPC_HOOKS_VERSION,
            .replacement = state_file >= 0 ? 1 : 0,
            .start = start,
            .reached = reached,
            .stopped = stopped,
            .fetch = fetch,
            .join = join,
            .fail = cannot_restore,
            .finish = finish};
  return CPPC_OK;
}
