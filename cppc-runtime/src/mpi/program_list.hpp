/// Lists that a function of libcppc keeps while the program can be stopped inside of it: in the program's memory, if
/// its state is kept by address, so that they are there when it goes on in another process.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "address/program_time.hpp"

namespace cppc::mpi {

template <class T>
struct ProgramMemory {
  using value_type = T;
  ProgramMemory() = default;
  template <class Other>
  explicit ProgramMemory(const ProgramMemory<Other>&) {}

  T* allocate(std::size_t count) {
    const address::InsideProgram program;
    void* const memory = std::malloc(count * sizeof(T));
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t /*count*/) noexcept {
    const address::InsideProgram program;
    std::free(memory);
  }
  bool operator==(const ProgramMemory&) const = default;
};

template <class T>
using ProgramList = std::vector<T, ProgramMemory<T>>;
using ProgramText = std::basic_string<char, std::char_traits<char>, ProgramMemory<char>>;

}  // namespace cppc::mpi
