#include "pass_on.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>

namespace cppc::tools {

bool pass_on(int from, int to) {
  std::array<char, 65536> bytes{};
  const ssize_t got = read(from, bytes.data(), bytes.size());
  if (got < 0 && errno == EINTR) return true;
  for (ssize_t done = 0; done < got;) {
    const ssize_t written = write(to, bytes.data() + done, static_cast<std::size_t>(got - done));
    if (written < 0 && errno != EINTR) return false;
    done += written > 0 ? written : 0;
  }
  return got > 0;
}

}  // namespace cppc::tools
