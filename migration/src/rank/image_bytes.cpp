#include "image_bytes.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ranges>

namespace cppc::migration {
namespace {

/// What is read at a time: still in the processor's caches when it is looked at.
constexpr std::size_t kPiece = std::size_t{512} << 10;

}  // namespace

bool ImageBytes::show_all(const Sink& contents_sink, const Sink& head_sink) {
  auto contents = image_->contents();
  for (const image::Extent& head : image_->head()) {
    const auto behind = std::ranges::lower_bound(contents, head.offset, {}, &image::Extent::offset);
    const auto before = contents.first(static_cast<std::size_t>(behind - contents.begin()));
    if (!show(before, contents_sink) || !head_sink(head.bytes)) return false;
    contents = contents.subspan(before.size());
  }
  return show(contents, contents_sink);
}

bool ImageBytes::show(std::span<const image::Extent> contents, const Sink& sink) {
  if (snapshot_ == nullptr)
    return std::ranges::all_of(contents, [&](const image::Extent& extent) { return sink(extent.bytes); });
  buffer_.resize(kPiece);
  for (const image::Extent& extent : contents) {
    for (auto rest = extent.bytes; !rest.empty();) {
      const auto piece = rest.first(std::min(rest.size(), kPiece - bytes_));
      gathered_.push_back({const_cast<std::byte*>(piece.data()), piece.size()});
      bytes_ += piece.size();
      rest = rest.subspan(piece.size());
      const bool full = bytes_ == kPiece || gathered_.size() == MemorySnapshot::most_pieces;
      if (full && !show_gathered(sink)) return false;
    }
  }
  return show_gathered(sink);
}

bool ImageBytes::show_gathered(const Sink& sink) {
  if (bytes_ == 0) return true;
  const auto bytes = std::span(buffer_).first(bytes_);
  const bool read = snapshot_->read(gathered_, bytes);
  if (!read) error_ = std::string("its copy of the memory cannot be read: ") + std::strerror(errno);
  gathered_.clear();
  bytes_ = 0;
  return read && sink(bytes);
}

}  // namespace cppc::migration
