/// What the processor can do. Programs are compiled for it, and libraries choose their functions by it when they start:
/// a process that takes over needs all that the other had.
#pragma once

#include <bitset>
#include <string>
#include <vector>

#include "bytes.hpp"
#include "cppc/status.h"

namespace cppc::address {

class ProcessorFeatures {
 public:
  /// Of this node, as far as the system lets programs use them.
  static ProcessorFeatures here();

  /// Names of those that `other` has and this one lacks.
  [[nodiscard]] std::vector<std::string> lacking(const ProcessorFeatures& other) const;

  [[nodiscard]] bool has(const std::string& name) const;

  void write(ByteWriter& writer) const;
  /// Fails the reader when it is none.
  static ProcessorFeatures read(ByteReader& reader);

 private:
  std::bitset<64> features_;
};

namespace processor {

cppc_status write(ByteWriter& writer);

/// CPPC_ERR_MISMATCH, logged by name, when this node lacks what the other had. CPPC_ERR_IMAGE when it is none.
cppc_status prepare(ByteReader& reader);

}  // namespace processor

}  // namespace cppc::address
