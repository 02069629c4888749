#include "address/program_time.hpp"

#include <unistd.h>

#include <cstdlib>

#include "address/preload.hpp"

// What cppc-cc and its kin link into a program whose state is to be kept by address.
extern "C" const char cppc_by_address __attribute__((weak));

namespace cppc::address {

constinit thread_local bool program_time = false;
constinit thread_local unsigned InsideProgram::depth_ = 0;

namespace {

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool decide() {
  return is_set("CPPC_EXTENSION") &&
         (&cppc_by_address != nullptr || is_set("CPPC_BY_ADDRESS") || preload::brings_program());
}

}  // namespace

bool kept_by_address() {
  // No static with a guard: the dynamic linker asks for memory before the C library knows the environment.
  static constinit int decided = -1;
  if (decided < 0) {
    if (environ == nullptr) return false;
    decided = 0;  // of what asks for memory meanwhile, nothing is the program's
    decided = decide() ? 1 : 0;
  }
  return decided == 1;
}

InsideProgram::InsideProgram() : before_(std::exchange(program_time, kept_by_address())) { ++depth_; }

}  // namespace cppc::address
