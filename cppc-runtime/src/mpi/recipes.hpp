/// Lists of what a replacement makes again for the program's handles (own_table.hpp), as bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bytes.hpp"
#include "mpi/virtual_table.hpp"

namespace cppc::mpi {

/// By rising number, each of at least `least_bytes`; `read_one(number)` reads what follows the number. Fails the reader
/// when they are none.
template <class ReadOne>
auto read_recipes(ByteReader& reader, std::size_t least_bytes, ReadOne read_one) {
  std::vector<decltype(read_one(std::uint64_t{}))> recipes;
  const std::uint64_t count = reader.count(least_bytes);
  std::uint64_t before = 0;
  for (std::uint64_t i = 0; i < count && reader.ok(); ++i) {
    const std::uint64_t number = reader.u64();
    recipes.push_back(read_one(number));
    if (number <= before || number >= VirtualTable<void*, int>::limit) reader.fail();
    before = number;
  }
  return recipes;
}

}  // namespace cppc::mpi
