/// A parser under fuzz: LLVMFuzzerTestOneInput() and seeds() of one source file in a folder fuzz/. With libFuzzer
/// (tests/fuzz) they look for inputs that do harm; with bounded.cpp, in every build, they are a test of some thousand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace cppc::fuzz {

using Bytes = std::vector<std::byte>;

/// Good input, made by the program's own writers: what fuzzing starts from.
std::vector<Bytes> seeds();

inline Bytes bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

inline std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// For parsers that share a program: which of them, and its input.
inline Bytes with(std::uint8_t choice, std::span<const std::byte> rest) {
  Bytes all{static_cast<std::byte>(choice)};
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

/// What holds of everything that a parser lets through.
inline void require(bool good) {
  if (!good) std::abort();
}

}  // namespace cppc::fuzz
