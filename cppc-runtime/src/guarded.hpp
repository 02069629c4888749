/// Work for callers to whom nothing may be thrown.
#pragma once

#include <new>

#include "cppc/status.h"
#include "log.hpp"

namespace cppc {

/// `work` must not throw anything but for lack of memory.
template <typename Work>
cppc_status guarded(Work work) noexcept try {
  return work();
} catch (const std::bad_alloc&) {
  log().error("no memory to save or restore the state");
  return CPPC_ERR_MEMORY;
}

}  // namespace cppc
