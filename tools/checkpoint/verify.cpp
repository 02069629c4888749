#include "verify.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <span>

#include "cppc/checkpoint_files.hpp"
#include "cppc/file_hash.hpp"
#include "cppc/image.hpp"
#include "cppc/unique_fd.hpp"
#include "image_head.hpp"

namespace cppc::checkpoint {
namespace {

namespace fs = std::filesystem;

// Read-only; not empty.
class Mapping {
 public:
  static std::optional<Mapping> of(const fs::path& path, std::size_t bytes) {
    const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) return std::nullopt;
    void* const start = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (start == MAP_FAILED) return std::nullopt;
    return Mapping({static_cast<const std::byte*>(start), bytes});
  }
  Mapping(Mapping&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  Mapping& operator=(Mapping&&) = delete;
  ~Mapping() {
    if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  explicit Mapping(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::span<const std::byte> bytes_;
};

fs::path file_of(const Checkpoint& checkpoint, std::size_t rank) {
  return checkpoint.directory / image_file(static_cast<int>(rank));
}

// Empty: it is there.
std::string missing_part(const Checkpoint& checkpoint, std::size_t rank) {
  const fs::path path = file_of(checkpoint, rank);
  const std::uint64_t expected = checkpoint.manifest.images[rank].bytes;
  struct stat state {};
  if (stat(path.c_str(), &state) != 0) return path.string() + " is not there: " + std::strerror(errno);
  if (!S_ISREG(state.st_mode)) return path.string() + " is not a file";
  const std::uint64_t head = checkpoint.manifest.images[rank].head;
  if (static_cast<std::uint64_t>(state.st_size) == expected)
    return head == 0 || head_hash(path) == head ? "" : path.string() + " is not the image that the manifest lists";
  return path.string() + " has " + std::to_string(state.st_size) + " bytes, and the manifest says " +
         std::to_string(expected);
}

std::string damage_of(const Checkpoint& checkpoint, std::size_t rank) {
  if (std::string missing = missing_part(checkpoint, rank); !missing.empty()) return missing;
  const fs::path path = file_of(checkpoint, rank);
  const RankImage& expected = checkpoint.manifest.images[rank];
  if (expected.bytes == 0) return path.string() + " is empty";
  const auto file = Mapping::of(path, expected.bytes);
  if (!file) return "cannot read " + path.string() + ": " + std::strerror(errno);
  if (FileHash::of(file->bytes()) != expected.xxh3)
    return path.string() + " has another checksum than the manifest says";
  const auto reader = image::Reader::open(file->bytes());
  if (!reader) return path.string() + " is not the image of a rank";
  return reader->sealed() ? "" : path.string() + " is an image without a checksum of its contents";
}

std::vector<std::string> all(const Checkpoint& checkpoint, std::string (*find)(const Checkpoint&, std::size_t)) {
  std::vector<std::string> sentences;
  for (std::size_t rank = 0; rank < checkpoint.manifest.images.size(); ++rank)
    if (std::string sentence = find(checkpoint, rank); !sentence.empty()) sentences.push_back(std::move(sentence));
  return sentences;
}

}  // namespace

std::vector<std::string> missing_parts(const Checkpoint& checkpoint) { return all(checkpoint, missing_part); }

std::vector<std::string> damage(const Checkpoint& checkpoint) { return all(checkpoint, damage_of); }

}  // namespace cppc::checkpoint
