#include "grown_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "cppc/unique_fd.hpp"
#include "log.hpp"
#include "never_destroyed.hpp"

namespace cppc {

namespace {

/// By its name: until the program goes on, all numbers of descriptors may be taken.
struct Grown {
  ino_t inode;
  std::int64_t size;
  std::string path;
};

constinit bool may_have_grown = false;

std::vector<Grown>& grown() {
  static NeverDestroyed<std::vector<Grown>> files;
  return *files;
}

cppc_status failed(std::string_view path, std::int64_t size) {
  log().error("{} cannot be cut to the {} bytes that it had when the image was made: {}", path, size,
              std::strerror(errno));
  return CPPC_ERR_SYSTEM;
}

}  // namespace

void expect_grown_files() { may_have_grown = true; }

bool files_may_have_grown() { return may_have_grown; }

cppc_status cut_to_image(int descriptor, std::int64_t size, std::string_view path) {
  struct stat now {};
  if (!may_have_grown) return CPPC_OK;
  if (fstat(descriptor, &now) != 0) return failed(path, size);
  if (now.st_size > size) grown().push_back({now.st_ino, size, std::string(path)});
  return CPPC_OK;
}

cppc_status cut_grown_files() {
  for (const auto& [inode, size, path] : std::exchange(grown(), {})) {
    const UniqueFd file(open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
    struct stat now {};
    if (!file || fstat(file.get(), &now) != 0) return failed(path, size);
    if (now.st_ino != inode) errno = ESTALE;
    if (now.st_ino != inode || ftruncate(file.get(), size) != 0) return failed(path, size);
  }
  return CPPC_OK;
}

}  // namespace cppc
