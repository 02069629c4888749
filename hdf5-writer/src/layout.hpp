/// Which datasets hold what: the image without HDF5. Objects of a type share one packed dataset, large ones have their
/// own, and so have those of the head. Nothing is copied.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <unordered_set>
#include <vector>

#include "cppc/image.hpp"
#include "format.hpp"
#include "path_set.hpp"
#include "tables.hpp"
#include "types.hpp"

namespace cppc::image {

/// Objects of at least so many bytes have a dataset of their own. Making one costs as much as copying 150 KB.
inline constexpr std::uint64_t large_object_bytes = 262144;

/// Elements `first` to `first + count - 1` of an object.
struct Run {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

/// A dataset to make: `count` elements of a type, which are those of the pieces of program memory.
struct Dataset {
  std::string path;
  std::uint64_t type = 0;
  bool in_head = false;
  std::uint64_t address = 0;  ///< of the object, when it has the dataset for itself
  std::uint64_t count = 0;
  std::vector<std::span<const std::byte>> pieces;
};

class Layout {
 public:
  /// As Writer::add. Throws std::bad_alloc, after which the layout is good for nothing.
  tl::expected<void, cppc_status> add(const Object& object);

  [[nodiscard]] const TypeTable& types() const { return types_; }
  [[nodiscard]] const std::vector<Dataset>& datasets() const { return datasets_; }
  [[nodiscard]] const Table<ObjectRow>& objects() const { return objects_; }
  [[nodiscard]] const Table<RunRow>& runs() const { return runs_; }
  [[nodiscard]] std::uint64_t state_bytes() const { return state_bytes_; }

  /// What the type is called as a link in HDF5: unique, and without slashes.
  [[nodiscard]] const std::string& type_link(std::uint64_t type) const { return type_links_[type]; }

 private:
  void name_new_types();
  std::uint64_t dataset_for(const Object& object, std::uint64_t type);
  void store(const Object& object, std::uint64_t type, std::span<const Run> runs, ObjectRow& row);

  TypeTable types_;
  std::vector<std::string> type_links_;
  std::unordered_set<std::string> taken_type_links_;
  std::vector<Dataset> datasets_;
  std::vector<std::optional<std::uint64_t>> packed_;  // the packed dataset of each type
  Table<ObjectRow> objects_;
  Table<RunRow> runs_;
  PathSet paths_;  // of objects_
  std::uint64_t state_bytes_ = 0;
};

/// "section/name", both not empty, and a valid name.
bool valid_path(std::string_view path);

/// `name`, or `name~2`, `name~3`, ... when that is taken already; "unnamed" for none. Takes it.
std::string unique_name(std::string name, std::unordered_set<std::string>& taken);

}  // namespace cppc::image
