/// The bytes of an image, in the order of its file, for somebody who reads them once: contents from where they are, or
/// as they were when a snapshot was taken.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cppc/image.hpp"
#include "memory_snapshot.hpp"

namespace cppc::migration {

class ImageBytes {
 public:
  using Sink = std::function<bool(std::span<const std::byte>)>;

  /// Both outlive it; null: the contents are where the image says.
  ImageBytes(const image::Image& image, const MemorySnapshot* snapshot) : image_(&image), snapshot_(snapshot) {}

  /// Shows all bytes, in pieces of any size, until one of the two says no. False then, or, with error(), when they
  /// cannot be read.
  bool show_all(const Sink& contents, const Sink& head);

  /// Why they cannot be read; empty: they can.
  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  bool show(std::span<const image::Extent> contents, const Sink& sink);
  bool show_gathered(const Sink& sink);

  const image::Image* image_;
  const MemorySnapshot* snapshot_;
  std::vector<std::byte> buffer_;
  std::vector<iovec> gathered_;  ///< pieces of the snapshot's memory, for the buffer
  std::size_t bytes_ = 0;        ///< of these
  std::string error_;
};

}  // namespace cppc::migration
