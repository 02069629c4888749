/// Where the bytes of a file are that HDF5 makes in memory. HDF5 writes what it calls metadata; raw data is added by
/// address, past HDF5, once HDF5 has said where it belongs.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <tl/expected.hpp>
#include <vector>

#include "cppc/image.hpp"
#include "hdf5.hpp"

namespace cppc::image {

/// Bytes of the file.
struct Range {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

class Store {
 public:
  virtual ~Store() = default;
  Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// A file access property list: a file that HDF5 makes with it is kept here. It must not outlive the store.
  [[nodiscard]] virtual Hid access() = 0;

  /// Copies bytes into the file that HDF5 has closed.
  virtual void put(std::uint64_t offset, std::span<const std::byte> bytes) = 0;

  /// The same for contents, which need not be copied: they stay unchanged while the store lives. In rising order.
  virtual void add_contents(std::uint64_t offset, std::span<const std::byte> bytes) = 0;

  /// Where these ranges, in rising order and none of them contents, are now. To be called when all has been put; what
  /// has been returned may still be written to.
  virtual std::vector<std::span<std::byte>> gather(std::span<const Range> ranges) = 0;

  /// What has been added as contents, in rising order.
  [[nodiscard]] virtual std::span<const Extent> contents() const = 0;
};

/// HDF5's core driver, in one piece of memory that grows: contents are copied. What everybody else would use, and the
/// reference for the other.
tl::expected<std::unique_ptr<Store>, cppc_status> contiguous_store();

/// A driver of our own: HDF5's metadata in small pages, contents where they are in the program.
tl::expected<std::unique_ptr<Store>, cppc_status> scattered_store();

}  // namespace cppc::image
