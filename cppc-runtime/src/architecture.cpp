#include "architecture.hpp"

#include <bit>
#include <limits>

namespace cppc {

namespace {

#if defined(__x86_64__) && defined(__LP64__)
constexpr const char* name_here = "x86-64";
#elif defined(__i386__)
constexpr const char* name_here = "i386";
#elif defined(__s390x__)
constexpr const char* name_here = "s390x";
#else
#error "this architecture is to be named here"
#endif

}  // namespace

const Architecture& Architecture::here() {
  static const auto& own = *new Architecture{
      .name = name_here,
      .big_endian = std::endian::native == std::endian::big,
      .long_double_significand = std::numeric_limits<long double>::digits};  // used until the process ends
  return own;
}

void Architecture::write(ByteWriter& writer) const {
  writer.text(name);
  writer.u8(big_endian ? 1 : 0);
  writer.u32(long_double_significand);
}

Architecture Architecture::read(ByteReader& reader) {
  const auto name = reader.text();
  return {.name = std::string(name), .big_endian = reader.u8() != 0, .long_double_significand = reader.u32()};
}

}  // namespace cppc
