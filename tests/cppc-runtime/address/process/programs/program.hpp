/// Programs whose process stops in the middle and whose state goes on in another one.
#pragma once

#include <cstdio>
#include <string>

namespace cppc::test {

/// Of a program; null: nothing to do.
struct Program {
  void (*before)();               ///< in program time, as all but the next one
  void (*meanwhile)() = nullptr;  ///< in the new process before it takes anything over, not the program's
  void (*after)() = nullptr;      ///< the program's end
  void (*left)() = nullptr;       ///< in the old process, when the state has been taken
};

/// What before() leaves for after(); in the memory that travels.
void*& kept();

/// Null: no such program.
const Program* exit_program(const std::string& name);
const Program* system_program(const std::string& name);
const Program* library_program(const std::string& name);
const Program* thread_program(const std::string& name);

}  // namespace cppc::test
