#include "address/process/program_memory.hpp"

#include <cstdlib>

#include "address/program_time.hpp"
#include "log.hpp"

namespace cppc::address {

void* allocate_for_program(std::size_t bytes) {
  const InsideProgram inside;
  void* memory = std::calloc(1, bytes);
  if (memory == nullptr) die(CPPC_ERR_MEMORY, "no memory to note what the program's process holds");
  return memory;
}

}  // namespace cppc::address
