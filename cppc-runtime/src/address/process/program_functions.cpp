#include "address/process/program_functions.hpp"

#include <algorithm>

#include "address/carried_objects.hpp"
#include "address/elf_object.hpp"
#include "address/program_time.hpp"

namespace cppc::address {

std::vector<void*> program_functions(const char* name) {
  const OutsideProgram outside;
  const auto carried = carried_objects();
  std::vector<void*> functions;
  for (const ElfObject& object : elf_objects()) {
    if (std::ranges::find(carried, object.base, &CarriedObject::base) == carried.end()) continue;
    const ElfW(Sym)* const symbol = definition(object, name);
    if (symbol != nullptr && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC)
      functions.push_back(reinterpret_cast<void*>(object.base + symbol->st_value));
  }
  return functions;
}

}  // namespace cppc::address
