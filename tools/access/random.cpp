#include "random.hpp"

#include <sys/random.h>

#include <array>
#include <cstdlib>

namespace cppc::tools {

std::string random_hex(std::size_t bytes) {
  std::array<unsigned char, 32> random{};
  if (getrandom(random.data(), bytes, 0) != static_cast<ssize_t>(bytes)) std::abort();  // never for up to 256 bytes
  std::string hex;
  for (std::size_t i = 0; i < bytes; ++i) {
    for (const int digit : {random[i] >> 4, random[i] & 15}) hex += "0123456789abcdef"[digit];
  }
  return hex;
}

}  // namespace cppc::tools
