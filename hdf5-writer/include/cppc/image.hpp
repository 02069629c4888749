/// Images: the state of a rank as an HDF5 file in memory. Typed spans in, extents out; and back.
///
/// A Writer and a Reader are used by one thread at a time. Different ones are independent, except that Writer::create
/// and finish enter HDF5, which one thread of a process may do at a time, the program's own uses of it included. Sizes
/// and offsets are in bytes. Nothing throws; errors are a cppc_status, logged by name where first met.
/// hdf5-writer/FORMAT.md says what an image looks like to HDF5 tools.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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
/// `address`: where the object lies in every process that has it, when its state is kept by address; else 0.
/// `path` is "section/name", of at most 1024 bytes, unique in the image; a name may itself contain slashes. `in_head`:
/// the contents are a part of the head, which can be read before the rest is there.
struct Object {
  std::string path;
  std::shared_ptr<const Type> type;
  std::uint64_t count = 0;
  std::span<const std::byte> data;
  std::span<const Part> holes;
  bool in_head = false;
  std::uint64_t address = 0;
};

/// A piece of the file: it belongs at `offset`. Extents are given in rising order and do not overlap.
struct Extent {
  std::uint64_t offset = 0;
  std::span<const std::byte> bytes;
};

/// What a file begins with: the smallest user block of HDF5. It has the checksums.
inline constexpr std::size_t header_bytes = 512;

/// A finished image, in two: the head, which tells what is where, and the contents of the objects. The image owns the
/// head; contents are the memory that was given to the Writer, which must neither change nor go before the image does.
class Image {
 public:
  Image(Image&&) noexcept;
  Image& operator=(Image&&) noexcept;
  ~Image();
  [[nodiscard]] std::span<const Extent> head() const;
  [[nodiscard]] std::span<const Extent> contents() const;
  [[nodiscard]] std::vector<Extent> extents() const;  ///< both: they cover the file
  [[nodiscard]] std::uint64_t size() const;           ///< of the file
  [[nodiscard]] std::uint64_t state_bytes() const;    ///< contents of the objects added

  /// Adds a checksum of the contents, for a file that nobody else checks. The head has one as it is. Changes nothing
  /// behind the first header_bytes of the file.
  void seal();

  /// The same for contents that are not at their places any more, as in a snapshot of the process: `show` calls its
  /// argument with all bytes of contents(), in their order, in pieces of any size. False, and nothing is changed, when
  /// it says that it could not.
  using Show = std::function<bool(const std::function<void(std::span<const std::byte>)>&)>;
  [[nodiscard]] bool seal(const Show& show);

 private:
  friend class Writer;
  struct Impl;
  explicit Image(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// How an image comes about. The files are the same byte for byte.
enum class Storage {
  scattered,   ///< contents stay where they are, and must not change while the image lives
  contiguous,  ///< HDF5's core driver: contents are copied, so that the image is as large as the state
};

class Writer {
 public:
  /// CPPC_ERR_MISMATCH when the process has loaded another HDF5 than this library was built for.
  static tl::expected<Writer, cppc_status> create(Storage storage = Storage::scattered);
  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;
  ~Writer();

  /// `object.data` must stay unchanged until the image is gone. CPPC_ERR_ARGUMENT when path, type or size make no
  /// sense; CPPC_ERR_UNSUPPORTED when the type is beyond what an image can hold. Copies no contents.
  tl::expected<void, cppc_status> add(const Object& object);

  /// Makes the file; CPPC_ERR_MEMORY when there is none for it. The writer is used up.
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
  std::uint64_t stored_bytes = 0;  ///< of these, in the file; the rest is dead
  bool dead = false;               ///< recorded without contents
  std::size_t number = 0;          ///< its place in entries()
  std::uint64_t address = 0;       ///< as in Object
};

/// Bytes of an object that lie in one piece in the file.
struct Stored {
  std::uint64_t file_offset = 0;
  std::uint64_t object_offset = 0;
  std::uint64_t bytes = 0;
};

/// Called by what may take long, many times a second, for somebody who waits. An error ends the work, with this error.
using KeepAlive = std::function<tl::expected<void, cppc_status>()>;

class Reader {
 public:
  /// Opens the image whose bytes are `file`, which must outlive the reader and is not changed. Verifies the checksum of
  /// the head, and that of the contents if it is there: CPPC_ERR_IMAGE when it is no image, truncated or inconsistent,
  /// CPPC_ERR_CHECKSUM when a byte differs. Hostile bytes give an error, or entries within the file; memory used is in
  /// proportion to the file. An entry that is dead can nevertheless claim any size: compare it with what is expected
  /// before allocating.
  static tl::expected<Reader, cppc_status> open(std::span<const std::byte> file);

  /// The same for an image of which only the head is there, in rising order. What is in the head can be read.
  static tl::expected<Reader, cppc_status> open_head(std::span<const Extent> head, const KeepAlive& keep_alive = {});

  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;
  ~Reader();

  /// In the order in which they were added.
  [[nodiscard]] std::span<const Entry> entries() const;

  /// Whether the contents have a checksum that was verified.
  [[nodiscard]] bool sealed() const;

  /// Where the contents of the entry are, in rising order; nothing in no part is alive.
  [[nodiscard]] std::span<const Stored> stored(const Entry& entry) const;

  /// Fills `destination`, exactly `entry.bytes` long, but for the holes, which it leaves as they are. CPPC_ERR_STATE
  /// when the entry is dead, or not in a head that is all there is.
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
