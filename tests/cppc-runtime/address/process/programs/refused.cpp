#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "programs.hpp"

namespace cppc::test {

namespace {

void* from_number(int number) {
  if (number < 0) abort();
  return nullptr;
}

void* begin_pipe() {
  std::array<int, 2> ends{};
  return from_number(pipe(ends.data()));
}

void* begin_socket() { return from_number(socket(AF_UNIX, SOCK_STREAM, 0)); }
void* begin_epoll() { return from_number(epoll_create1(0)); }
void* begin_eventfd() { return from_number(eventfd(0, 0)); }
void* begin_timerfd() { return from_number(timerfd_create(CLOCK_MONOTONIC, 0)); }
void* begin_inotify() { return from_number(inotify_init()); }
void* begin_memfd() { return from_number(memfd_create("name", 0)); }
void* begin_status() { return from_number(open("/proc/meminfo", O_RDONLY)); }
void* begin_popen() { return popen("cat", "w"); }

void* begin_signalfd() {
  sigset_t signals;
  sigemptyset(&signals);
  return from_number(signalfd(-1, &signals, 0));
}

void* begin_deleted() {
  FILE* file = fopen("file", "w");
  (void)open("file", O_RDONLY);
  unlink("file");
  return file;
}

/// The path leads to another file.
void* begin_renamed_over() {
  FILE* file = fopen("file", "w");
  if (link("file", "kept") != 0) abort();
  fclose(fopen("new", "w"));
  rename("new", "file");
  return file;
}

void* begin_deleted_lock() {
  const int number = open("file", O_RDWR | O_CREAT, 0600);
  struct flock lock {};
  lock.l_type = F_WRLCK;
  if (fcntl(number, F_SETLK, &lock) != 0) abort();
  return from_number(unlink("file"));
}

void* begin_elsewhere() {
  void* const place = reinterpret_cast<void*>(0x5000'0000'0000);
  return mmap(place, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

void* begin_shared_deleted() {
  const int number = open("file", O_RDWR | O_CREAT, 0600);
  if (ftruncate(number, 4096) != 0) abort();
  void* memory = mmap(nullptr, 4096, PROT_READ, MAP_SHARED, number, 0);
  close(number);
  unlink("file");
  return memory;
}

void end_refused(void*) { printf("goes on\n"); }

constexpr std::array programs{
    Program{"pipe", begin_pipe, end_refused},
    Program{"socket", begin_socket, end_refused},
    Program{"epoll", begin_epoll, end_refused},
    Program{"eventfd", begin_eventfd, end_refused},
    Program{"timerfd", begin_timerfd, end_refused},
    Program{"signalfd", begin_signalfd, end_refused},
    Program{"inotify", begin_inotify, end_refused},
    Program{"memfd", begin_memfd, end_refused},
    Program{"status", begin_status, end_refused},
    Program{"popen", begin_popen, end_refused},
    Program{"deleted", begin_deleted, end_refused},
    Program{"renamed_over", begin_renamed_over, end_refused},
    Program{"deleted_lock", begin_deleted_lock, end_refused},
    Program{"elsewhere", begin_elsewhere, end_refused},
    Program{"shared_deleted", begin_shared_deleted, end_refused},
};

}  // namespace

std::span<const Program> refused_programs() { return programs; }

}  // namespace cppc::test
