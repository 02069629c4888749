#include "image_output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

namespace cppc::migration {
namespace {

constexpr std::size_t kAtOnce = std::size_t{4} << 20;     // what is written in one call
constexpr std::size_t kSmall = std::size_t{64} << 10;     // smaller pieces are copied together
constexpr std::size_t kAlignment = std::size_t{1} << 12;  // what devices ask for, mostly

std::byte* allocate() {
  void* const memory = std::aligned_alloc(kAlignment, kAtOnce);
  if (memory == nullptr) throw std::bad_alloc();
  return static_cast<std::byte*>(memory);
}

bool set_direct(int file, bool direct) {
  const int flags = fcntl(file, F_GETFL);
  return flags >= 0 && fcntl(file, F_SETFL, direct ? flags | O_DIRECT : flags & ~O_DIRECT) == 0;
}

}  // namespace

void ImageOutput::Free::operator()(std::byte* memory) const { std::free(memory); }

ImageOutput::ImageOutput(int file, std::function<bool(std::uint64_t written)> go_on)
    : file_(file), go_on_(std::move(go_on)), direct_(set_direct(file, true)), buffer_(allocate()) {}

bool ImageOutput::add(Bytes bytes) {
  hash_.add(bytes);
  if (!direct_ && bytes.size() >= kSmall) return flush() && write_all(bytes);
  while (!bytes.empty()) {
    const std::size_t size = std::min(bytes.size(), kAtOnce - filled_);
    std::memcpy(buffer_.get() + filled_, bytes.data(), size);
    filled_ += size;
    bytes = bytes.subspan(size);
    if (filled_ == kAtOnce && !flush()) return false;
  }
  return true;
}

bool ImageOutput::flush() {
  const bool written = write_all({buffer_.get(), filled_});
  filled_ = 0;
  return written;
}

/// What is left of it is not aligned.
bool ImageOutput::write_through_cache() {
  direct_ = false;
  return set_direct(file_, false);
}

bool ImageOutput::write_all(Bytes bytes) {
  while (!bytes.empty()) {
    if (unwanted_ = !go_on_(written_); unwanted_) return false;
    const ssize_t written = write(file_, bytes.data(), std::min(bytes.size(), kAtOnce));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EINVAL && direct_ && write_through_cache()) continue;
    if (written < 0) return false;
    const auto size = static_cast<std::size_t>(written);
    written_ += size;
    bytes = bytes.subspan(size);
  }
  return true;
}

bool ImageOutput::finish(Bytes start) {
  if (direct_ && !write_through_cache()) return false;
  if (!flush()) return false;
  hash_.replace_start(start);
  for (std::uint64_t offset = 0; offset < start.size();) {
    const ssize_t written = pwrite(file_, start.data() + offset, start.size() - offset, static_cast<off_t>(offset));
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) offset += static_cast<std::uint64_t>(written);
  }
  return fsync(file_) == 0;  // where file systems of networks may tell that something could not be written
}

}  // namespace cppc::migration
