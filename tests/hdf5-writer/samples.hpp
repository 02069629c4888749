/// What the tests of images share: types, and images from objects.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cppc/image.hpp"

namespace cppc::image::samples {

using TypePointer = std::shared_ptr<const Type>;
using Bytes = std::vector<std::byte>;

inline TypePointer scalar(Class cls, std::size_t size, std::string name) {
  return std::make_shared<const Type>(Type{cls, size, std::move(name), {}});
}

inline const TypePointer int32 = scalar(Class::signed_integer, 4, "int");
inline const TypePointer uint8 = scalar(Class::unsigned_integer, 1, "char");
inline const TypePointer float64 = scalar(Class::floating, 8, "double");
inline const TypePointer pointer = scalar(Class::reference, 8, "pointer");
inline const TypePointer raw = scalar(Class::bytes, 1, "byte");

/// A structure with an array, a nested structure and padding.
struct Particle {
  std::int32_t id;
  double position[3];
  struct Link {
    std::uint64_t next;
    char tag;
  } link;
};

/// Padding is zero as well, so that equal ones have equal bytes.
inline std::vector<Particle> particles(std::size_t count) {
  std::vector<Particle> all(count);
  std::memset(all.data(), 0, count * sizeof(Particle));
  for (auto& one : all) {
    one.id = 7;
    one.position[0] = 1.5;
    one.position[1] = -2.5;
    one.link.next = 12;
    one.link.tag = 'x';
  }
  return all;
}

inline const TypePointer link_type = std::make_shared<const Type>(
    Type{Class::structure,
         sizeof(Particle::Link),
         "link",
         {{"next", offsetof(Particle::Link, next), 1, pointer}, {"tag", offsetof(Particle::Link, tag), 1, uint8}}});
inline const TypePointer particle =
    std::make_shared<const Type>(Type{Class::structure,
                                      sizeof(Particle),
                                      "particle",
                                      {{"id", offsetof(Particle, id), 1, int32},
                                       {"position", offsetof(Particle, position), 3, float64},
                                       {"link", offsetof(Particle, link), 1, link_type}}});

template <class T>
Object object(std::string path, TypePointer type, const std::vector<T>& elements) {
  return {std::move(path), std::move(type), elements.size(), std::as_bytes(std::span(elements))};
}

inline Image build(const std::vector<Object>& objects, Storage storage = Storage::scattered) {
  auto writer = Writer::create(storage);
  EXPECT_TRUE(writer);
  for (const auto& object : objects) {
    EXPECT_TRUE(writer->add(object)) << object.path;
  }
  auto image = std::move(*writer).finish();
  EXPECT_TRUE(image);
  return std::move(*image);
}

/// The file, as a receiver or a disk gets it.
inline Bytes file_of(const Image& image) {
  Bytes file;
  for (const auto& extent : image.extents()) {
    EXPECT_EQ(extent.offset, file.size());
    file.insert(file.end(), extent.bytes.begin(), extent.bytes.end());
  }
  EXPECT_EQ(file.size(), image.size());
  return file;
}

/// With a checksum of the contents.
inline Bytes file_of(const std::vector<Object>& objects) {
  Image image = build(objects);
  image.seal();
  return file_of(image);
}

/// A small image with one object of every kind: packed, whole, with holes, in the head, dead, empty.
inline Bytes varied_file() {
  const std::vector<std::int32_t> numbers = {1, -2, 3};
  const auto some_particles = particles(2);
  std::vector<double> sparse(2048, 0.0);
  sparse[0] = 1;
  sparse[1800] = 2;
  const std::vector<Part> holes{{8, 14000}, {14408, 1976}};
  Object with_holes = object("heap/sparse", float64, sparse);
  with_holes.holes = holes;
  Object first = object("runtime/first", int32, numbers);
  first.in_head = true;
  return file_of({first,
                  object("global/numbers", int32, numbers),
                  object("heap/1", particle, some_particles),
                  with_holes,
                  {"heap/dead", float64, 5, {}},
                  {"heap/empty", int32, 0, {}}});
}

}  // namespace cppc::image::samples
