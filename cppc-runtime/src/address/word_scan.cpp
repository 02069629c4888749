#include "address/word_scan.hpp"

#include <immintrin.h>

#include <algorithm>

namespace cppc::address {

namespace {

constexpr std::size_t kGroup = 8;  ///< words: a line of the cache

std::size_t pass_over_plainly(std::span<const std::uintptr_t> words, const Windows& windows) {
  std::size_t at = 0;
  for (; at + kGroup <= words.size(); at += kGroup) {
    bool any = false;
    for (const std::uintptr_t word : words.subspan(at, kGroup)) any |= windows.hold(word);
    if (any) break;
  }
  return at;
}

/// AVX2 compares signed numbers only: `word - begin < bytes`, all without sign, is that with 2^63 added to both sides.
struct Bounds {
  __m256i begin, bytes;
};

__attribute__((target("avx2"))) Bounds bounds(const Window& window) {
  constexpr std::uintptr_t sign = std::uintptr_t{1} << 63;
  return {_mm256_set1_epi64x(static_cast<long long>(window.begin + sign)),
          _mm256_set1_epi64x(static_cast<long long>(window.bytes + sign))};
}

__attribute__((target("avx2"))) __m256i inside(__m256i words, const Bounds& bounds) {
  return _mm256_cmpgt_epi64(bounds.bytes, _mm256_sub_epi64(words, bounds.begin));
}

/// Windows::names_thread().
__attribute__((target("avx2"))) __m256i naming(__m256i words, __m256i thread) {
  const __m256i users = _mm256_set1_epi64x(static_cast<long long>(Windows::kUsers));
  return _mm256_cmpeq_epi64(_mm256_andnot_si256(users, words), thread);
}

__attribute__((target("avx2"))) std::size_t pass_over_by_avx2(std::span<const std::uintptr_t> words,
                                                              const Windows& windows) {
  const Bounds below = bounds(windows.below);
  const Bounds above = bounds(windows.above);
  const __m256i thread = _mm256_set1_epi64x(static_cast<long long>(windows.thread));
  std::size_t at = 0;
  for (; at + kGroup <= words.size(); at += kGroup) {
    const auto* const group = reinterpret_cast<const __m256i*>(words.data() + at);
    const __m256i first = _mm256_loadu_si256(group);
    const __m256i second = _mm256_loadu_si256(group + 1);
    const __m256i addresses = _mm256_or_si256(_mm256_or_si256(inside(first, below), inside(first, above)),
                                              _mm256_or_si256(inside(second, below), inside(second, above)));
    const __m256i found = _mm256_or_si256(addresses, _mm256_or_si256(naming(first, thread), naming(second, thread)));
    if (!_mm256_testz_si256(found, found)) break;
  }
  return at;
}

}  // namespace

void Window::add(std::uintptr_t from, std::uintptr_t to) {
  const std::uintptr_t end = bytes == 0 ? to : std::max(begin + bytes, to);
  begin = std::min(begin, from);
  bytes = end - begin;
}

std::size_t pass_over(std::span<const std::uintptr_t> words, const Windows& windows) {
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  return has_avx2 ? pass_over_by_avx2(words, windows) : pass_over_plainly(words, windows);
}

}  // namespace cppc::address
