#include "address/process/processor.hpp"

#include <cpuid.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "log.hpp"

namespace cppc::address {

namespace {

using Registers = std::array<unsigned, 4>;
enum Register : std::size_t { eax, ebx, ecx, edx };

/// What of its own the system has to save for a feature, else programs may not use it.
enum Needs : unsigned { nothing = 0, avx_state = 0x6, avx512_state = 0xe6, amx_state = 0x60000 };

struct Feature {
  const char* name;
  unsigned leaf, subleaf;
  Register place;
  unsigned bit;
  Needs needs = nothing;
};

constexpr unsigned extended = 0x8000'0001;

/// Of what compilers and libraries choose by. An image says them by their places here: only add at the end.
constexpr std::array features{
    Feature{"sse3", 1, 0, ecx, 0},
    Feature{"pclmulqdq", 1, 0, ecx, 1},
    Feature{"ssse3", 1, 0, ecx, 9},
    Feature{"fma", 1, 0, ecx, 12, avx_state},
    Feature{"cmpxchg16b", 1, 0, ecx, 13},
    Feature{"sse4.1", 1, 0, ecx, 19},
    Feature{"sse4.2", 1, 0, ecx, 20},
    Feature{"movbe", 1, 0, ecx, 22},
    Feature{"popcnt", 1, 0, ecx, 23},
    Feature{"aes", 1, 0, ecx, 25},
    Feature{"xsave", 1, 0, ecx, 27},
    Feature{"avx", 1, 0, ecx, 28, avx_state},
    Feature{"f16c", 1, 0, ecx, 29, avx_state},
    Feature{"rdrand", 1, 0, ecx, 30},
    Feature{"lahf", extended, 0, ecx, 0},
    Feature{"lzcnt", extended, 0, ecx, 5},
    Feature{"sse4a", extended, 0, ecx, 6},
    Feature{"prefetchw", extended, 0, ecx, 8},
    Feature{"xop", extended, 0, ecx, 11, avx_state},
    Feature{"fma4", extended, 0, ecx, 16, avx_state},
    Feature{"tbm", extended, 0, ecx, 21},
    Feature{"rdtscp", extended, 0, edx, 27},
    Feature{"fsgsbase", 7, 0, ebx, 0},
    Feature{"bmi1", 7, 0, ebx, 3},
    Feature{"avx2", 7, 0, ebx, 5, avx_state},
    Feature{"bmi2", 7, 0, ebx, 8},
    Feature{"erms", 7, 0, ebx, 9},
    Feature{"rtm", 7, 0, ebx, 11},
    Feature{"avx512f", 7, 0, ebx, 16, avx512_state},
    Feature{"avx512dq", 7, 0, ebx, 17, avx512_state},
    Feature{"rdseed", 7, 0, ebx, 18},
    Feature{"adx", 7, 0, ebx, 19},
    Feature{"avx512ifma", 7, 0, ebx, 21, avx512_state},
    Feature{"clflushopt", 7, 0, ebx, 23},
    Feature{"clwb", 7, 0, ebx, 24},
    Feature{"avx512cd", 7, 0, ebx, 28, avx512_state},
    Feature{"sha", 7, 0, ebx, 29},
    Feature{"avx512bw", 7, 0, ebx, 30, avx512_state},
    Feature{"avx512vl", 7, 0, ebx, 31, avx512_state},
    Feature{"avx512vbmi", 7, 0, ecx, 1, avx512_state},
    Feature{"avx512vbmi2", 7, 0, ecx, 6, avx512_state},
    Feature{"gfni", 7, 0, ecx, 8},
    Feature{"vaes", 7, 0, ecx, 9, avx_state},
    Feature{"vpclmulqdq", 7, 0, ecx, 10, avx_state},
    Feature{"avx512vnni", 7, 0, ecx, 11, avx512_state},
    Feature{"avx512bitalg", 7, 0, ecx, 12, avx512_state},
    Feature{"avx512vpopcntdq", 7, 0, ecx, 14, avx512_state},
    Feature{"rdpid", 7, 0, ecx, 22},
    Feature{"movdiri", 7, 0, ecx, 27},
    Feature{"movdir64b", 7, 0, ecx, 28},
    Feature{"avx512vp2intersect", 7, 0, edx, 8, avx512_state},
    Feature{"serialize", 7, 0, edx, 14},
    Feature{"amx-bf16", 7, 0, edx, 22, amx_state},
    Feature{"avx512fp16", 7, 0, edx, 23, avx512_state},
    Feature{"amx-tile", 7, 0, edx, 24, amx_state},
    Feature{"amx-int8", 7, 0, edx, 25, amx_state},
    Feature{"avxvnni", 7, 1, eax, 4, avx_state},
    Feature{"avx512bf16", 7, 1, eax, 5, avx512_state},
    Feature{"avxifma", 7, 1, eax, 23, avx_state},
    Feature{"waitpkg", 7, 0, ecx, 5},
};
static_assert(features.size() <= 64);

Registers ask(unsigned leaf, unsigned subleaf) {
  Registers registers{};
  if (__get_cpuid_count(leaf, subleaf, &registers[eax], &registers[ebx], &registers[ecx], &registers[edx]) == 0)
    return {};
  return registers;
}

/// The parts of a thread's state that the system saves.
unsigned saved_state() {
  constexpr unsigned osxsave = 1U << 27;
  if ((ask(1, 0)[ecx] & osxsave) == 0) return 0;
  unsigned low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

/// A virtual machine leaves it to its host to answer, which takes microseconds.
class Answers {
 public:
  const Registers& to(unsigned leaf, unsigned subleaf) {
    const auto [known, is_new] = answers_.try_emplace({leaf, subleaf});
    if (is_new) known->second = ask(leaf, subleaf);
    return known->second;
  }

 private:
  std::map<std::pair<unsigned, unsigned>, Registers> answers_;
};

}  // namespace

ProcessorFeatures ProcessorFeatures::here() {
  ProcessorFeatures here;
  Answers answers;
  const unsigned saved = saved_state();
  for (std::size_t i = 0; i < features.size(); ++i) {
    const Feature& feature = features[i];
    const bool there = (answers.to(feature.leaf, feature.subleaf)[feature.place] >> feature.bit & 1) != 0;
    here.features_[i] = there && (saved & feature.needs) == feature.needs;
  }
  return here;
}

std::vector<std::string> ProcessorFeatures::lacking(const ProcessorFeatures& other) const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < features.size(); ++i)
    if (other.features_[i] && !features_[i]) names.emplace_back(features[i].name);
  return names;
}

bool ProcessorFeatures::has(const std::string& name) const {
  const auto found = std::ranges::find(features, name, &Feature::name);
  return found != features.end() && features_[static_cast<std::size_t>(found - features.begin())];
}

void ProcessorFeatures::write(ByteWriter& writer) const { writer.u64(features_.to_ullong()); }

ProcessorFeatures ProcessorFeatures::read(ByteReader& reader) {
  ProcessorFeatures read;
  const std::uint64_t bits = reader.u64();
  if constexpr (features.size() < 64) {
    if (bits >> features.size() != 0) reader.fail();
  }
  read.features_ = bits;
  return read;
}

cppc_status processor::write(ByteWriter& writer) {
  ProcessorFeatures::here().write(writer);
  return CPPC_OK;
}

cppc_status processor::prepare(ByteReader& reader) {
  const auto needed = ProcessorFeatures::read(reader);
  if (!reader.ok()) return CPPC_ERR_IMAGE;
  const auto lacking = ProcessorFeatures::here().lacking(needed);
  if (lacking.empty()) return CPPC_OK;
  log().error("the processor here lacks {}, which the program has had so far and may have been compiled for",
              fmt::join(lacking, ", "));
  return CPPC_ERR_MISMATCH;
}

}  // namespace cppc::address
