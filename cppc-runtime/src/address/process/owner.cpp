#include "address/process/owner.hpp"

#include <dlfcn.h>
#include <link.h>

#include "address/places.hpp"

namespace cppc::address {

namespace {

/// The executable is the one that the dynamic linker names by nothing.
Owner by_executable(const void* address) {
  if (is_program_memory(address)) return Owner::program;
  Dl_info info{};
  void* map = nullptr;
  const bool known = dladdr1(address, &info, &map, RTLD_DL_LINKMAP) != 0 && map != nullptr;
  return known && *static_cast<const link_map*>(map)->l_name == '\0' ? Owner::program : Owner::process;
}

using Teller = Owner(const void* address);

constinit Teller* teller = by_executable;

}  // namespace

void set_owner_of(Owner (*owner_of)(const void* address)) { teller = owner_of; }

Owner owner_of(const void* address) { return teller(address); }

std::string file_of(const void* address) {
  Dl_info info{};
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "no file";
}

}  // namespace cppc::address
