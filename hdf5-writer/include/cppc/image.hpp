/// Images: the state of a rank as an HDF5 file in memory. Typed spans in, extents out; and back.
///
/// A Writer and a Reader are used by one thread at a time. Different ones are independent, except that Writer::create
/// and finish enter HDF5, which one thread of a process may do at a time, the program's own uses of it included. Sizes
/// and offsets are in bytes. Nothing throws; errors are a cppc_status, logged by name where first met.
/// hdf5-writer/FORMAT.md says what an image looks like to HDF5 tools.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "cppc/status.h"

namespace cppc::image {

enum class Class { bytes, signed_integer, unsigned_integer, floating, complex, reference, structure };

struct Member;

/// An element type. A `reference` is a number that names something else in the state (an encoded pointer or handle).
/// Structures keep the layout of the process that wrote them: offsets, padding, size. Their members do not overlap
/// (unions are bytes) and may be nested 64 deep. Names have at most 1024 bytes; types less than 4 GiB.
struct Type {
  Class cls = Class::bytes;
  std::size_t size = 1;
  std::string name;
  std::vector<Member> members;  // structures only
};

struct Member {
  std::string name;
  std::size_t offset = 0;
  std::size_t count = 1;
  std::shared_ptr<const Type> type;
};

/// Bytes of an object, from its start.
struct Part {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

/// An object: `count` elements of `type` at `data`, which is empty when only the object's existence is recorded (its
/// contents are dead). `holes` are parts of it that are dead: whole elements, in rising order, apart from each other.
/// `path` is "section/name", of at most 1024 bytes, unique in the image; a name may itself contain slashes.
struct Object {
  std::string path;
  std::shared_ptr<const Type> type;
  std::uint64_t count = 0;
  std::span<const std::byte> data;
  std::span<const Part> holes;
};

/// A piece of the file: it belongs at `offset`. Extents do not overlap, are in rising order, and cover the file.
struct Extent {
  std::uint64_t offset = 0;
  std::span<const std::byte> bytes;
};

/// A finished image; owns what its extents point to, except program memory that was given to the Writer, which must
/// neither change nor go before the image does.
class Image {
 public:
  Image(Image&&) noexcept;
  Image& operator=(Image&&) noexcept;
  ~Image();
  [[nodiscard]] std::span<const Extent> extents() const;
  [[nodiscard]] std::uint64_t size() const;         ///< of the file
  [[nodiscard]] std::uint64_t state_bytes() const;  ///< contents of the objects added
  [[nodiscard]] std::uint64_t zero_bytes() const;   ///< of these, left out because they were zero

 private:
  friend class Writer;
  struct Impl;
  explicit Image(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

class Writer {
 public:
  /// Takes the memory for about `expected_bytes` of objects. That costs more than to fill it: create the writer while
  /// the program still works, add and finish when it has stopped. CPPC_ERR_MEMORY when there is not as much;
  /// CPPC_ERR_MISMATCH when the process has loaded another HDF5 than this library was built for.
  static tl::expected<Writer, cppc_status> create(std::uint64_t expected_bytes);
  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;
  ~Writer();

  /// `object.data` must stay unchanged until the image is gone. CPPC_ERR_ARGUMENT when path, type or size make no
  /// sense; CPPC_ERR_UNSUPPORTED when the type is beyond what an image can hold. Copies no contents.
  tl::expected<void, cppc_status> add(const Object& object);

  /// Makes the file, with a checksum over everything. The writer is used up.
  tl::expected<Image, cppc_status> finish() &&;

 private:
  struct Impl;
  explicit Writer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

struct Entry {
  std::string path;
  std::shared_ptr<const Type> type;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  std::uint64_t stored_bytes = 0;  ///< of these, in the file; the rest is zero, or dead
  bool dead = false;               ///< recorded without contents
  bool holes = false;              ///< what is not in the file is dead, not zero
  std::size_t number = 0;          ///< its place in entries()
};

class Reader {
 public:
  /// Opens the image whose bytes are `file`, which must outlive the reader and is not changed. Verifies the checksum:
  /// CPPC_ERR_IMAGE when it is no image, truncated or inconsistent, CPPC_ERR_CHECKSUM when a byte differs. Hostile
  /// bytes give an error, or entries within the file; memory used is in proportion to the file. An entry that is dead
  /// or zero can nevertheless claim any size: compare it with what is expected before allocating.
  static tl::expected<Reader, cppc_status> open(std::span<const std::byte> file);
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;
  ~Reader();

  /// In the order in which they were added.
  [[nodiscard]] std::span<const Entry> entries() const;

  /// Fills `destination`, exactly `entry.bytes` long: zero blocks that were left out included, holes not, which it
  /// leaves as they are. CPPC_ERR_STATE when the entry is dead.
  tl::expected<void, cppc_status> read(const Entry& entry, std::span<std::byte> destination) const;

  /// The same for the bytes from `offset` on.
  tl::expected<void, cppc_status> read_part(const Entry& entry, std::uint64_t offset,
                                            std::span<std::byte> destination) const;

 private:
  struct Impl;
  explicit Reader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cppc::image
