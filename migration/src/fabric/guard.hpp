/// Nothing is thrown out of the fabric.
#pragma once

#include <spdlog/spdlog.h>

#include <new>
#include <stdexcept>
#include <tl/expected.hpp>

#include "cppc/status.h"

namespace cppc::fabric {

/// What `function` returns; CPPC_ERR_MEMORY when it runs out of memory.
template <class Function>
auto guarded(Function&& function) noexcept -> decltype(function()) {
  try {
    return function();
  } catch (const std::bad_alloc&) {
    spdlog::error("not enough memory for the fabric");
    return tl::unexpected(CPPC_ERR_MEMORY);
  } catch (const std::length_error&) {
    spdlog::error("the fabric was told to receive more than memory can hold");
    return tl::unexpected(CPPC_ERR_MEMORY);
  }
}

}  // namespace cppc::fabric
