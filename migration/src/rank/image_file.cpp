#include "image_file.hpp"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cppc/unique_fd.hpp"
#include "places.hpp"

namespace cppc::migration {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::size_t kPiece = std::size_t{4} << 20;   // what is written in one call
constexpr std::size_t kSmall = std::size_t{64} << 10;  // smaller extents are copied together

std::string reason() { return std::strerror(errno); }

/// Writes to a file what it hashes.
class HashedOutput {
 public:
  HashedOutput(int file, const std::function<bool(std::uint64_t)>& go_on)
      : file_(file), go_on_(&go_on), state_(XXH3_createState()) {
    XXH3_64bits_reset(state_.get());
    small_.reserve(kPiece);
  }

  bool add(Bytes bytes) {
    if (bytes.size() >= kSmall) return flush() && write_all(bytes);
    if (small_.size() + bytes.size() > kPiece && !flush()) return false;
    small_.insert(small_.end(), bytes.begin(), bytes.end());
    return true;
  }

  bool flush() {
    const bool written = write_all(small_);
    small_.clear();
    return written;
  }

  [[nodiscard]] bool unwanted() const { return unwanted_; }
  [[nodiscard]] WrittenFile result() const { return {written_, XXH3_64bits_digest(state_.get())}; }

 private:
  bool write_all(Bytes bytes) {
    while (!bytes.empty()) {
      if (unwanted_ = !(*go_on_)(written_); unwanted_) return false;
      const ssize_t written = write(file_, bytes.data(), std::min(bytes.size(), kPiece));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return false;
      const auto size = static_cast<std::size_t>(written);
      XXH3_64bits_update(state_.get(), bytes.data(), size);
      written_ += size;
      bytes = bytes.subspan(size);
    }
    return true;
  }

  struct FreeState {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  int file_;
  const std::function<bool(std::uint64_t)>* go_on_;
  std::unique_ptr<XXH3_state_t, FreeState> state_;
  std::vector<std::byte> small_;
  std::uint64_t written_ = 0;
  bool unwanted_ = false;
};

class Mapping {
 public:
  explicit Mapping(const std::string& path) {
    const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat state {};
    if (!file || fstat(file.get(), &state) != 0) return;
    const auto bytes = static_cast<std::size_t>(state.st_size);
    void* const start = mmap(nullptr, std::max<std::size_t>(bytes, 1), PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (start == MAP_FAILED) return;
    madvise(start, bytes, MADV_SEQUENTIAL);  // advice
    bytes_ = {static_cast<const std::byte*>(start), bytes};
    there_ = true;
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() {
    if (there_) munmap(const_cast<std::byte*>(bytes_.data()), std::max<std::size_t>(bytes_.size(), 1));
  }
  [[nodiscard]] bool there() const { return there_; }
  [[nodiscard]] Bytes bytes() const { return bytes_; }

 private:
  Bytes bytes_;
  bool there_ = false;
};

}  // namespace

tl::expected<WrittenFile, std::string> write_image(const image::Image& image, const std::string& path,
                                                   const std::function<bool(std::uint64_t done)>& go_on) {
  const auto failed = [&path](const std::string& why) { return tl::unexpected("cannot write " + path + ": " + why); };
  UniqueFd file(open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!file) return failed(reason());
  HashedOutput output(file.get(), go_on);
  const auto extents = image.extents();
  const bool written =
      std::ranges::all_of(extents, [&](const image::Extent& extent) { return output.add(extent.bytes); }) &&
      output.flush();
  if (output.unwanted()) return failed("given up");
  // File systems of networks may tell at the end that something could not be written.
  if (!written || fsync(file.get()) != 0 || close(file.release()) != 0) return failed(reason());
  return output.result();
}

cppc_status restore_from(const std::string& path, const cppc_runtime& runtime) {
  const Mapping file(path);
  if (!file.there()) {
    spdlog::error("cannot read the image {}: {}; the checkpoint has to be on storage that all nodes see", path,
                  reason());
    return CPPC_ERR_NOT_FOUND;
  }
  const auto reader = image::Reader::open(file.bytes());
  if (!reader || !reader->sealed()) {
    spdlog::error("the image {} is damaged; see cppc-image verify", path);
    return reader ? CPPC_ERR_IMAGE : reader.error();
  }
  const auto places = places_for(runtime, *reader, [] { return tl::expected<void, cppc_status>(); });
  if (!places) return places.error();
  for (const fabric::Place& place : *places)
    std::memcpy(place.memory.data(), file.bytes().data() + place.offset, place.memory.size());
  return runtime.restore_end();
}

}  // namespace cppc::migration
