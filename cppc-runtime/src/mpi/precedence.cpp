#include "mpi/precedence.hpp"

#include <dlfcn.h>

namespace cppc::mpi {

namespace {

constexpr const char* replaced[] = {
#define SUPPORTED(name, ...) #name,
#define REFUSED(name, ...) #name,
#define UNCHANGED(name)
#include "cppc/mpi/all.def"
#define FORTRAN(c, lower, upper, ...) #lower, #lower "_", #lower "__", #upper,
#define FORTRAN_TEXT FORTRAN
#define FORTRAN_OWN FORTRAN
#define FORTRAN_REFUSED FORTRAN
#include "cppc/mpi/fortran.def"
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
