#include "grown_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "extension.hpp"
#include "log.hpp"

cppc_status cppc::cut_to_image(int descriptor, std::int64_t size, std::string_view path) {
  if (!extension::restarts()) return CPPC_OK;
  struct stat now {};
  if (fstat(descriptor, &now) == 0 && now.st_size <= size) return CPPC_OK;
  if (ftruncate(descriptor, size) == 0) return CPPC_OK;
  log().error("{} cannot be cut to the {} bytes that it had when the image was made: {}", path, size,
              std::strerror(errno));
  return CPPC_ERR_SYSTEM;
}
