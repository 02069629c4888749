#include "address/process/closed_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL  // nothing of it is exported
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include "cppc/unique_fd.hpp"
#include "grown_file.hpp"
#include "log.hpp"

namespace cppc::address::closed_files {

namespace {

/// So many bytes before the end tell a file that has grown from one that has been written anew.
constexpr std::size_t kTail = 4096;

struct Identity {
  dev_t device = 0;
  ino_t inode = 0;  ///< 0: nothing here
  std::uint64_t closed = 0;
};

// Of this process and not in the program's memory: close() is called by signal handlers, and would have to ask for it.
constinit std::array<Identity, kMost> identities{};
constinit std::array<std::array<char, PATH_MAX>, kMost> paths{};  // what is not used takes up no memory
constinit std::uint64_t last_closed = 0;
constinit std::atomic_flag busy{};

/// Signal handlers that close files wait. In a child of a process with threads nobody may be left who gives it free.
class Lock {
 public:
  Lock() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
    constexpr int attempts = 10000;
    constexpr timespec between{.tv_sec = 0, .tv_nsec = 10000};
    for (int i = 0; i < attempts && !mine_; ++i) {
      mine_ = !busy.test_and_set(std::memory_order_acquire);
      if (!mine_) nanosleep(&between, nullptr);
    }
  }
  ~Lock() {
    if (mine_) busy.clear(std::memory_order_release);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  explicit operator bool() const { return mine_; }

 private:
  sigset_t before_{};
  bool mine_ = false;
};

using Path = std::array<char, PATH_MAX>;

/// The path of an open file, ended by a zero; empty when the system does not say.
void find_path(int number, Path& path) {
  // As snprintf() is not for signal handlers.
  std::array<char, 32> link{"/proc/self/fd/"};
  std::array<char, 12> digits{};
  std::size_t count = 0;
  for (int rest = number; rest > 0 || count == 0; rest /= 10) digits[count++] = static_cast<char>('0' + rest % 10);
  std::reverse_copy(digits.begin(), digits.begin() + count, link.begin() + std::strlen(link.data()));
  const ssize_t length = readlink(link.data(), path.data(), path.size() - 1);
  path[static_cast<std::size_t>(std::max<ssize_t>(length, 0))] = '\0';
}

/// Its place, or that of the one that was closed longest ago.
std::size_t place_of(const struct stat& state) {
  const auto same = std::ranges::find_if(identities, [&](const Identity& identity) {
    return identity.inode == state.st_ino && identity.device == state.st_dev;
  });
  const auto found = same != identities.end() ? same : std::ranges::min_element(identities, {}, &Identity::closed);
  return static_cast<std::size_t>(found - identities.begin());
}

void keep(const struct stat& state, const char* path) {
  const std::size_t place = place_of(state);
  identities[place] = {state.st_dev, state.st_ino, ++last_closed};
  std::memcpy(paths[place].data(), path, std::strlen(path) + 1);
}

bool is_written(int number) {
  const int flags = fcntl(number, F_GETFL);
  return flags >= 0 && (flags & O_PATH) == 0 && (flags & O_ACCMODE) != O_RDONLY;
}

/// Of the last bytes before `size`; none when they cannot be read.
std::optional<std::uint64_t> hash_of_tail(int descriptor, std::int64_t size) {
  std::array<std::byte, kTail> bytes{};
  const auto wanted = static_cast<std::size_t>(std::min<std::int64_t>(size, kTail));
  std::size_t got = 0;
  while (got < wanted) {
    const ssize_t read = pread(descriptor, bytes.data() + got, wanted - got,
                               size - static_cast<std::int64_t>(wanted) + static_cast<std::int64_t>(got));
    if (read < 0 && errno == EINTR) continue;
    if (read <= 0) return std::nullopt;
    got += static_cast<std::size_t>(read);
  }
  return XXH3_64bits(bytes.data(), wanted);
}

/// As it is in an image.
struct Closed {
  std::string path;
  std::uint64_t inode = 0;
  std::int64_t size = 0;
  std::uint64_t tail = 0;
};

std::optional<Closed> look_at(const Identity& identity, const char* path) {
  struct stat state {};
  // By its path first: a pipe that is there by now would hold open() up.
  if (stat(path, &state) != 0 || state.st_ino != identity.inode || state.st_dev != identity.device) return std::nullopt;
  const UniqueFd file(open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!file || fstat(file.get(), &state) != 0) return std::nullopt;
  const auto tail = hash_of_tail(file.get(), state.st_size);
  if (!tail) return std::nullopt;
  return Closed{path, state.st_ino, state.st_size, *tail};
}

/// Cuts off what has been appended since the image was made.
cppc_status cut(const Closed& closed) {
  struct stat state {};
  if (stat(closed.path.c_str(), &state) != 0 || !S_ISREG(state.st_mode)) return CPPC_OK;
  if (state.st_ino != closed.inode || state.st_size <= closed.size) return CPPC_OK;
  const UniqueFd file(open(closed.path.c_str(), O_RDWR | O_CLOEXEC | O_NOCTTY));
  if (!file) {
    log().warn("{} has grown since the image was made, and cannot be cut to the {} bytes that it had: {}", closed.path,
               closed.size, std::strerror(errno));
    return CPPC_OK;
  }
  if (hash_of_tail(file.get(), closed.size) != closed.tail) return CPPC_OK;
  return cut_to_image(file.get(), closed.size, closed.path);
}

}  // namespace

void note(int number) {
  const int error = errno;
  struct stat state {};
  Path path{};
  if (is_written(number) && fstat(number, &state) == 0 && S_ISREG(state.st_mode) && state.st_nlink > 0)
    find_path(number, path);
  if (path[0] == '/')
    if (const Lock lock; lock) keep(state, path.data());
  errno = error;
}

cppc_status write(ByteWriter& out) {
  std::vector<Closed> all;
  for (std::size_t i = 0; i < kMost; ++i) {
    if (identities[i].inode == 0) continue;
    if (auto closed = look_at(identities[i], paths[i].data())) all.push_back(std::move(*closed));
  }
  out.u64(all.size());
  for (const Closed& closed : all) {
    out.text(closed.path);
    out.u64(closed.inode);
    out.i64(closed.size);
    out.u64(closed.tail);
  }
  return CPPC_OK;
}

cppc_status cut_again(ByteReader& in) {
  std::vector<Closed> all(in.count(32));
  for (Closed& closed : all) {
    closed.path = in.text();
    closed.inode = in.u64();
    closed.size = in.i64();
    closed.tail = in.u64();
    if (closed.path.size() >= PATH_MAX || closed.size < 0) in.fail();
  }
  if (!in.ok() || all.size() > kMost) return CPPC_ERR_IMAGE;
  identities = {};
  for (const Closed& closed : all) {
    const cppc_status status = files_may_have_grown() ? cut(closed) : CPPC_OK;
    if (status != CPPC_OK) return status;
    struct stat state {};
    if (stat(closed.path.c_str(), &state) == 0 && state.st_ino == closed.inode) keep(state, closed.path.c_str());
  }
  return CPPC_OK;
}

}  // namespace cppc::address::closed_files
