#include "standard_output.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace cppc::tools {

bool has_written_output(const char* program) {
  errno = 0;
  const bool flushed = std::fflush(stdout) == 0;
  if (flushed && std::ferror(stdout) == 0) return true;
  const char* const reason = errno == 0 ? "what was printed is not complete" : std::strerror(errno);
  std::fprintf(stderr, "%s: cannot write to standard output: %s\n", program, reason);
  return false;
}

}  // namespace cppc::tools
