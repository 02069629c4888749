/// A file as memory.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <tl/expected.hpp>

#include "cppc/status.h"

namespace cppc::image {

class MappedFile {
 public:
  /// Read-only. CPPC_ERR_SYSTEM when it cannot be opened, logged with the reason.
  static tl::expected<MappedFile, cppc_status> open(const std::string& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile();

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::span<const std::byte> bytes_;
};

}  // namespace cppc::image
