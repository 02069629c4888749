#include "address/process/system_v.hpp"

#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>

#include "address/process/mapping_places.hpp"
#include "address/process/next.hpp"
#include "address/program_time.hpp"
#include "log.hpp"

namespace cppc::address::system_v {

namespace {

constexpr std::size_t kNoted = 256;

/// What the program has been given: also what it has given back meanwhile.
struct Given {
  const char* what;
  bool (*exists)(int number);
  std::array<std::atomic<int>, kNoted> numbers{};
  std::atomic<std::size_t> count{0};

  int note(int number) {
    if (number < 0 || !program_time) return number;
    const std::size_t known = std::min(count.load(std::memory_order_relaxed), kNoted);
    for (std::size_t i = 0; i < known; ++i)
      if (numbers[i].load(std::memory_order_relaxed) == number) return number;
    const std::size_t place = count.fetch_add(1, std::memory_order_relaxed);
    if (place < kNoted) numbers[place].store(number, std::memory_order_relaxed);
    return number;
  }

  [[nodiscard]] cppc_status check() const {
    const std::size_t all = count.load(std::memory_order_relaxed);
    if (all > kNoted) {
      log().error("the program has had more than {} {}s of System V, which are not kept account of", kNoted, what);
      return CPPC_ERR_UNSUPPORTED;
    }
    for (std::size_t i = 0; i < all; ++i) {
      const int number = numbers[i].load(std::memory_order_relaxed);
      if (!exists(number)) continue;
      log().error(
          "the program has the {} {} of System V, which cannot be carried to another process; remove it before the "
          "rank is moved",
          what, number);
      return CPPC_ERR_UNSUPPORTED;
    }
    return CPPC_OK;
  }
};

bool segment_exists(int number) {
  shmid_ds state{};
  return shmctl(number, IPC_STAT, &state) == 0;
}

bool semaphores_exist(int number) {
  union {
    int value;
    semid_ds* state;
  } argument{};
  semid_ds state{};
  argument.state = &state;
  return semctl(number, 0, IPC_STAT, argument) == 0;
}

bool queue_exists(int number) {
  msqid_ds state{};
  return msgctl(number, IPC_STAT, &state) == 0;
}

constinit Given segments{.what = "shared memory segment", .exists = segment_exists};
constinit Given semaphores{.what = "semaphore set", .exists = semaphores_exist};
constinit Given queues{.what = "message queue", .exists = queue_exists};

}  // namespace

cppc_status check() {
  for (const Given* given : {&segments, &semaphores, &queues})
    if (const cppc_status status = given->check(); status != CPPC_OK) return status;
  return CPPC_OK;
}

}  // namespace cppc::address::system_v

using namespace cppc::address;
using namespace cppc::address::system_v;

#pragma GCC visibility push(default)

extern "C" {

int shmget(key_t key, size_t bytes, int flags) noexcept { return segments.note(CPPC_NEXT(shmget)(key, bytes, flags)); }

/// Removed segments stay as long as they are mapped.
void* shmat(int number, const void* address, int flags) noexcept {
  void* const got = CPPC_NEXT(shmat)(number, address, flags);
  if (got != reinterpret_cast<void*>(-1)) {
    segments.note(number);
    if (program_time) mapping_places::placed(got);
  }
  return got;
}

int semget(key_t key, int count, int flags) noexcept { return semaphores.note(CPPC_NEXT(semget)(key, count, flags)); }

int msgget(key_t key, int flags) noexcept { return queues.note(CPPC_NEXT(msgget)(key, flags)); }

}  // extern "C"

#pragma GCC visibility pop
