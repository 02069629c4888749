/// Where the dynamic linker has a library, or finds it.
#pragma once

#include <link.h>

#include <string>

namespace cppc::address::libraries {

/// Null when there is none.
const link_map* record_of(void* handle);

/// Another process may have another working directory.
std::string absolute(std::string path);

bool is_open(const std::string& name);

/// For the dynamic linker libcppc is who asks: what it would find for the program has to be said by a path.
std::string found_for(const void* caller, const std::string& name);

}  // namespace cppc::address::libraries
