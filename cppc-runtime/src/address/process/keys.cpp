#include "address/process/keys.hpp"

#include <pthread.h>
#include <threads.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <climits>
#include <mutex>
#include <ranges>
#include <span>
#include <vector>

#include "address/carried_objects.hpp"
#include "address/process/next.hpp"
#include "address/process/owner.hpp"
#include "address/process/program_memory.hpp"
#include "address/program_time.hpp"
#include "address/startup_calls.hpp"
#include "log.hpp"

namespace cppc::address {

namespace {

struct Key {
  Key* next;
  bool used;           ///< else free for another one
  const void* caller;  ///< who has made it
  pthread_key_t number;
  void (*destructor)(void*);
  void* value;  ///< the main thread's, at the capture
};

struct Keys {
  Key* first;
};

constinit std::mutex mutex;

/// With each key that there is. Under the mutex.
void for_each(auto&& function) {
  const Keys* const keys = find_root<Keys>(Root::keys);
  for (Key* key = keys != nullptr ? keys->first : nullptr; key != nullptr; key = key->next)
    if (key->used) function(*key);
}

void note(pthread_key_t number, void (*destructor)(void*), const void* caller) {
  const std::lock_guard lock(mutex);
  Keys& keys = at_root<Keys>(Root::keys);
  Key* key = keys.first;
  while (key != nullptr && key->used) key = key->next;
  if (key == nullptr) {
    key = make_for_program<Key>();
    key->next = keys.first;
    keys.first = key;
  }
  *key = {
      .next = key->next, .used = true, .caller = caller, .number = number, .destructor = destructor, .value = nullptr};
}

/// In a process that takes over: what others make until the program is there gets higher numbers. The system gives the
/// lowest number that is free, and has 1024.
constexpr pthread_key_t kReserved = 512;
constinit std::bitset<kReserved> reserved;

/// Made by constructors of libraries, before it can be said of whom: who calls the C library last, by a jump, does not
/// show as the caller.
struct MadeAtStart {
  pthread_key_t number;
  void (*destructor)(void*);
  const void* caller;
  const pthread_key_t* place;  ///< where the number was written
};
constinit std::array<MadeAtStart, PTHREAD_KEYS_MAX> made_at_start{};
constinit std::size_t count_at_start = 0;

auto of_program_at_start() {
  return std::span(made_at_start).first(count_at_start) |
         std::views::filter([](const MadeAtStart& key) { return owner_of(key.place) == Owner::program; });
}

int create(pthread_key_t* key, void (*destructor)(void*), const void* caller) {
  const int error = CPPC_NEXT(pthread_key_create)(key, destructor);
  if (error != 0) return error;
  if (program_time) {
    const OutsideProgram outside;
    note(*key, destructor, caller);
  } else if (!startup_over) {
    const std::lock_guard lock(mutex);  // constructors may start threads
    if (count_at_start < made_at_start.size()) made_at_start[count_at_start++] = {*key, destructor, caller, key};
  }
  return 0;
}

int remove(pthread_key_t key) {
  if (program_time) {
    const std::lock_guard lock(mutex);
    for_each([&](Key& noted) { noted.used = noted.used && noted.number != key; });
  } else if (!startup_over) {
    const std::lock_guard lock(mutex);
    const auto [gone, end] =
        std::ranges::remove(std::span(made_at_start).first(count_at_start), key, &MadeAtStart::number);
    count_at_start -= static_cast<std::size_t>(end - gone);
  }
  return CPPC_NEXT(pthread_key_delete)(key);
}

/// That no other has, since it is reserved; the lower ones are in use, or reserved as well.
bool make_again(const Key& key) {
  pthread_key_t number = 0;
  return CPPC_NEXT(pthread_key_delete)(key.number) == 0 &&
         CPPC_NEXT(pthread_key_create)(&number, key.destructor) == 0 && number == key.number &&
         pthread_setspecific(number, key.value) == 0;
}

}  // namespace

cppc_status keys::write(ByteWriter& writer) {
  std::vector<pthread_key_t> numbers;
  const std::lock_guard lock(mutex);
  for_each([&](Key& key) {
    key.value = pthread_getspecific(key.number);
    numbers.push_back(key.number);
  });
  writer.u64(numbers.size());
  for (const pthread_key_t number : numbers) writer.u32(number);
  return CPPC_OK;
}

bool keys::thread_has_values() {
  bool has = false;
  const std::lock_guard lock(mutex);
  for_each([&has](const Key& key) {
    has = has || (pthread_getspecific(key.number) != nullptr && !is_openmp_code(key.caller));
  });
  return has;
}

void keys::start() {
  for (const MadeAtStart& key : of_program_at_start()) note(key.number, key.destructor, key.caller);
}

/// What the program's libraries have made here is what they had made there, at most, and comes again with its value.
void keys::reserve_numbers() {
  for (const MadeAtStart& key : of_program_at_start())
    if (key.number < kReserved) reserved.set(key.number);
  for (pthread_key_t number = 0; CPPC_NEXT(pthread_key_create)(&number, nullptr) == 0;) {
    if (number >= kReserved) {
      CPPC_NEXT(pthread_key_delete)(number);
      return;
    }
    reserved.set(number);
  }
}

cppc_status keys::prepare(ByteReader& reader) {
  const std::uint64_t count = reader.count(sizeof(std::uint32_t));
  for (std::uint64_t i = 0; i < count; ++i) {
    const pthread_key_t number = reader.u32();
    if (!reader.ok() || (number < kReserved && reserved.test(number))) continue;
    log().error(
        "the program's key {} for thread-specific data (pthread_key_create()) is another's in the process that "
        "is to take over, or is beyond the {} that are kept free there",
        number, static_cast<unsigned>(kReserved));
    return CPPC_ERR_MISMATCH;
  }
  return reader.ok() ? CPPC_OK : CPPC_ERR_IMAGE;
}

void keys::apply() {
  const std::lock_guard lock(mutex);
  for_each([](const Key& key) {
    if (!make_again(key)) die(CPPC_ERR_SYSTEM, "a key for thread-specific data could not be made again");
    reserved.reset(key.number);
  });
  for (pthread_key_t number = 0; number < kReserved; ++number)
    if (reserved.test(number)) CPPC_NEXT(pthread_key_delete)(number);
  reserved.reset();
}

}  // namespace cppc::address

using namespace cppc::address;

#pragma GCC visibility push(default)

int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) noexcept {
  return create(key, destructor, __builtin_return_address(0));
}

int pthread_key_delete(pthread_key_t key) noexcept { return remove(key); }

// The same keys by another name.

int tss_create(tss_t* key, tss_dtor_t destructor) {
  return create(key, destructor, __builtin_return_address(0)) == 0 ? thrd_success : thrd_error;
}

void tss_delete(tss_t key) { (void)remove(key); }

#pragma GCC visibility pop
