#include "append_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace cppc::health {
namespace {

using tools::error;

tl::unexpected<std::string> cannot(const char* what, const std::filesystem::path& path) {
  return error(std::string("cannot ") + what + " " + path.string() + ": " + std::strerror(errno));
}

bool write_all(int file, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = ::write(file, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    done += static_cast<std::size_t>(written);
  }
  return true;
}

}  // namespace

Result<AppendFile> AppendFile::open(const std::filesystem::path& path) {
  UniqueFd file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return cannot("open", path);
  return AppendFile(path, std::move(file));
}

Result<void> AppendFile::append(const std::string& lines) {
  struct stat before {};
  if (fstat(file_.get(), &before) != 0) return cannot("write", path_);
  if (write_all(file_.get(), lines) && fdatasync(file_.get()) == 0) return {};
  auto failure = cannot("write", path_);
  if (S_ISREG(before.st_mode) && ftruncate(file_.get(), before.st_size) != 0)
    return error(failure.value() + ", nor take back what was written of it: " + std::strerror(errno));
  return failure;
}

Result<void> replace_file(const std::filesystem::path& path, const std::string& text) {
  const std::filesystem::path next = path.string() + ".new";
  UniqueFd file(::open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file || !write_all(file.get(), text) || fsync(file.get()) != 0) return cannot("write", next);
  if (rename(next.c_str(), path.c_str()) != 0) return cannot("replace", path);
  const UniqueFd directory(::open(path.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory || fsync(directory.get()) != 0) return cannot("write", path.parent_path());
  return {};
}

}  // namespace cppc::health
