/// An HDF5 file in memory (HDF5's core driver, in an arena of ours), to which raw data is added by address: HDF5 makes
/// the datasets and says where they are; their contents never pass through it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <tl/expected.hpp>

#include "arena.hpp"
#include "hdf5.hpp"

namespace cppc::image {

class CoreFile {
 public:
  /// In `memory`, which grows when it is too small.
  static tl::expected<CoreFile, cppc_status> create(Arena memory);

  /// A named type: datasets of it refer to it. Groups on the way are made, as for datasets.
  tl::expected<void, cppc_status> add_type(const std::string& path, const Hid& type);

  /// A dataset of `count` elements; returns where in the file its contents belong (anything when there are none).
  tl::expected<std::uint64_t, cppc_status> add_dataset(const std::string& path, const Hid& type, std::uint64_t count);

  struct Finished {
    Arena memory;
    std::uint64_t bytes = 0;
  };
  /// Ends the file: all but the user block and the contents of the datasets is there.
  tl::expected<Finished, cppc_status> finish() &&;

 private:
  CoreFile() = default;
  tl::expected<void, cppc_status> open();

  std::unique_ptr<Arena> memory_;  // HDF5 holds its address
  Hid creation_;                   // properties of datasets
  Hid link_;                       // properties of links
  Hid file_;                       // closed before the memory goes
};

}  // namespace cppc::image
