#include "address/process/team_threads.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "address/carried_objects.hpp"
#include "address/places.hpp"
#include "address/process/exit_handlers.hpp"
#include "address/process/keys.hpp"
#include "address/process/openmp.hpp"
#include "address/process/program_memory.hpp"
#include "address/program_time.hpp"
#include "log.hpp"

namespace cppc::address::team_threads {

namespace {

constexpr std::size_t kApart = std::size_t{16} << 30;  ///< the ends of two stacks
constexpr std::size_t kGuard = std::size_t{1} << 16;   ///< below each
static_assert(kTeamStacks + kMost * kApart <= kTeamStacksEnd);

/// For a thread that has been told to end, or has said that it does.
constexpr auto kTimeout = std::chrono::milliseconds(100);
/// It is about to: no more than a few of these pass.
constexpr auto kNap = std::chrono::microseconds(20);

struct Place {
  enum State { unused, starting, running, ending } state;
  pid_t thread;
  std::span<std::byte> stack;  ///< stays when the thread has ended
};

constinit std::mutex mutex;
constinit std::array<Place, kMost> places{};
constinit std::span<const std::size_t> next_places;  ///< of the threads that are started next, in this order
constinit thread_local std::optional<std::size_t> own_place;

/// Whether the thread has left its stack: the system no longer knows it.
bool is_free(Place& place) {
  if (place.state == Place::ending && tgkill(getpid(), place.thread, 0) != 0 && errno == ESRCH)
    place.state = Place::unused;
  return place.state == Place::unused;
}

/// Threads of a pool are started in the order of their numbers: each gets the place that the one before it had.
std::optional<std::size_t> choose() {
  if (!next_places.empty()) {
    const std::size_t next = next_places.front();
    next_places = next_places.subspan(1);
    return is_free(places[next]) ? std::optional(next) : std::nullopt;
  }
  const auto until = std::chrono::steady_clock::now() + kTimeout;
  for (std::size_t i = 0; i < kMost; ++i) {
    while (places[i].state == Place::ending && !is_free(places[i]) && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(kNap);
    if (is_free(places[i])) return i;
  }
  return std::nullopt;
}

bool map(std::size_t number, std::size_t bytes) {
  Place& place = places[number];
  if (place.stack.size() == bytes) return true;
  if (bytes + kGuard > kApart) return false;
  if (!place.stack.empty()) munmap(place.stack.data() - kGuard, place.stack.size() + kGuard);
  place.stack = {};
  auto* const begin = reinterpret_cast<std::byte*>(kTeamStacks + (number + 1) * kApart - bytes - kGuard);
  constexpr int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK | MAP_FIXED_NOREPLACE;
  void* const got = mmap(begin, bytes + kGuard, PROT_READ | PROT_WRITE, kind, -1, 0);
  if (got == MAP_FAILED) return false;
  if (got != begin || mprotect(begin, kGuard, PROT_NONE) != 0) {
    munmap(got, bytes + kGuard);
    return false;
  }
  place.stack = {begin + kGuard, bytes};
  return true;
}

/// Thread-locals of a carried object, which lie at the same distance from each thread's register.
struct Block {
  std::ptrdiff_t offset;
  std::size_t bytes;
  std::span<const std::byte> initial;  ///< what they begin with; the rest is zero

  [[nodiscard]] std::byte* here() const { return static_cast<std::byte*>(__builtin_thread_pointer()) + offset; }
  [[nodiscard]] bool differs() const {
    const std::span<const std::byte> rest(here() + initial.size(), bytes - initial.size());
    return std::memcmp(here(), initial.data(), initial.size()) != 0 ||
           std::ranges::any_of(rest, [](std::byte byte) { return byte != std::byte{}; });
  }
};

/// OpenMP's library has its own there, which end with the thread. On the main thread.
std::vector<Block> all_blocks(std::span<const CarriedObject> objects) {
  std::vector<Block> blocks;
  const auto* const here = static_cast<std::byte*>(__builtin_thread_pointer());
  for (const CarriedObject& object : objects)
    if (!object.thread_data.empty() && !object.openmp)
      blocks.push_back({object.thread_data.data() - here, object.thread_data.size(), object.thread_initial});
  return blocks;
}

/// What is kept of a thread, before copies of its blocks.
struct Head {
  FloatingPoint floating_point;
  std::size_t place;
};

/// In the program's memory.
struct Kept {
  std::size_t threads;  ///< besides the main one; 0: nothing is kept
  std::size_t room;     ///< bytes of `copies`
  std::byte* copies;
};

/// What the threads of a team are told, and say.
struct Work {
  const OpenMp* openmp;
  const std::vector<Block>* blocks;
  std::size_t bytes;  ///< of each thread
  std::byte* copies;
  FloatingPoint of_main{};
  std::atomic<std::size_t> threads{0};
  std::atomic<bool> differ{false}, without_place{false}, with_keys{false};

  [[nodiscard]] std::byte* copy_of(std::size_t number) const { return copies + (number - 1) * bytes; }
};

std::size_t bytes_of(const std::vector<Block>& blocks) {
  std::size_t bytes = sizeof(Head);
  for (const Block& block : blocks) bytes += block.bytes;
  return (bytes + 63) / 64 * 64;
}

bool equal(const FloatingPoint& one, const FloatingPoint& other) {
  constexpr std::uint32_t control = 0xffc0;  // without the exceptions that have been raised
  constexpr std::size_t x87_control = 2;     // bytes
  return ((one.mxcsr ^ other.mxcsr) & control) == 0 &&
         std::equal(one.x87.begin(), one.x87.begin() + x87_control, other.x87.begin());
}

void keep_one(void* context) {
  Work& work = *static_cast<Work*>(context);
  const auto number = static_cast<std::size_t>(work.openmp->thread_number());
  if (number == 0) return;
  std::byte* copy = work.copy_of(number);
  const Head head{.floating_point = FloatingPoint::now(), .place = own_place.value_or(kMost)};
  bool differs = !equal(head.floating_point, work.of_main);
  std::memcpy(copy, &head, sizeof head);
  copy += sizeof head;
  for (const Block& block : *work.blocks) {
    differs = differs || block.differs();
    std::memcpy(copy, block.here(), block.bytes);
    copy += block.bytes;
  }
  ++work.threads;
  if (keys::thread_has_values()) work.with_keys = true;
  if (differs) work.differ = true;
  if (!own_place) work.without_place = true;
}

void give_one(void* context) {
  Work& work = *static_cast<Work*>(context);
  const auto number = static_cast<std::size_t>(work.openmp->thread_number());
  if (number == 0) return;
  const std::byte* copy = work.copy_of(number);
  Head head{};
  std::memcpy(&head, copy, sizeof head);
  if (own_place != head.place) return;
  copy += sizeof head;
  for (const Block& block : *work.blocks) {
    std::memcpy(block.here(), copy, block.bytes);
    copy += block.bytes;
  }
  head.floating_point.set();
  ++work.threads;
}

bool are_kept() {
  const auto* const kept = find_root<Kept>(Root::team_threads);
  return kept != nullptr && kept->threads != 0;
}

/// Only the main thread's are carried of a library that has been opened late.
cppc_status check(std::span<const CarriedObject> objects, std::size_t threads) {
  cppc_status status = CPPC_OK;
  for (const CarriedObject& object : objects) {
    if (threads == 0 || !object.of_main_thread) continue;
    log().error(
        "the library {}, which the program has opened by dlopen(), has thread-local variables, of which those of "
        "OpenMP's threads cannot be carried over; link the program with it",
        object.name);
    status = CPPC_ERR_UNSUPPORTED;
  }
  return status;
}

}  // namespace

std::optional<Stack> take_stack(const pthread_attr_t* attributes) {
  Stack stack{};
  if (attributes == nullptr)
    pthread_attr_init(&stack.attributes);
  else
    stack.attributes = *attributes;
  std::size_t bytes = 0;
  const std::lock_guard lock(mutex);
  const auto number = choose();
  if (!number || pthread_attr_getstacksize(&stack.attributes, &bytes) != 0) return std::nullopt;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  bytes = (bytes + page - 1) / page * page;
  if (!map(*number, bytes)) return std::nullopt;
  if (pthread_attr_setstack(&stack.attributes, places[*number].stack.data(), bytes) != 0) return std::nullopt;
  places[*number].state = Place::starting;
  stack.place = *number;
  return stack;
}

void give_back(const Stack& stack) {
  const std::lock_guard lock(mutex);
  places[stack.place].state = Place::unused;
}

void begin(std::size_t place) {
  const std::lock_guard lock(mutex);
  places[place].thread = gettid();
  places[place].state = Place::running;
  own_place = place;
}

void end() {
  if (!own_place) return;
  if (!are_kept()) exit_handlers::run_of_team_thread(*own_place);
  const std::lock_guard lock(mutex);
  places[*own_place].state = Place::ending;
}

std::optional<std::size_t> place_of_thread() { return own_place; }

cppc_status keep_locals(std::size_t threads, const FloatingPoint& of_main) {
  const OpenMp openmp;
  if (!openmp.there()) return CPPC_OK;
  const auto objects = carried_objects();
  if (const cppc_status status = check(objects, threads); status != CPPC_OK) return status;
  const std::vector<Block> blocks = all_blocks(objects);
  auto& kept = at_root<Kept>(Root::team_threads);
  Work work{.openmp = &openmp, .blocks = &blocks, .bytes = bytes_of(blocks), .copies = nullptr, .of_main = of_main};
  if (const std::size_t room = threads * work.bytes; room > kept.room)
    kept = {.threads = 0, .room = room, .copies = static_cast<std::byte*>(allocate_for_program(room))};
  work.copies = kept.copies;
  {
    const InsideProgram inside;
    openmp.run_on_team(static_cast<unsigned>(threads + 1), keep_one, &work);
  }
  if (work.with_keys) {
    log().error("a thread of OpenMP has thread-specific data (pthread_setspecific()), which cannot be carried over");
    return CPPC_ERR_UNSUPPORTED;
  }
  if (work.differ && work.without_place) {
    log().error(
        "a thread of OpenMP beyond the first {}, or with a stack of more than {} GiB (OMP_STACKSIZE), has thread-local "
        "variables, which cannot be carried over",
        kMost, (kApart >> 30) - 1);
    return CPPC_ERR_UNSUPPORTED;
  }
  kept.threads = work.differ ? work.threads.load() : 0;
  return CPPC_OK;
}

void give_locals() {
  auto* const kept = find_root<Kept>(Root::team_threads);
  if (kept == nullptr || kept->threads == 0) return;
  const OpenMp openmp;
  const std::vector<Block> blocks = all_blocks(carried_objects());
  Work work{.openmp = &openmp, .blocks = &blocks, .bytes = bytes_of(blocks), .copies = kept->copies};
  std::vector<std::size_t> order(kept->threads);
  for (std::size_t i = 0; i < order.size(); ++i) {
    Head head{};
    std::memcpy(&head, work.copy_of(i + 1), sizeof head);
    order[i] = head.place;
  }
  next_places = order;
  {
    const InsideProgram inside;
    openmp.run_on_team(static_cast<unsigned>(order.size() + 1), give_one, &work);
  }
  next_places = {};
  kept->threads = 0;
  if (work.threads != order.size())
    die(CPPC_ERR_SYSTEM, "threads of OpenMP cannot be started again, whose thread-local variables the program needs");
}

}  // namespace cppc::address::team_threads
