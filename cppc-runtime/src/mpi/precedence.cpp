#include "mpi/precedence.hpp"

#include <dlfcn.h>

namespace cppc::mpi {

namespace {

constexpr const char* replaced[] = {
#define ROW(name, ...) #name,
#define PASSED ROW
#define SENDS ROW
#define STARTS ROW
#define STARTS_SEND ROW
#define CREATES ROW
#define MAKES_TYPE ROW
#define MAKES_INFO ROW
#define GROUPED ROW
#define MAKES_GROUP ROW
#define BEGINS ROW
#define ENDS ROW
#define GETS ROW
#define PUTS ROW
#define STARTS_PUT ROW
#define REFUSED ROW
#define OWN ROW
#define OWN_REFUSED ROW
#define UNCHANGED(name)
#include "cppc/mpi/collectives.def"
#include "cppc/mpi/datatypes.def"
#include "cppc/mpi/files.def"
#include "cppc/mpi/functions.def"
#include "cppc/mpi/one_sided.def"
#include "cppc/mpi/others.def"
};

}  // namespace

std::optional<Taken> taken_function() {
  Dl_info own{};
  if (dladdr(reinterpret_cast<const void*>(&taken_function), &own) == 0) return std::nullopt;
  for (const char* const name : replaced) {
    Dl_info found{};
    const void* const first = dlsym(RTLD_DEFAULT, name);
    if (first == nullptr || dladdr(first, &found) == 0 || found.dli_fbase == own.dli_fbase) continue;
    return Taken{.function = name, .library = found.dli_fname};
  }
  return std::nullopt;
}

}  // namespace cppc::mpi
