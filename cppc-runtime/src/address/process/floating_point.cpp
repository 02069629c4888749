#include "address/process/floating_point.hpp"

#include <span>

namespace cppc::address {

FloatingPoint FloatingPoint::now() {
  FloatingPoint state;
  // fnstenv masks all exceptions; fldenv undoes that.
  asm volatile("fnstenv %0\n\tfldenv %0\n\tstmxcsr %1" : "=m"(state.x87), "=m"(state.mxcsr));
  return state;
}

void FloatingPoint::set() const { asm volatile("fldenv %0\n\tldmxcsr %1" : : "m"(x87), "m"(mxcsr)); }

void FloatingPoint::write(ByteWriter& writer) const {
  writer.u32(mxcsr);
  writer.raw(std::as_bytes(std::span(x87)));
}

FloatingPoint FloatingPoint::read(ByteReader& reader) {
  FloatingPoint state;
  constexpr std::uint32_t known = 0xffff;  // ldmxcsr ends the process for other bits
  state.mxcsr = reader.u32();
  if ((state.mxcsr & ~known) != 0) reader.fail();
  for (std::byte& byte : state.x87) byte = std::byte{reader.u8()};
  return state;
}

}  // namespace cppc::address
