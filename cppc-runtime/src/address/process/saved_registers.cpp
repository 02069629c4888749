#include "address/process/saved_registers.hpp"

#include <cpuid.h>

#include <vector>

#include "log.hpp"

namespace cppc::address::saved_registers {

namespace {

constexpr unsigned kLeaf = 0xd;
constexpr unsigned kFirst = 2;  // those before have always been where they are
constexpr unsigned kComponents = 63;

struct Component {
  std::uint32_t number, bytes, offset;
  bool operator==(const Component&) const = default;
};

/// What the system has turned on.
std::uint64_t saved() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned osxsave = 1U << 27;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & osxsave) == 0) return 0;
  asm volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
  return std::uint64_t{d} << 32 | a;
}

std::vector<Component> components() {
  std::vector<Component> all;
  const std::uint64_t mask = saved();
  for (std::uint32_t number = kFirst; number < kComponents; ++number) {
    unsigned bytes = 0, offset = 0, c = 0, d = 0;
    if ((mask >> number & 1) == 0 || __get_cpuid_count(kLeaf, number, &bytes, &offset, &c, &d) == 0) continue;
    all.push_back({number, bytes, offset});
  }
  return all;
}

}  // namespace

cppc_status write(ByteWriter& writer) {
  writer.u8(on_stack);
  if (!on_stack) return CPPC_OK;
  const auto all = components();
  writer.u64(all.size());
  for (const Component& one : all)
    for (const std::uint32_t number : {one.number, one.bytes, one.offset}) writer.u32(number);
  return CPPC_OK;
}

cppc_status prepare(ByteReader& reader) {
  if (reader.u8() == 0) return reader.ok() ? CPPC_OK : CPPC_ERR_IMAGE;
  std::vector<Component> there;
  for (auto left = reader.count(sizeof(Component)); left > 0; --left) {
    const std::uint32_t number = reader.u32(), bytes = reader.u32(), offset = reader.u32();
    there.push_back({number, bytes, offset});
  }
  if (!reader.ok()) return CPPC_ERR_IMAGE;
  if (there == components()) return CPPC_OK;
  log().error(
      "the processor here saves its registers otherwise, and the program has stopped between two calls of MPI: it can "
      "move to this node when it stops at a call");
  return CPPC_ERR_MISMATCH;
}

}  // namespace cppc::address::saved_registers
