#include "mapped_file.hpp"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace cppc::image {

namespace {

tl::unexpected<cppc_status> refused(const char* what) {
  spdlog::error("cannot {}: {}", what, std::strerror(errno));
  return tl::make_unexpected(CPPC_ERR_SYSTEM);
}

/// The open file, mapped; an empty one has no mapping.
tl::expected<std::span<const std::byte>, cppc_status> map(int file) {
  struct stat about {};
  if (::fstat(file, &about) != 0) {
    return refused("stat");
  }
  if (!S_ISREG(about.st_mode)) {
    spdlog::error(S_ISDIR(about.st_mode) ? "it is a directory: only cppc-image verify takes one"
                                         : "it is no regular file");
    return tl::make_unexpected(CPPC_ERR_SYSTEM);
  }
  const auto bytes = static_cast<std::size_t>(about.st_size);
  if (bytes == 0) {
    return std::span<const std::byte>();
  }
  void* start = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
  if (start == MAP_FAILED) {
    return refused("map");
  }
  return std::span(static_cast<const std::byte*>(start), bytes);
}

}  // namespace

tl::expected<MappedFile, cppc_status> MappedFile::open(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return refused("open");
  }
  auto bytes = map(file);
  ::close(file);
  return bytes.map([](std::span<const std::byte> mapped) { return MappedFile(mapped); });
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) {
    ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  }
}

}  // namespace cppc::image
