#include "image_file.hpp"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <span>
#include <utility>

#include "cppc/checkpoint_files.hpp"
#include "cppc/file_hash.hpp"
#include "cppc/keeper.hpp"
#include "cppc/unique_fd.hpp"
#include "image_bytes.hpp"
#include "image_output.hpp"
#include "places.hpp"

namespace cppc::migration {
namespace {

using Bytes = std::span<const std::byte>;

static_assert(image::header_bytes <= FileHash::first_bytes);  // what seal() changes is hashed last

std::string reason() { return std::strerror(errno); }

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
  auto file = make_file(place, image.size());
  if (!file) return tl::unexpected(file.error());
  ImageBytes bytes(image, snapshot);
  ImageOutput output(file->get(), go_on);
  const bool sealed = image.seal([&](const auto& add) {
    const auto add_contents = [&](Bytes piece) {
      add(piece);
      return output.add(piece);
    };
    return bytes.show_all(add_contents, [&](Bytes piece) { return output.add(piece); });
  });
  if (!bytes.error().empty()) return unwritten(bytes.error());
  const bool written = sealed && output.finish(image.head().front().bytes.first(image::header_bytes));
  if (output.unwanted()) return unwritten("given up");
  if (!written || close(file->release()) != 0) return unwritten(reason());
  return WrittenFile{output.bytes(), output.hash()};
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
