/// What a program of the compiler has printed: whether it got where it was to go.
#pragma once

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>

namespace cppc {

/// What kept some of it from being written, for people; empty: all of it has been.
inline std::string output_failure() {
  errno = 0;
  std::cout.flush();
  if (std::cout && std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return "";
  return std::string("cannot write to standard output") + (errno == 0 ? "" : std::string(": ") + std::strerror(errno));
}

}  // namespace cppc
