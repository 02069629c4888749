/// Whose code or data lies at an address.
#pragma once

#include <string>

namespace cppc::address {

enum class Owner {
  program,  ///< carried: the executable, a library that works for it, the program's memory
  process,  ///< MPI, the runtime, the C library and what they have loaded
  unknown   ///< a library that is not carried although it may work for the program
};

/// Who tells; the core sets it, once it knows which libraries it carries. Until then: the executable and the program's
/// memory are the program's, all else is the process's.
void set_owner_of(Owner (*owner_of)(const void* address));

Owner owner_of(const void* address);

/// The file that holds the address, for messages.
std::string file_of(const void* address);

}  // namespace cppc::address
