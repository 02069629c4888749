#include "address/process/affinity.hpp"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>

#include "address/process/next.hpp"
#include "address/program_time.hpp"
#include "log.hpp"

namespace cppc::address::affinity {

namespace {

/// For 16,384 processors.
using Mask = std::array<unsigned long, 256>;

constinit std::atomic<bool> chosen{false};

cpu_set_t* as_set(Mask& mask) { return reinterpret_cast<cpu_set_t*>(mask.data()); }

bool ask(Mask& mask) { return sched_getaffinity(0, sizeof mask, as_set(mask)) == 0; }

std::string names(Mask& mask) {
  std::string list;
  for (std::size_t i = 0; i < sizeof mask * 8; ++i)
    if (CPU_ISSET_S(i, sizeof mask, as_set(mask))) list += (list.empty() ? "" : ",") + std::to_string(i);
  return list;
}

}  // namespace

cppc_status write(ByteWriter& writer) {
  Mask mask{};
  const bool is_chosen = chosen.load(std::memory_order_relaxed);
  if (is_chosen && !ask(mask)) {
    log().error("the system does not say on which processors the main thread may run: {}", std::strerror(errno));
    return CPPC_ERR_SYSTEM;
  }
  writer.u8(is_chosen);
  if (is_chosen) writer.raw(std::as_bytes(std::span(mask)));
  return CPPC_OK;
}

cppc_status prepare(ByteReader& reader) {
  if (reader.u8() == 0) return reader.ok() ? CPPC_OK : CPPC_ERR_IMAGE;
  Mask wanted{};
  for (unsigned long& word : wanted) word = reader.u64();
  if (!reader.ok()) return CPPC_ERR_IMAGE;
  chosen = true;
  Mask got{};
  if (sched_setaffinity(0, sizeof wanted, as_set(wanted)) == 0 && ask(got) && got == wanted) return CPPC_OK;
  log().error("the program has bound its main thread to processors {}, which this process may not use all",
              names(wanted));
  return CPPC_ERR_UNSUPPORTED;
}

/// What the main thread has been bound to.
void note(int status) {
  if (status == 0 && program_time) chosen.store(true, std::memory_order_relaxed);
}

}  // namespace cppc::address::affinity

using namespace cppc::address;

#pragma GCC visibility push(default)

extern "C" {

int sched_setaffinity(pid_t thread, size_t bytes, const cpu_set_t* mask) noexcept {
  const int status = CPPC_NEXT(sched_setaffinity)(thread, bytes, mask);
  const bool of_main = thread == getpid() || (thread == 0 && gettid() == getpid());
  if (of_main) affinity::note(status);
  return status;
}

/// Threads that the program has made are none any more when a rank is moved.
int pthread_setaffinity_np(pthread_t thread, size_t bytes, const cpu_set_t* mask) noexcept {
  const int status = CPPC_NEXT(pthread_setaffinity_np)(thread, bytes, mask);
  if (pthread_equal(thread, pthread_self()) != 0 && gettid() == getpid()) affinity::note(status);
  return status;
}

}  // extern "C"

#pragma GCC visibility pop
