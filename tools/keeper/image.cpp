#include "image.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cppc/file_hash.hpp"

namespace cppc::keeper {
namespace {

using tools::error;

std::string reason() { return std::strerror(errno); }

}  // namespace

Result<UniqueFd> Image::file() {
  UniqueFd file(memfd_create("cppc-image", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file) return error("no file in memory: " + reason());
  return file;
}

Result<Held> Image::take(UniqueFd file, std::uint64_t bytes, std::uint64_t xxh3) {
  if (fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) != 0)
    return error("it cannot be sealed: " + reason());
  struct stat state {};
  if (fstat(file.get(), &state) != 0) return error("it cannot be read: " + reason());
  if (static_cast<std::uint64_t>(state.st_size) != bytes || bytes == 0)
    return error("it has " + std::to_string(state.st_size) + " bytes instead of " + std::to_string(bytes));
  void* const start = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (start == MAP_FAILED) return error("it cannot be read: " + reason());
  const std::shared_ptr<Image> image(new Image(std::move(file), {static_cast<const std::byte*>(start), bytes}));
  image->hash();
  if (image->xxh3_ != xxh3) return error("it has another checksum than the rank has told");
  return image;
}

Image::~Image() { munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size()); }

std::span<const std::byte> Image::chunk(std::size_t index) const {
  const auto rest = bytes_.subspan(index * chunk_bytes);
  return rest.first(std::min(rest.size(), chunk_bytes));
}

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

}  // namespace cppc::keeper
