#include "guardian.hpp"

#include <mpi.h>
#include <pmix.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "process_watch.hpp"

namespace cppc::migration {

std::string text(const Ending& ending) {
  return ending.by_signal ? fmt::format("signal {} ({})", ending.code, strsignal(ending.code))
                          : fmt::format("exit status {}", ending.code);
}

spdlog::level::level_enum level_of(const Ending& ending) {
  return ending.by_signal && ending.code == SIGTERM ? spdlog::level::info : spdlog::level::err;
}

tl::expected<std::optional<Child>, cppc_status> Child::fork() {
  const pid_t guardian = getpid();
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  const pid_t process = ::fork();
  if (process < 0) {
    spdlog::error("cannot start a process: {}", std::strerror(errno));
    sigprocmask(SIG_SETMASK, &before, nullptr);
    return tl::unexpected(CPPC_ERR_SYSTEM);
  }
  if (process > 0) return Child(process);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != guardian) _exit(EXIT_FAILURE);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  return std::nullopt;
}

Ending Child::await() const {
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFSIGNALED(status)) return {.by_signal = true, .code = WTERMSIG(status)};
  return {.by_signal = false, .code = WEXITSTATUS(status)};
}

Ending Child::await(const std::function<bool()>& unwanted, std::chrono::seconds timeout) const {
  const auto watch = ProcessWatch::on(process_);
  for (std::chrono::seconds asked(0); watch && !watch->ends_within(std::chrono::seconds(1));) {
    asked = unwanted() ? asked + std::chrono::seconds(1) : std::chrono::seconds(0);
    if (asked > timeout) kill(process_, SIGKILL);
  }
  return await();
}

void leave_mpi() {
  pmix_proc_t self;
  if (PMIx_Init(&self, nullptr, 0) != PMIX_SUCCESS || PMIx_Finalize(nullptr, 0) != PMIX_SUCCESS)
    spdlog::error("cannot leave Open MPI, which may end the job");
}

namespace {

/// The daemon tells it to the first process alone that gets in touch with it.
bool knows_local_rank(const pmix_proc_t& self) {
  pmix_value_t* value = nullptr;
  if (PMIx_Get(&self, PMIX_LOCAL_RANK, nullptr, 0, &value) != PMIX_SUCCESS) return false;
  PMIX_VALUE_RELEASE(value);
  return true;
}

}  // namespace

bool join_and_leave_mpi() {
  pmix_proc_t self;
  if (PMIx_Init(&self, nullptr, 0) != PMIX_SUCCESS) {
    spdlog::error("cannot leave Open MPI, which may end the job");
    return false;
  }
  const bool can_join = knows_local_rank(self);
  const bool joined = can_join && PMPI_Init(nullptr, nullptr) == MPI_SUCCESS && PMPI_Finalize() == MPI_SUCCESS;
  if (PMIx_Finalize(nullptr, 0) != PMIX_SUCCESS || joined != can_join)
    spdlog::error("cannot leave Open MPI, which may end the job");
  return joined;
}

void end_like(const Ending& ending) {
  if (ending.by_signal) {
    const rlimit no_core{0, 0};  // the child has left its own
    setrlimit(RLIMIT_CORE, &no_core);
    std::signal(ending.code, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    std::raise(ending.code);
    sigprocmask(SIG_SETMASK, &none, nullptr);
  }
  _exit(ending.code);
}

}  // namespace cppc::migration
