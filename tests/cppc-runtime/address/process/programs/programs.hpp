/// What process_program runs: the first part of a program in one process, the second in the same one or in another.
#pragma once

#include <span>
#include <string>

namespace cppc::test {

struct Program {
  const char* name;
  /// In a directory of its own, which is the current one. What it returns is all that go_on() knows.
  void* (*begin)();
  void (*go_on)(void* state);
};

std::span<const Program> descriptor_programs();
std::span<const Program> stream_programs();
std::span<const Program> mapping_programs();
/// Hold something that cannot be carried.
std::span<const Program> refused_programs();

}  // namespace cppc::test
