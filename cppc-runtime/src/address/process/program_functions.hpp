/// Functions of the program and its libraries by their names, of those too that the program has opened for itself alone
/// (RTLD_LOCAL, as Python opens modules), which dlsym() does not find.
#pragma once

#include <vector>

namespace cppc::address {

/// One of each object that is carried and defines it. On the thread that runs main; not in signal handlers.
std::vector<void*> program_functions(const char* name);

}  // namespace cppc::address
