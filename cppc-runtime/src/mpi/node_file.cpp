#include "mpi/node_file.hpp"

#include <fcntl.h>
#include <mpi.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <system_error>

#include "cppc/unique_fd.hpp"
#include "log.hpp"

namespace cppc::mpi {

namespace {

std::string reason() { return std::error_code(errno, std::generic_category()).message(); }

cppc_status refused(const std::string& path, std::string_view why) {
  log().error("the open MPI file {} {}", path, why);
  return CPPC_ERR_UNSUPPORTED;
}

int open_flags(int mode) {
  if ((mode & MPI_MODE_RDWR) != 0) return O_RDWR;
  return (mode & MPI_MODE_WRONLY) != 0 ? O_WRONLY : O_RDONLY;
}

}  // namespace

NodeFile NodeFile::at(const std::string& path) {
  struct stat here {};
  if (stat(path.c_str(), &here) != 0) return {};
  return {.device = here.st_dev, .number = here.st_ino, .regular = S_ISREG(here.st_mode)};
}

bool writable(int mode) { return (mode & MPI_MODE_RDONLY) == 0; }

tl::expected<std::int64_t, cppc_status> flush(const std::string& path, int mode, const NodeFile& opened) {
  // Another descriptor than MPI's, which nobody can ask for: all of them share what this node has written.
  const UniqueFd file(open(path.c_str(), open_flags(mode) | O_CLOEXEC));
  struct stat here {};
  if (file.get() < 0 || fstat(file.get(), &here) != 0 || here.st_dev != opened.device || here.st_ino != opened.number) {
    return tl::unexpected(
        refused(path, "has been removed or replaced since it was opened, so it cannot be opened again"));
  }
  if (!S_ISREG(here.st_mode)) return 0;
  if (writable(mode) && fsync(file.get()) != 0) {
    return tl::unexpected(refused(path, "cannot be written: " + reason()));
  }
  return here.st_size;
}

cppc_status check(const std::string& path, int mode, std::int64_t size) {
  const UniqueFd file(open(path.c_str(), open_flags(mode) | O_CLOEXEC));
  if (file.get() < 0) {
    return refused(path, "of the program cannot be opened on this node: " + reason() +
                             "; it has to be on storage that all nodes share");
  }
  struct stat here {};
  if (fstat(file.get(), &here) != 0 || (S_ISREG(here.st_mode) && here.st_size < size)) {
    return refused(path,
                   "is another file on this node, shorter than the one that the program has opened; it has to be on "
                   "storage that all nodes share");
  }
  return CPPC_OK;
}

}  // namespace cppc::mpi
