/// What the C library has that makes or ends descriptors: done as ever, and told to the table of descriptors.
#undef _FORTIFY_SOURCE

#include <dirent.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pty.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <type_traits>

#include "address/process/descriptors.hpp"
#include "address/process/next.hpp"
#include "address/process/standard_input.hpp"

extern "C" {  // which glibc 2.36 leaves out
#include <sys/pidfd.h>
}

#pragma GCC visibility push(default)

// As programs that are compiled with _FORTIFY_SOURCE call them.
extern "C" int __open_2(const char* path, int flags);
extern "C" int __open64_2(const char* path, int flags);
extern "C" int __openat_2(int directory, const char* path, int flags);
extern "C" int __openat64_2(int directory, const char* path, int flags);
extern "C" ssize_t __read_chk(int number, void* buffer, size_t bytes, size_t room);

namespace {

namespace descriptors = cppc::address::descriptors;

int opened(int number) {
  descriptors::opened(number);
  return number;
}

int created(int number) {
  descriptors::created(number);
  return number;
}

/// O_TMPFILE makes a file without a name; O_EXCL says that the file is new.
int opened_with(int flags, int number) {
  const bool is_new = (flags & O_TMPFILE) == O_TMPFILE || (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);
  return is_new ? created(number) : opened(number);
}

int both_opened(int status, const int* numbers) {
  if (status == 0) std::for_each_n(numbers, 2, descriptors::opened);
  return status;
}

int duplicated(int from, int to) {
  descriptors::duplicated(from, to);
  return to;
}

DIR* opened(DIR* directory) {
  if (directory != nullptr) descriptors::opened(dirfd(directory));
  return directory;
}

}  // namespace

extern "C" {

// The mode counts only for files that are made; it is handed on as it was given.
#define CPPC_OPENS(name)                                                     \
  int name(const char* path, int flags, ...) {                               \
    va_list more;                                                            \
    va_start(more, flags);                                                   \
    const mode_t mode = __OPEN_NEEDS_MODE(flags) ? va_arg(more, mode_t) : 0; \
    va_end(more);                                                            \
    return opened_with(flags, CPPC_NEXT(name)(path, flags, mode));           \
  }
CPPC_OPENS(open)
CPPC_OPENS(open64)

#define CPPC_OPENS_AT(name)                                                   \
  int name(int directory, const char* path, int flags, ...) {                 \
    va_list more;                                                             \
    va_start(more, flags);                                                    \
    const mode_t mode = __OPEN_NEEDS_MODE(flags) ? va_arg(more, mode_t) : 0;  \
    va_end(more);                                                             \
    return opened_with(flags, CPPC_NEXT(name)(directory, path, flags, mode)); \
  }
CPPC_OPENS_AT(openat)
CPPC_OPENS_AT(openat64)

int __open_2(const char* path, int flags) { return opened(CPPC_NEXT(__open_2)(path, flags)); }
int __open64_2(const char* path, int flags) { return opened(CPPC_NEXT(__open64_2)(path, flags)); }
int __openat_2(int directory, const char* path, int flags) {
  return opened(CPPC_NEXT(__openat_2)(directory, path, flags));
}
int __openat64_2(int directory, const char* path, int flags) {
  return opened(CPPC_NEXT(__openat64_2)(directory, path, flags));
}
int creat(const char* path, mode_t mode) { return opened(CPPC_NEXT(creat)(path, mode)); }
int creat64(const char* path, mode_t mode) { return opened(CPPC_NEXT(creat64)(path, mode)); }

// ---- Closing and sharing ----

int close(int number) {
  descriptors::closed(number);
  return CPPC_NEXT(close)(number);
}

int close_range(unsigned first, unsigned last, int flags) noexcept {
  constexpr int sets_a_flag_only = 1 << 2;  // CLOSE_RANGE_CLOEXEC
  constexpr unsigned highest = 1U << 16;
  if ((flags & sets_a_flag_only) == 0) {
    for (unsigned number = first; number <= std::min(last, highest); ++number) {
      descriptors::closed(static_cast<int>(number));
    }
  }
  return CPPC_NEXT(close_range)(first, last, flags);
}

void closefrom(int first) noexcept {
  constexpr int highest = 1 << 16;
  for (int number = std::max(first, 0); number <= highest; ++number) descriptors::closed(number);
  CPPC_NEXT(closefrom)(first);
}

int dup(int number) noexcept { return duplicated(number, CPPC_NEXT(dup)(number)); }

int dup2(int from, int to) noexcept {
  descriptors::replaced(from, to);
  return duplicated(from, CPPC_NEXT(dup2)(from, to));
}

int dup3(int from, int to, int flags) noexcept {
  descriptors::replaced(from, to);
  return duplicated(from, CPPC_NEXT(dup3)(from, to, flags));
}

#define CPPC_CONTROLS(name)                                                           \
  int name(int number, int command, ...) {                                            \
    va_list more;                                                                     \
    va_start(more, command);                                                          \
    void* argument = va_arg(more, void*);                                             \
    va_end(more);                                                                     \
    const int result = CPPC_NEXT(name)(number, command, argument);                    \
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) duplicated(number, result); \
    return result;                                                                    \
  }
CPPC_CONTROLS(fcntl)
CPPC_CONTROLS(fcntl64)

// ---- Directories and temporary files ----

DIR* opendir(const char* path) { return opened(CPPC_NEXT(opendir)(path)); }

int closedir(DIR* directory) {
  descriptors::closed(dirfd(directory));
  return CPPC_NEXT(closedir)(directory);
}

int mkstemp(char* path) { return created(CPPC_NEXT(mkstemp)(path)); }
int mkstemp64(char* path) { return created(CPPC_NEXT(mkstemp64)(path)); }
int mkostemp(char* path, int flags) { return created(CPPC_NEXT(mkostemp)(path, flags)); }
int mkostemp64(char* path, int flags) { return created(CPPC_NEXT(mkostemp64)(path, flags)); }
int mkstemps(char* path, int suffix) { return created(CPPC_NEXT(mkstemps)(path, suffix)); }
int mkstemps64(char* path, int suffix) { return created(CPPC_NEXT(mkstemps64)(path, suffix)); }
int mkostemps(char* path, int suffix, int flags) { return created(CPPC_NEXT(mkostemps)(path, suffix, flags)); }
int mkostemps64(char* path, int suffix, int flags) { return created(CPPC_NEXT(mkostemps64)(path, suffix, flags)); }
int shm_open(const char* name, int flags, mode_t mode) { return opened(CPPC_NEXT(shm_open)(name, flags, mode)); }

// ---- What no file is ----

int pipe(int* numbers) noexcept { return both_opened(CPPC_NEXT(pipe)(numbers), numbers); }
int pipe2(int* numbers, int flags) noexcept { return both_opened(CPPC_NEXT(pipe2)(numbers, flags), numbers); }

int socket(int domain, int type, int protocol) noexcept { return opened(CPPC_NEXT(socket)(domain, type, protocol)); }

int socketpair(int domain, int type, int protocol, int* numbers) noexcept {
  return both_opened(CPPC_NEXT(socketpair)(domain, type, protocol, numbers), numbers);
}

int accept(int number, sockaddr* __restrict address, socklen_t* __restrict bytes) {
  return opened(CPPC_NEXT(accept)(number, address, bytes));
}

int accept4(int number, sockaddr* __restrict address, socklen_t* __restrict bytes, int flags) {
  return opened(CPPC_NEXT(accept4)(number, address, bytes, flags));
}

int eventfd(unsigned value, int flags) noexcept { return opened(CPPC_NEXT(eventfd)(value, flags)); }
int epoll_create(int size) noexcept { return opened(CPPC_NEXT(epoll_create)(size)); }
int epoll_create1(int flags) noexcept { return opened(CPPC_NEXT(epoll_create1)(flags)); }
int memfd_create(const char* name, unsigned flags) noexcept { return opened(CPPC_NEXT(memfd_create)(name, flags)); }

int pidfd_open(pid_t process, unsigned flags) noexcept { return opened(CPPC_NEXT(pidfd_open)(process, flags)); }
int timerfd_create(clockid_t clock, int flags) noexcept { return opened(CPPC_NEXT(timerfd_create)(clock, flags)); }

int signalfd(int number, const sigset_t* signals, int flags) noexcept {
  const int result = CPPC_NEXT(signalfd)(number, signals, flags);
  return number < 0 ? opened(result) : result;
}

int inotify_init() noexcept { return opened(CPPC_NEXT(inotify_init)()); }
int inotify_init1(int flags) noexcept { return opened(CPPC_NEXT(inotify_init1)(flags)); }

int fanotify_init(unsigned flags, unsigned event_flags) noexcept {
  return opened(CPPC_NEXT(fanotify_init)(flags, event_flags));
}

mqd_t mq_open(const char* name, int flags, ...) noexcept {
  va_list more;
  va_start(more, flags);
  const mode_t mode = va_arg(more, mode_t);
  mq_attr* attributes = va_arg(more, mq_attr*);
  va_end(more);
  return opened(CPPC_NEXT(mq_open)(name, flags, mode, attributes));
}

int openpty(int* master, int* slave, char* name, const termios* terminal, const winsize* size) noexcept {
  const int status = CPPC_NEXT(openpty)(master, slave, name, terminal, size);
  if (status == 0) opened(*master);
  if (status == 0) opened(*slave);
  return status;
}

int posix_openpt(int flags) { return opened(CPPC_NEXT(posix_openpt)(flags)); }
int getpt() { return opened(CPPC_NEXT(getpt)()); }

// ---- Reading from standard input ----

ssize_t read(int number, void* buffer, size_t bytes) {
  cppc::address::standard_input::was_read(number);
  return CPPC_NEXT(read)(number, buffer, bytes);
}

ssize_t __read_chk(int number, void* buffer, size_t bytes, size_t room) {
  cppc::address::standard_input::was_read(number);
  return CPPC_NEXT(__read_chk)(number, buffer, bytes, room);
}

ssize_t readv(int number, const iovec* parts, int count) {
  cppc::address::standard_input::was_read(number);
  return CPPC_NEXT(readv)(number, parts, count);
}

}  // extern "C"

#pragma GCC visibility pop
