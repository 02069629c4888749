/// An image from the blocks of the state, as the runtime visits them.
#pragma once

#include <tl/expected.hpp>
#include <utility>

#include "cppc/hooks.h"
#include "cppc/image.hpp"
#include "image_types.hpp"

namespace cppc::migration {

class ImageBuilder {
 public:
  static tl::expected<ImageBuilder, cppc_status> create();

  /// The block's data stays where it is, and has to stay as it is as long as the image lives.
  cppc_status add(const cppc_block& block);

  tl::expected<image::Image, cppc_status> finish() && { return std::move(writer_).finish(); }

 private:
  explicit ImageBuilder(image::Writer writer) : writer_(std::move(writer)) {}
  image::Writer writer_;
  TypeTranslator types_;
};

}  // namespace cppc::migration
