#include "image_file.hpp"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cppc/checkpoint_files.hpp"
#include "cppc/keeper.hpp"
#include "cppc/unique_fd.hpp"
#include "image_bytes.hpp"
#include "places.hpp"

namespace cppc::migration {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::size_t kAtOnce = std::size_t{4} << 20;  // what is written in one call
constexpr std::size_t kSmall = std::size_t{64} << 10;  // smaller extents are copied together

std::string reason() { return std::strerror(errno); }

/// Writes to a file what it hashes.
class HashedOutput {
 public:
  HashedOutput(int file, std::function<bool(std::uint64_t)> go_on)
      : file_(file), go_on_(std::move(go_on)), state_(XXH3_createState()) {
    XXH3_64bits_reset(state_.get());
    small_.reserve(kAtOnce);
  }

  bool add(Bytes bytes) {
    if (bytes.size() >= kSmall) return flush() && write_all(bytes);
    if (small_.size() + bytes.size() > kAtOnce && !flush()) return false;
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
      if (unwanted_ = !go_on_(written_); unwanted_) return false;
      const ssize_t written = write(file_, bytes.data(), std::min(bytes.size(), kAtOnce));
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
  std::function<bool(std::uint64_t)> go_on_;
  std::unique_ptr<XXH3_state_t, FreeState> state_;
  std::vector<std::byte> small_;
  std::uint64_t written_ = 0;
  bool unwanted_ = false;
};

class Mapping {
 public:
  explicit Mapping(const UniqueFd& file) {
    struct stat state {};
    if (fstat(file.get(), &state) != 0) return;
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

tl::expected<UniqueFd, std::string> failed(const std::string& doing, const std::string& name, const std::string& why) {
  return tl::unexpected("cannot " + doing + ' ' + name + ": " + why);
}

std::string name_of(const ImagePlace& place) {
  return place.checkpoint + (checkpoint::set_in_memory(place.checkpoint) ? ", rank " + std::to_string(place.rank)
                                                                         : '/' + checkpoint::image_file(place.rank));
}

std::string job() {
  const char* const name = std::getenv("CPPC_JOB");
  return name == nullptr ? "" : name;
}

tl::expected<UniqueFd, std::string> make_file(const ImagePlace& place, std::uint64_t bytes) {
  if (const auto set = checkpoint::set_in_memory(place.checkpoint)) return keeper::make(job(), *set, place.rank, bytes);
  UniqueFd file(open(name_of(place).c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, S_IRUSR | S_IWUSR));
  return file ? tl::expected<UniqueFd, std::string>(std::move(file)) : failed("write", name_of(place), reason());
}

tl::expected<UniqueFd, std::string> find_file(const ImagePlace& place) {
  if (const auto set = checkpoint::set_in_memory(place.checkpoint)) return keeper::find(job(), *set, place.rank);
  UniqueFd file(open(name_of(place).c_str(), O_RDONLY | O_CLOEXEC));
  if (file) return file;
  return failed("read", name_of(place), reason() + "; the checkpoint has to be on storage that all nodes see");
}

}  // namespace

tl::expected<WrittenFile, std::string> write_image(image::Image& image, const MemorySnapshot* snapshot,
                                                   const ImagePlace& place,
                                                   const std::function<bool(std::uint64_t done)>& go_on) {
  const auto unwritten = [&](const std::string& why) {
    return tl::unexpected("cannot write " + name_of(place) + ": " + why);
  };
  ImageBytes bytes(image, snapshot);
  std::uint64_t sealed_bytes = 0;
  const bool sealed = image.seal([&](const auto& add) {
    return bytes.show_contents([&](Bytes piece) {
      add(piece);
      sealed_bytes += piece.size();
      return go_on(sealed_bytes / 2);
    });
  });
  if (!sealed) return unwritten(bytes.error().empty() ? "given up" : bytes.error());
  auto file = make_file(place, image.size());
  if (!file) return tl::unexpected(file.error());
  HashedOutput output(file->get(), [&](std::uint64_t written) { return go_on((image.size() + written) / 2); });
  const bool written = bytes.show_all([&](Bytes piece) { return output.add(piece); }) && output.flush();
  if (!bytes.error().empty()) return unwritten(bytes.error());
  if (output.unwanted()) return unwritten("given up");
  // File systems of networks may tell at the end that something could not be written.
  if (!written || fsync(file->get()) != 0 || close(file->release()) != 0) return unwritten(reason());
  return output.result();
}

cppc_status restore_from(const ImagePlace& place, const cppc_runtime& runtime) {
  const auto opened = find_file(place);
  if (!opened) {
    spdlog::error("the image {} is not there: {}", name_of(place), opened.error());
    return CPPC_ERR_NOT_FOUND;
  }
  const Mapping file(*opened);
  if (!file.there()) {
    spdlog::error("cannot read the image {}: {}", name_of(place), reason());
    return CPPC_ERR_SYSTEM;
  }
  const auto reader = image::Reader::open(file.bytes());
  if (!reader || !reader->sealed()) {
    spdlog::error("the image {} is damaged; see cppc-image verify", name_of(place));
    return reader ? CPPC_ERR_IMAGE : reader.error();
  }
  const auto places = places_for(runtime, *reader, [] { return tl::expected<void, cppc_status>(); });
  if (!places) return places.error();
  for (const fabric::Place& one : *places)
    std::memcpy(one.memory.data(), file.bytes().data() + one.offset, one.memory.size());
  return runtime.restore_end();
}

}  // namespace cppc::migration
