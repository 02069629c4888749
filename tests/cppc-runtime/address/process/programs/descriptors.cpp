#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <string_view>

#include "programs.hpp"

namespace cppc::test {

namespace {

/// In the program's heap.
template <class T>
T* state_of(const T& value) {
  return new (std::malloc(sizeof(T))) T(value);
}

void put(int number, std::string_view text) {
  if (write(number, text.data(), text.size()) != std::ssize(text)) std::abort();
}

std::string get(int number, std::size_t bytes) {
  std::string text(bytes, '\0');
  const ssize_t got = read(number, text.data(), bytes);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

int make(const char* name, std::string_view text) {
  const int number = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
  put(number, text);
  return number;
}

/// A file is gone on with where it was, and never cut.
void* begin_place() {
  const int number = make("file", "one two three");
  lseek(number, 4, SEEK_SET);
  return state_of(number);
}

void end_place(void* state) {
  const int number = *static_cast<int*>(state);
  dprintf(1, "%d %s\n", number, get(number, 3).c_str());
  put(number, " and more");
}

void* begin_append() {
  make("file", "one");
  return state_of(open("file", O_WRONLY | O_APPEND));
}

void end_append(void* state) {
  const int number = *static_cast<int*>(state);
  lseek(number, 0, SEEK_SET);
  put(number, " two");
}

void append(const char* name, std::string_view text) {
  const int number = open(name, O_WRONLY | O_APPEND | O_CREAT, 0600);
  put(number, text);
  close(number);
}

/// Files that are opened for each line.
void* begin_closed_files() {
  for (const char* name : {"log", "other", "third"}) append(name, "one\n");
  const int number = make("replaced", "one\n");
  dup2(open("/dev/null", O_RDONLY), number);
  FILE* const stream = std::fopen("stream", "w");
  std::fputs("one\n", stream);
  std::fclose(stream);
  return nullptr;
}

void end_closed_files(void*) {
  for (const char* name : {"log", "other", "third", "replaced", "stream"}) append(name, "two\n");
}

struct Numbers {
  int first, second, third;
};

/// What dup() has made shares its place; what was opened twice does not.
void* begin_shared() {
  const int first = make("file", "abcdefgh");
  lseek(first, 2, SEEK_SET);
  return state_of(Numbers{first, fcntl(first, F_DUPFD_CLOEXEC, 40), open("file", O_RDONLY)});
}

void end_shared(void* state) {
  const auto [first, second, third] = *static_cast<Numbers*>(state);
  const std::string a = get(first, 2), b = get(second, 2), c = get(third, 2);
  dprintf(1, "%s %s %s, %d, flags %d %d\n", a.c_str(), b.c_str(), c.c_str(), second, fcntl(first, F_GETFD),
          fcntl(second, F_GETFD));
}

void* begin_directory() {
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) close(make(name, ""));
  DIR* directory = opendir(".");
  for (int i = 0; i < 3; ++i) readdir(directory);
  return directory;
}

void end_directory(void* state) {
  auto* directory = static_cast<DIR*>(state);
  int entries = 0;
  while (readdir(directory) != nullptr) ++entries;
  rewinddir(directory);
  std::set<std::string> names;
  while (const dirent* entry = readdir(directory)) names.insert(entry->d_name);
  dprintf(1, "%d %zu\n", entries, names.size());
  closedir(directory);
}

/// Standard output led to a file, and back later on.
void* begin_redirected() {
  const int saved = dup(1);
  const int file = make("file", "");
  dup2(file, 1);
  close(file);
  std::printf("to the file\n");
  return state_of(saved);
}

void end_redirected(void* state) {
  std::printf("and again\n");
  std::fflush(stdout);
  dup2(*static_cast<int*>(state), 1);
  std::printf("to the output\n");
}

void* begin_by_name() { return state_of(open("/proc/self/fd/1", O_WRONLY | O_APPEND)); }

void end_by_name(void* state) { put(*static_cast<int*>(state), "by its name\n"); }

void* begin_closed() {
  close(0);
  return nullptr;
}

void end_closed(void*) {
  const int closed = fcntl(0, F_GETFD);
  dprintf(1, "%d %d\n", closed, open("/dev/null", O_RDONLY));
}

void* begin_devices() { return state_of(Numbers{open("/dev/null", O_RDWR), open("/dev/zero", O_RDONLY), -1}); }

void end_devices(void* state) {
  const auto& numbers = *static_cast<Numbers*>(state);
  put(numbers.first, "nothing");
  dprintf(1, "%zu %zu %d\n", get(numbers.first, 1).size(), get(numbers.second, 5).size(), get(numbers.second, 1)[0]);
}

/// Numbers go on to be given out as they were.
void* begin_gap() {
  const int first = make("file", "");
  make("other", "");
  close(first);
  return state_of(first);
}

void end_gap(void* state) { dprintf(1, "%d\n", open("file", O_RDONLY) == *static_cast<int*>(state)); }

void* begin_locked() {
  const int number = make("file", "");
  flock(number, LOCK_EX);
  return state_of(number);
}

void end_locked(void*) {
  const int other = open("file", O_RDWR);
  dprintf(1, "%d\n", flock(other, LOCK_EX | LOCK_NB));
}

/// Of two open file descriptions of one file only that is locked which the program has locked.
void* begin_lock_shared() {
  const int number = make("file", "");
  open("file", O_RDWR);
  flock(number, LOCK_SH);
  return state_of(number);
}

void end_lock_shared(void* state) {
  const int other = open("file", O_RDWR);
  const bool held = flock(other, LOCK_EX | LOCK_NB) != 0;
  close(*static_cast<int*>(state));
  dprintf(1, "%d %d\n", held, flock(other, LOCK_EX | LOCK_NB));
}

/// It has no place where it stands.
void* begin_mere_path() { return state_of(open("/", O_DIRECTORY | O_PATH)); }

void end_mere_path(void* state) {
  struct stat found {};
  dprintf(1, "%d %d\n", fstat(*static_cast<int*>(state), &found), S_ISDIR(found.st_mode));
}

struct flock range(short type, off_t start, off_t bytes) {
  struct flock made {};
  made.l_type = type;
  made.l_whence = SEEK_SET;
  made.l_start = start;
  made.l_len = bytes;
  return made;
}

/// Two ranges of the process's, and one of the open file description's.
void* begin_lock_ranges() {
  const int number = make("file", "");
  struct flock first = range(F_WRLCK, 10, 5), second = range(F_RDLCK, 100, 0), third = range(F_WRLCK, 20, 10);
  if (fcntl(number, F_SETLK, &first) != 0 || fcntl(number, F_SETLK, &second) != 0 ||
      fcntl(number, F_OFD_SETLK, &third) != 0)
    abort();
  return state_of(number);
}

/// By another open file description, which sees all of them.
void end_lock_ranges(void*) {
  const int other = open("file", O_RDWR);
  off_t from = 0;
  for (struct flock found = range(F_WRLCK, from, 0); fcntl(other, F_OFD_GETLK, &found) == 0 && found.l_type != F_UNLCK;
       found = range(F_WRLCK, from, 0)) {
    dprintf(1, "%d %lld %lld %d\n", found.l_type, static_cast<long long>(found.l_start),
            static_cast<long long>(found.l_len), found.l_pid == -1);
    if (found.l_len == 0) break;
    from = found.l_start + found.l_len;
  }
}

constexpr std::array programs{
    Program{"place", begin_place, end_place},
    Program{"append", begin_append, end_append},
    Program{"shared", begin_shared, end_shared},
    Program{"directory", begin_directory, end_directory},
    Program{"redirected", begin_redirected, end_redirected},
    Program{"by_name", begin_by_name, end_by_name},
    Program{"closed", begin_closed, end_closed},
    Program{"closed_files", begin_closed_files, end_closed_files},
    Program{"devices", begin_devices, end_devices},
    Program{"gap", begin_gap, end_gap},
    Program{"locked", begin_locked, end_locked},
    Program{"lock_shared", begin_lock_shared, end_lock_shared},
    Program{"lock_ranges", begin_lock_ranges, end_lock_ranges},
    Program{"mere_path", begin_mere_path, end_mere_path},
};

}  // namespace

std::span<const Program> descriptor_programs() { return programs; }

}  // namespace cppc::test
