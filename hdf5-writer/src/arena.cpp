#include "arena.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "failure.hpp"

namespace cppc::image {

namespace {

constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

std::size_t whole_pages(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

}  // namespace

tl::expected<Arena, cppc_status> Arena::allocate(std::size_t bytes) {
  const std::size_t length = whole_pages(std::max<std::size_t>(bytes, 1));
  void* start = ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) {
    return failure(CPPC_ERR_MEMORY, "image: no memory for {} bytes: {}", length, std::strerror(errno));
  }
  Arena arena({static_cast<std::byte*>(start), length});
  if (length >= huge_page_bytes) {
    ::madvise(start, length, MADV_HUGEPAGE);  // advice: without it the image is only slower to build
  }
  if (::madvise(start, length, MADV_POPULATE_WRITE) != 0 && errno != EINVAL) {  // EINVAL: Linux before 5.14
    return failure(CPPC_ERR_MEMORY, "image: no memory for {} bytes: {}", length, std::strerror(errno));
  }
  return arena;
}

Arena::Arena(Arena&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

Arena& Arena::operator=(Arena&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

Arena::~Arena() {
  if (!bytes_.empty()) {
    ::munmap(bytes_.data(), bytes_.size());
  }
}

bool Arena::grow(std::size_t bytes) {
  if (bytes <= bytes_.size()) {
    return true;
  }
  const std::size_t length = whole_pages(bytes + bytes / 2);
  void* start = ::mremap(bytes_.data(), bytes_.size(), length, MREMAP_MAYMOVE);
  if (start == MAP_FAILED) {
    return false;
  }
  bytes_ = {static_cast<std::byte*>(start), length};
  return true;
}

}  // namespace cppc::image
