/// Between the runtime's type descriptors and the image's.
#pragma once

#include <memory>
#include <unordered_map>

#include "cppc/cppc.h"
#include "cppc/image.hpp"

namespace cppc::migration {

/// Translates descriptors, each once. Not thread-safe. Descriptors must outlive the translator.
class TypeTranslator {
 public:
  std::shared_ptr<const image::Type> translate(const cppc_type* type);

 private:
  std::unordered_map<const cppc_type*, std::shared_ptr<const image::Type>> known_;
};

}  // namespace cppc::migration
