/// What is where in an image; FORMAT.md shows it as HDF5 tools do. The header fills the file's user block and points to
/// the index: tables of native 64-bit numbers behind a name of fixed width, each a contiguous HDF5 dataset, so that it
/// can be read by address alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "cppc/image.hpp"

namespace cppc::image {

inline constexpr std::array<char, 8> magic = {'C', 'P', 'P', 'C', 'I', 'M', 'G', '\n'};
inline constexpr std::uint32_t format_version = 4;
inline constexpr std::uint32_t byte_order_mark = 0x01020304;

inline constexpr std::size_t name_limit = 1024;               // of paths and of type and member names
inline constexpr std::size_t depth_limit = 64;                // of structures in structures
inline constexpr std::uint64_t type_size_limit = 0xffffffff;  // HDF5 holds sizes of types in 32 bits

enum class Column : std::uint8_t { number, type_class, flag };

struct ColumnInfo {
  const char* name;
  Column kind = Column::number;
};

/// Members of a type are numbers in the types table below the type's own.
struct TypeRow {
  std::uint64_t cls, size, first_member, members;
  static constexpr const char* table = "/index/types";
  static constexpr std::array<ColumnInfo, 4> columns{
      {{"class", Column::type_class}, {"size"}, {"first_member"}, {"members"}}};
};

struct MemberRow {
  std::uint64_t offset, type, count;
  static constexpr const char* table = "/index/members";
  static constexpr std::array<ColumnInfo, 3> columns{{{"offset"}, {"type"}, {"count"}}};
};

/// The name is the HDF5 path; `count` elements start at byte `offset` of the file. All that is in no dataset is the
/// head of the image, and so is what is in datasets of which `head` says so.
struct DatasetRow {
  std::uint64_t offset, type, count, head;
  static constexpr const char* table = "/index/datasets";
  static constexpr std::array<ColumnInfo, 4> columns{{{"offset"}, {"type"}, {"count"}, {"head", Column::flag}}};
};

/// In the order in which they were added; the name is the path. Of `count` elements `stored` are in `dataset`, from
/// element `first` on. When these are neither all nor none, `runs` rows of the runs table from `first_run` on say
/// which. The others are dead. `address`: where it lies in every process that has it, or 0.
struct ObjectRow {
  std::uint64_t type, count, dead, dataset, first, stored, first_run, runs, address;
  static constexpr const char* table = "/index/objects";
  static constexpr std::array<ColumnInfo, 9> columns{{{"type"},
                                                      {"count"},
                                                      {"dead", Column::flag},
                                                      {"dataset"},
                                                      {"first"},
                                                      {"stored"},
                                                      {"first_run"},
                                                      {"runs"},
                                                      {"address"}}};
};

/// `count` elements of an object from element `first` on are stored in its dataset from element `stored_at` on;
/// elements in no run are dead.
struct RunRow {
  std::uint64_t first, count, stored_at;
  static constexpr const char* table = "/index/runs";
  static constexpr std::array<ColumnInfo, 3> columns{{{"first"}, {"count"}, {"stored_at"}}};
};

struct TablePlace {
  std::uint64_t offset, rows, row_bytes;
};

struct Header {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t byte_order;
  std::uint64_t file_bytes;
  TablePlace types, members, datasets, objects, runs;
  std::uint64_t sealed;                         // 1: contents_checksum is that of the contents; 0: not computed
  std::array<std::byte, 16> contents_checksum;  // XXH3-128 of all that is not the head
  std::array<std::byte, 16> checksum;           // XXH3-128 of the head but for these bytes
};
static_assert(sizeof(Header) <= header_bytes);

}  // namespace cppc::image
