/// What a test's program has besides MPI: named functions, memory, and the tracked heap of the runtime, as bytes too.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>

#include "bytes.hpp"

namespace cppc::test {

/// Names a function of the program.
void declare(const char* name, void (*function)());

template <class Function>
void declare(const char* name, Function* function) {
  declare(name, reinterpret_cast<void (*)()>(function));
}

/// The program's one object, which is at another address in every process.
inline std::array<int, 64> memory;

/// All blocks of the tracked heap, references in stored form: a pointer as the offset in `memory` plus one, or by the
/// block that it leads into, one that was allocated before.
void save_heap(ByteWriter& writer);

/// In another process, after mpi_state::restore().
void load_heap(ByteReader& reader);

}  // namespace cppc::test
