#include "address/own_calls.hpp"

#include <dlfcn.h>
#include <gnu/lib-names.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "loaded_object.hpp"
#include "log.hpp"
#include "precedence.hpp"

namespace cppc::address {

namespace {

// libcppc-images has a suffix of its own behind the name.
constexpr std::array<std::string_view, 3> own_libraries{"/libcppc.so", "/libcppc-migration.so", "/libcppc-images.so"};

bool is_own(const LoadedObject& object) {
  return std::ranges::any_of(own_libraries, [&](auto name) { return object.name().find(name) != std::string::npos; });
}

/// Of variables of the C library the program has the only ones.
bool is_function(const void* address) {
  Dl_info info{};
  void* symbol = nullptr;
  return dladdr1(address, &info, &symbol, RTLD_DL_SYMENT) != 0 && symbol != nullptr &&
         ELF64_ST_TYPE(static_cast<const ElfW(Sym)*>(symbol)->st_info) == STT_FUNC;
}

/// The C library's function of this name, where another one would be called that is not libcppc's own.
const void* right_function(void* c_library, const char* name) {
  if (!taken(name)) return nullptr;
  const void* const right = dlsym(c_library, name);
  const void* const first = dlsym(RTLD_DEFAULT, name);
  return right != nullptr && first != right && is_function(first) ? right : nullptr;
}

}  // namespace

void direct_own_calls_to_c_library() {
  void* const c_library = dlopen(LIBC_SO, RTLD_LAZY | RTLD_NOLOAD);
  if (c_library == nullptr) die(CPPC_ERR_SYSTEM, std::string("the C library is not loaded: ") + dlerror());
  for (const LoadedObject& object : LoadedObject::all()) {
    if (!is_own(object)) continue;
    const auto rebound = object.rebind([&](const char* name) { return right_function(c_library, name); });
    if (!rebound) die(CPPC_ERR_SYSTEM, object.name() + " has to call the C library, but " + rebound.error());
  }
  dlclose(c_library);
}

}  // namespace cppc::address
