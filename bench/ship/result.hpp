/// What a step of the bench gives, or in words why it could not.
#pragma once

#include <string>
#include <tl/expected.hpp>

namespace cppc::bench {

template <class T>
using Result = tl::expected<T, std::string>;

inline tl::unexpected<std::string> failure(std::string why) { return tl::unexpected(std::move(why)); }

}  // namespace cppc::bench
