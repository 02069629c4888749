#include "address/process/keys.hpp"

#include <pthread.h>

#include <mutex>
#include <vector>

#include "address/process/program_memory.hpp"
#include "address/process/real_function.hpp"
#include "address/program_time.hpp"
#include "log.hpp"

namespace cppc::address {

namespace {

struct Key {
  Key* next;
  bool used;  ///< else free for another one
  pthread_key_t number;
  void (*destructor)(void*);
  void* value;  ///< the main thread's, at the capture
};

struct Keys {
  Key* first;
};

constinit RealFunction<int(pthread_key_t*, void (*)(void*))> real_key_create("pthread_key_create");
constinit RealFunction<decltype(pthread_key_delete)> real_key_delete("pthread_key_delete");

constinit std::mutex mutex;

/// With each key that there is. Under the mutex.
void for_each(auto&& function) {
  const Keys* const keys = find_root<Keys>(Root::keys);
  for (Key* key = keys != nullptr ? keys->first : nullptr; key != nullptr; key = key->next)
    if (key->used) function(*key);
}

void note(pthread_key_t number, void (*destructor)(void*)) {
  const std::lock_guard lock(mutex);
  Keys& keys = at_root<Keys>(Root::keys);
  Key* key = keys.first;
  while (key != nullptr && key->used) key = key->next;
  if (key == nullptr) {
    key = make_for_program<Key>();
    key->next = keys.first;
    keys.first = key;
  }
  *key = {.next = key->next, .used = true, .number = number, .destructor = destructor, .value = nullptr};
}

/// The system gives the lowest number that is free.
bool take(pthread_key_t wanted, void (*destructor)(void*)) {
  std::vector<pthread_key_t> surplus;
  bool taken = false;
  for (pthread_key_t key = 0; !taken && real_key_create(&key, destructor) == 0;) {
    taken = key == wanted;
    if (!taken) surplus.push_back(key);
    if (key > wanted) break;
  }
  for (const pthread_key_t key : surplus) real_key_delete(key);
  return taken;
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

cppc_status keys::prepare(ByteReader& reader) {
  const std::uint64_t count = reader.count(sizeof(std::uint32_t));
  for (std::uint64_t i = 0; i < count; ++i) {
    const pthread_key_t number = reader.u32();
    if (take(number, nullptr)) continue;
    log().error(
        "the program's key {} for thread-specific data (pthread_key_create()) is another's in the process that "
        "is to take over: a library, or MPI, has made it there",
        number);
    return CPPC_ERR_MISMATCH;
  }
  return CPPC_OK;
}

void keys::apply() {
  const std::lock_guard lock(mutex);
  for_each([](const Key& key) {
    const bool good = real_key_delete(key.number) == 0 && take(key.number, key.destructor) &&
                      pthread_setspecific(key.number, key.value) == 0;
    if (!good) die(CPPC_ERR_SYSTEM, "a key for thread-specific data could not be made again");
  });
}

}  // namespace cppc::address

using namespace cppc::address;

#pragma GCC visibility push(default)

int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) noexcept {
  const int error = real_key_create(key, destructor);
  if (error == 0 && program_time) note(*key, destructor);
  return error;
}

int pthread_key_delete(pthread_key_t key) noexcept {
  if (program_time) {
    const std::lock_guard lock(mutex);
    for_each([&](Key& noted) { noted.used = noted.used && noted.number != key; });
  }
  return real_key_delete(key);
}

#pragma GCC visibility pop
