/// An image that is as small as images can be.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>

#include "cppc/image.hpp"

namespace cppc::test {

/// The file of a rank whose state is one number.
inline std::string small_image(std::uint64_t number) {
  auto writer = image::Writer::create();
  image::Object object{.path = "heap/number", .count = sizeof number};
  object.type = std::make_shared<image::Type>();
  object.data = std::as_bytes(std::span(&number, 1));
  EXPECT_TRUE(writer->add(object));
  auto image = std::move(*writer).finish();
  image->seal();
  std::string file;
  for (const auto& extent : image->extents())
    file.append(reinterpret_cast<const char*>(extent.bytes.data()), extent.bytes.size());
  return file;
}

}  // namespace cppc::test
