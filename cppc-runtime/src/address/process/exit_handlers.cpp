#include "address/process/exit_handlers.hpp"

#include <cstdlib>
#include <mutex>

#include "address/process/next.hpp"
#include "address/process/program_memory.hpp"
#include "address/process/team_threads.hpp"
#include "address/process/threads.hpp"
#include "address/program_time.hpp"
#include "log.hpp"

extern "C" {
int __cxa_atexit(void (*function)(void*), void* argument, void* object) noexcept;
int __cxa_at_quick_exit(void (*function)(void*), void* object) noexcept;
int __cxa_thread_atexit_impl(void (*function)(void*), void* argument, void* object) noexcept;
void __cxa_finalize(void* object);
}

namespace cppc::address {

namespace {

using Function = void (*)(void*);
using FunctionOfStatus = void (*)(int, void*);

struct Handler {
  Handler* next;  ///< registered before this one
  Function function;
  FunctionOfStatus of_status;  ///< of on_exit(); then there is no `function`
  void* argument;
  void* object;  ///< the library, for __cxa_finalize()
};

/// Of each kind the last one registered.
using Last = Handler*;

struct ExitHandlers {
  Last at_exit;
  Last at_quick_exit;
  Last of_main_thread;
  Last* of_team_threads;  ///< by place; null as long as they have none
};

constinit std::mutex mutex;
constinit bool at_exit_known = false;        ///< to the C library
constinit bool at_quick_exit_known = false;  ///< the same
constinit bool left = false;

ExitHandlers* table() { return left ? nullptr : find_root<ExitHandlers>(Root::exit_handlers); }

Handler* take_last(auto list) {
  const std::lock_guard lock(mutex);
  ExitHandlers* const handlers = table();
  Handler* const last = handlers != nullptr ? list(*handlers) : nullptr;
  if (last != nullptr) list(*handlers) = last->next;
  return last;
}

Last& last_at_exit(ExitHandlers& handlers) { return handlers.at_exit; }
Last& last_at_quick_exit(ExitHandlers& handlers) { return handlers.at_quick_exit; }
Last& last_of_main_thread(ExitHandlers& handlers) { return handlers.of_main_thread; }

Handler* take_last_of(const void* object) {
  const std::lock_guard lock(mutex);
  ExitHandlers* const handlers = table();
  if (handlers == nullptr) return nullptr;
  for (Handler** place = &handlers->at_exit; *place != nullptr; place = &(*place)->next) {
    Handler* const handler = *place;
    if (object != nullptr && handler->object != object) continue;
    *place = handler->next;
    return handler;
  }
  return nullptr;
}

void run(const Handler& handler, int status) {
  const InsideProgram inside;
  if (handler.of_status != nullptr) return handler.of_status(status, handler.argument);
  handler.function(handler.argument);
}

void run_all(auto list) {
  while (const Handler* handler = take_last(list)) run(*handler, 0);
}

bool await_exit_again(bool more);

/// The C library calls it at the exit. One of the program's functions at a time, so that those that remain are not lost
/// when it calls exit() itself; the C library calls what is registered while it works, too.
void run_one_at_exit(int status, void*) {
  if (on_main_thread()) run_all(last_of_main_thread);
  const Handler* const handler = take_last(last_at_exit);
  if (!await_exit_again(handler != nullptr)) die(CPPC_ERR_MEMORY, "no memory for the program's exit handlers");
  if (handler != nullptr) run(*handler, status);
}

void run_at_quick_exit(void*) { run_all(last_at_quick_exit); }

/// These can fail for want of memory only, which the C library may need for its list: that is not the program's.
bool await_exit() {
  const OutsideProgram outside;
  return at_exit_known = at_exit_known || CPPC_NEXT(on_exit)(run_one_at_exit, nullptr) == 0;
}
bool await_exit_again(bool more) {
  const std::lock_guard lock(mutex);
  at_exit_known = false;  // the C library has called it, and forgotten it
  return !more || await_exit();
}
bool await_quick_exit() {
  const OutsideProgram outside;
  return at_quick_exit_known = at_quick_exit_known || CPPC_NEXT(__cxa_at_quick_exit)(run_at_quick_exit, nullptr) == 0;
}

/// As the C library's functions answer.
int add(bool (*await)(), auto list, const Handler& handler) {
  const std::lock_guard lock(mutex);
  if (!await()) return -1;
  Last& last = list(at_root<ExitHandlers>(Root::exit_handlers));
  auto* const added = make_for_program<Handler>();
  *added = handler;
  added->next = last;
  last = added;
  return 0;
}

/// Of the thread of OpenMP's that has this place.
auto last_of_team_thread(std::size_t place) {
  return [place](ExitHandlers& handlers) -> Last& {
    if (handlers.of_team_threads == nullptr)
      handlers.of_team_threads = static_cast<Last*>(allocate_for_program(team_threads::kMost * sizeof(Last)));
    return handlers.of_team_threads[place];
  };
}

}  // namespace

void exit_handlers::apply() {
  const std::lock_guard lock(mutex);
  const auto* handlers = table();
  if (handlers == nullptr) return;
  const bool exit = handlers->at_exit != nullptr || handlers->of_main_thread != nullptr;
  const bool good = (!exit || await_exit()) && (handlers->at_quick_exit == nullptr || await_quick_exit());
  if (!good) die(CPPC_ERR_MEMORY, "no memory for the program's exit handlers");
}

void exit_handlers::leave() { left = true; }

void exit_handlers::run_of_team_thread(std::size_t place) {
  const auto have_some = [] {
    const std::lock_guard lock(mutex);
    const ExitHandlers* const handlers = table();
    return handlers != nullptr && handlers->of_team_threads != nullptr;
  };
  if (have_some()) run_all(last_of_team_thread(place));
}

}  // namespace cppc::address

using namespace cppc::address;

#pragma GCC visibility push(default)

int __cxa_atexit(void (*function)(void*), void* argument, void* object) noexcept {
  if (!program_time) return CPPC_NEXT(__cxa_atexit)(function, argument, object);
  return add(await_exit, last_at_exit, {.function = function, .argument = argument, .object = object});
}

int on_exit(void (*function)(int, void*), void* argument) noexcept {
  if (!program_time) return CPPC_NEXT(on_exit)(function, argument);
  return add(await_exit, last_at_exit, {.of_status = function, .argument = argument});
}

int __cxa_at_quick_exit(void (*function)(void*), void* object) noexcept {
  if (!program_time) return CPPC_NEXT(__cxa_at_quick_exit)(function, object);
  return add(await_quick_exit, last_at_quick_exit, {.function = function, .object = object});
}

int __cxa_thread_atexit_impl(void (*function)(void*), void* argument, void* object) noexcept {
  const Handler handler{.function = function, .argument = argument, .object = object};
  if (program_time && on_main_thread()) return add(await_exit, last_of_main_thread, handler);
  if (const auto place = team_threads::place_of_thread(); program_time && place)
    return add([] { return true; }, last_of_team_thread(*place), handler);
  return CPPC_NEXT(__cxa_thread_atexit_impl)(function, argument, object);
}

void __cxa_finalize(void* object) {
  while (const Handler* handler = take_last_of(object)) run(*handler, 0);
  CPPC_NEXT(__cxa_finalize)(object);
}

#pragma GCC visibility pop
