/// What the wrapper's functions return: a value, or what went wrong, which ends the command.
#pragma once

#include <string>
#include <tl/expected.hpp>

namespace cppc::driver {

struct Failure {
  std::string text;         ///< for people; empty when the failing tool has already said it
  int status = 1;           ///< the wrapper's exit status
  bool of_setting = false;  ///< what the user has asked the translator for cannot be done
};

template <class T>
using Result = tl::expected<T, Failure>;

inline tl::unexpected<Failure> error(std::string text) { return tl::unexpected(Failure{std::move(text)}); }

/// A tool has failed and said why.
inline tl::unexpected<Failure> failed(int status) { return tl::unexpected(Failure{"", status}); }

}  // namespace cppc::driver
