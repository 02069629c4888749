/// Types as a table in the runtime block, each structure once; a type refers to earlier ones only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "bytes.hpp"
#include "cppc/cppc.h"

namespace cppc {

class TypeTableWriter {
 public:
  /// The number of a type without a defect, and of all that it consists of.
  std::uint32_t number_of(const cppc_type* type);

  /// All types that have got a number.
  void write(ByteWriter& writer) const;

 private:
  std::unordered_map<const cppc_type*, std::uint32_t> by_address_;
  std::unordered_map<std::string, std::uint32_t> by_content_;
  std::vector<std::string> contents_;
};

/// Types by number; they live as long as the process. Nothing, and the reader bad, unless every one can be used.
std::optional<std::vector<const cppc_type*>> read_types(ByteReader& reader);

}  // namespace cppc
