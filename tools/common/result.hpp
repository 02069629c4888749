/// What the tools' functions return: a value, or a sentence for people that says what went wrong with what.
#pragma once

#include <string>
#include <tl/expected.hpp>

namespace cppc::tools {

template <class T>
using Result = tl::expected<T, std::string>;

inline tl::unexpected<std::string> error(std::string text) { return tl::unexpected(std::move(text)); }

}  // namespace cppc::tools
