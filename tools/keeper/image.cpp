#include "image.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cppc/file_hash.hpp"

namespace cppc::keeper {
namespace {

using tools::error;

std::string reason() { return std::strerror(errno); }

std::uint64_t hash_of_zeros(std::size_t bytes) {
  static const std::vector<std::byte> zeros(chunk_bytes);
  static const std::uint64_t whole = hash_of(zeros);
  return bytes == chunk_bytes ? whole : hash_of(std::span(zeros).first(bytes));
}

}  // namespace

Result<UniqueFd> Image::file() {
  UniqueFd file(memfd_create("cppc-image", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file) return error("no file in memory: " + reason());
  return file;
}

Result<Held> Image::seal(UniqueFd file, std::uint64_t bytes) {
  if (fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) != 0)
    return error("it cannot be sealed: " + reason());
  struct stat state {};
  if (fstat(file.get(), &state) != 0) return error("it cannot be read: " + reason());
  if (static_cast<std::uint64_t>(state.st_size) != bytes || bytes == 0)
    return error("it has " + std::to_string(state.st_size) + " bytes instead of " + std::to_string(bytes));
  void* const start = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (start == MAP_FAILED) return error("it cannot be read: " + reason());
  std::shared_ptr<Image> image(new Image(std::move(file), {static_cast<const std::byte*>(start), bytes}));
  image->hash();
  return image;
}

Result<Held> Image::take(UniqueFd file, std::uint64_t bytes, std::uint64_t xxh3) {
  auto image = seal(std::move(file), bytes);
  if (image && (*image)->xxh3_ != xxh3) return error("it has another checksum than the rank has told");
  return image;
}

Image::~Image() { munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size()); }

std::span<const std::byte> Image::chunk(std::size_t index) const {
  const auto rest = bytes_.subspan(index * chunk_bytes);
  return rest.first(std::min(rest.size(), chunk_bytes));
}

bool Image::is_zero(std::size_t index) const { return chunks_[index] == hash_of_zeros(chunk(index).size()); }

// Both checksums while a chunk is in the processor's caches.
void Image::hash() {
  FileHash all;
  chunks_.resize(chunk_count(bytes_.size()));
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    all.add(chunk(i));
    chunks_[i] = hash_of(chunk(i));
  }
  xxh3_ = all.sum();
}

std::uint64_t hash_of(std::span<const std::byte> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

Result<void> write_at(const UniqueFd& file, std::span<const std::byte> bytes, std::uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t written = pwrite(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return error("no memory for an image: " + reason());
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
  return {};
}

Result<void> read_at(const UniqueFd& file, std::span<std::byte> bytes, std::uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t got = pread(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return error("an image cannot be read: " + reason());
    if (got == 0) return error("an image is shorter than it has to be");
    bytes = bytes.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
  return {};
}

}  // namespace cppc::keeper
