/// How an error leaves this library: logged where first met, then a status; nothing is thrown.
#pragma once

#include <fmt/format.h>

#include <new>
#include <stdexcept>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

#include "cppc/status.h"

namespace cppc::image {

void log_error(std::string_view text);

template <class... Args>
tl::unexpected<cppc_status> failure(cppc_status status, fmt::format_string<Args...> text, Args&&... args) {
  log_error(fmt::format(text, std::forward<Args>(args)...));
  return tl::make_unexpected(status);
}

/// Runs `work`, which throws only when memory runs out.
template <class Work>
auto contained(const char* what, Work&& work) noexcept -> decltype(work()) {
  try {
    return std::forward<Work>(work)();
  } catch (const std::bad_alloc&) {
    return failure(CPPC_ERR_MEMORY, "{}: out of memory", what);
  } catch (const std::length_error&) {
    return failure(CPPC_ERR_MEMORY, "{}: more than memory can hold", what);
  }
}

}  // namespace cppc::image
