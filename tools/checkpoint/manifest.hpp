/// What a checkpoint consists of: the file manifest.json in its directory, written last.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../common/result.hpp"

namespace cppc::checkpoint {

using tools::Result;

struct RankImage {
  std::uint64_t bytes = 0;
  std::uint64_t xxh3 = 0;  ///< cppc/file_hash.hpp
  std::string program;     ///< which program the rank runs, by its build id
  std::uint64_t head = 0;  ///< as head_hash() says; 0: not known
  friend bool operator==(const RankImage&, const RankImage&) = default;
};

struct Manifest {
  std::string job;                ///< which has made it
  std::string program;            ///< as it was started
  std::string host;               ///< of cppc-run
  std::string time;               ///< in UTC, as 2026-01-31T12:00:00Z
  std::vector<RankImage> images;  ///< by rank; at least one
  friend bool operator==(const Manifest&, const Manifest&) = default;
};

inline constexpr const char* manifest_file = "manifest.json";

std::string text(const Manifest& manifest);

/// Of anything; the error says what is wrong with it.
Result<Manifest> parse_manifest(const std::string& text);

}  // namespace cppc::checkpoint
