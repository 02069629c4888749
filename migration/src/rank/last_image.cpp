#include "last_image.hpp"

#include <fcntl.h>
#include <semaphore.h>
#include <spdlog/spdlog.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <system_error>
#include <utility>
#include <vector>

#include "cppc/deadlines.hpp"
#include "cppc/unique_fd.hpp"

namespace cppc::migration {
namespace {

/// What the thread waits for, SIGCONT or the end. Never destroyed: a handler that still runs may use it at any time.
sem_t* wake_up() {
  static sem_t* const one = [] {
    static sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    return &semaphore;
  }();
  return one;
}

extern "C" void cppc_on_sigcont(int) {
  const int before = errno;
  sem_post(wake_up());
  errno = before;
}

/// No longer than that.
void sleep(std::chrono::nanoseconds delay) {
  timespec until{};
  clock_gettime(CLOCK_MONOTONIC, &until);
  const auto end = std::chrono::seconds(until.tv_sec) + std::chrono::nanoseconds(until.tv_nsec) + delay;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(end);
  until = {seconds.count(), (end - seconds).count()};
  while (sem_clockwait(wake_up(), CLOCK_MONOTONIC, &until) != 0 && errno == EINTR) continue;
}

/// Blocks all signals but SIGCONT, which some programs block in all of their own threads.
class NoOtherSignals {
 public:
  NoOtherSignals() {
    sigset_t blocked;
    sigfillset(&blocked);
    sigdelset(&blocked, SIGCONT);
    pthread_sigmask(SIG_SETMASK, &blocked, &before_);
  }
  NoOtherSignals(const NoOtherSignals&) = delete;
  NoOtherSignals& operator=(const NoOtherSignals&) = delete;
  ~NoOtherSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

/// The extents cover the file.
bool write_all(int file, std::vector<iovec> pieces) {
  for (std::span<iovec> rest = pieces; !rest.empty();) {
    const ssize_t written = writev(file, rest.data(), static_cast<int>(std::min<std::size_t>(rest.size(), IOV_MAX)));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    auto left = static_cast<std::size_t>(written);
    for (; !rest.empty() && left >= rest.front().iov_len; rest = rest.subspan(1)) left -= rest.front().iov_len;
    if (rest.empty()) break;
    rest.front().iov_base = static_cast<std::byte*>(rest.front().iov_base) + left;
    rest.front().iov_len -= left;
  }
  return true;
}

std::vector<iovec> pieces_of(const image::Image& image) {
  std::vector<iovec> pieces;
  for (const image::Extent& extent : image.extents())
    pieces.push_back({const_cast<std::byte*>(extent.bytes.data()), extent.bytes.size()});
  return pieces;
}

std::string job() {
  const char* const name = std::getenv("CPPC_JOB");
  return name == nullptr ? "job" : name;
}

std::string node() {
  char name[HOST_NAME_MAX + 1]{};
  gethostname(name, HOST_NAME_MAX);
  return name;
}

}  // namespace

std::string LastImage::path(const std::string& job, int rank) {
  return "/dev/shm/cppc-" + job + "-rank" + std::to_string(rank) + ".h5";
}

LastImage::LastImage(image::Image image, int rank) : image_(std::move(image)), rank_(rank), path_(path(job(), rank)) {}

tl::expected<std::unique_ptr<LastImage>, cppc_status> LastImage::keep(image::Image image, int rank) {
  std::unique_ptr<LastImage> kept(new LastImage(std::move(image), rank));
  const auto fail = [rank](const char* why) {
    spdlog::warn("rank {}: should the job end while it moves, its image will not be kept: {}", rank, why);
    return tl::unexpected(CPPC_ERR_SYSTEM);
  };
  while (sem_trywait(wake_up()) == 0) continue;  // of an earlier one
  try {
    const NoOtherSignals only;
    const std::chrono::milliseconds delay = deadlines::decide() + std::chrono::milliseconds(deadlines::commit()) / 2;
    kept->thread_ = std::thread([raw = kept.get(), delay] { raw->run(delay); });
  } catch (const std::system_error& error) {
    return fail(error.what());
  }
  struct sigaction action {};
  action.sa_handler = cppc_on_sigcont;
  action.sa_flags = SA_RESTART;
  sigaction(SIGCONT, &action, &kept->before_);
  return kept;
}

LastImage::~LastImage() {
  if (!thread_.joinable()) return;
  sigaction(SIGCONT, &before_, nullptr);
  over_ = true;
  sem_post(wake_up());
  thread_.join();
  if (saved_) unlink(path_.c_str());
}

void LastImage::run(std::chrono::milliseconds delay) {
  sleep(delay);
  if (over_) return;
  saved_ = save();
  while (!over_) sleep(std::chrono::hours(1));
}

/// Without a name until it is complete: whatever happens meanwhile leaves nothing.
bool LastImage::save() {
  const auto fail = [this] {
    spdlog::critical("rank {}: its last image cannot be kept as {} on {}: {}", rank_, path_, node(),
                     std::strerror(errno));
    return false;
  };
  image_.seal();
  const UniqueFd file(open("/dev/shm", O_TMPFILE | O_WRONLY | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (file.get() < 0) return fail();
  if (!write_all(file.get(), pieces_of(image_))) return fail();
  const std::string nameless = "/proc/self/fd/" + std::to_string(file.get());
  if (linkat(AT_FDCWD, nameless.c_str(), AT_FDCWD, path_.c_str(), AT_SYMLINK_FOLLOW) != 0) return fail();
  spdlog::critical("rank {} is on its way to another node, and the job seems to end: its last image is {} on {}", rank_,
                   path_, node());
  return true;
}

}  // namespace cppc::migration
