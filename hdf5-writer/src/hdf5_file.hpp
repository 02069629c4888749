/// An HDF5 file that is made without contents: HDF5 makes the datasets and says where they are.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <unordered_set>

#include "hdf5.hpp"

namespace cppc::image {

class Hdf5File {
 public:
  /// With an `access` property list of a Store.
  static tl::expected<Hdf5File, cppc_status> create(Hid access);

  /// A named type: datasets of it refer to it. Groups on the way are made, as for datasets.
  tl::expected<void, cppc_status> add_type(const std::string& path, const Hid& type);

  /// A dataset of `count` elements, with an attribute `address` unless that is 0; returns where in the file its
  /// contents belong (anything when there are none).
  tl::expected<std::uint64_t, cppc_status> add_dataset(const std::string& path, const Hid& type, std::uint64_t count,
                                                       std::uint64_t address = 0);

  /// Ends the file: all but the user block and the contents of the datasets is there. Returns its size.
  tl::expected<std::uint64_t, cppc_status> finish() &&;

 private:
  Hdf5File() = default;
  tl::expected<void, cppc_status> open(Hid access);
  /// Those on the way to it that are not there yet.
  tl::expected<void, cppc_status> add_groups_of(const std::string& path);

  Hid creation_;        // properties of datasets
  Hid type_creation_;   // properties of named types
  Hid group_creation_;  // properties of groups
  Hid link_;            // properties of links
  Hid file_;
  std::unordered_set<std::string> groups_;
};

}  // namespace cppc::image
