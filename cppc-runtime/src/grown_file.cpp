#include "grown_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "log.hpp"

namespace {
constinit bool may_have_grown = false;
}

void cppc::expect_grown_files() { may_have_grown = true; }

bool cppc::files_may_have_grown() { return may_have_grown; }

cppc_status cppc::cut_to_image(int descriptor, std::int64_t size, std::string_view path) {
  if (!may_have_grown) return CPPC_OK;
  struct stat now {};
  if (fstat(descriptor, &now) == 0 && now.st_size <= size) return CPPC_OK;
  if (ftruncate(descriptor, size) == 0) return CPPC_OK;
  log().error("{} cannot be cut to the {} bytes that it had when the image was made: {}", path, size,
              std::strerror(errno));
  return CPPC_ERR_SYSTEM;
}
