/// Lists of numbers, of ranks say, as bytes.
#pragma once

#include <algorithm>
#include <vector>

#include "bytes.hpp"

namespace cppc::mpi {

inline void write_numbers(ByteWriter& writer, const std::vector<int>& numbers) {
  writer.u64(numbers.size());
  for (const int number : numbers) writer.i32(number);
}

inline std::vector<int> read_numbers(ByteReader& reader) {
  std::vector<int> numbers(reader.count(sizeof(std::int32_t)));
  for (int& number : numbers) number = reader.i32();
  return numbers;
}

/// Whether these are ranks of a world of `size`, none twice.
inline bool distinct_ranks(std::vector<int> ranks, int size) {
  std::ranges::sort(ranks);
  return std::ranges::adjacent_find(ranks) == ranks.end() &&
         (ranks.empty() || (ranks.front() >= 0 && ranks.back() < size));
}

}  // namespace cppc::mpi
