/// How the translator ends when it cannot go on.
#pragma once

#include <cstdlib>
#include <iostream>
#include <string>

namespace cppc {

/// The exit status of a translator that refuses or fails.
constexpr int kRefused = 1;

/// Says why, and ends the translator.
[[noreturn]] inline void fail(const std::string& message, int status = kRefused) {
  std::cerr << "cppc: " << message << "\n";
  std::exit(status);
}

}  // namespace cppc
