#include "precedence.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "loaded_object.hpp"
#include "log.hpp"

namespace cppc {

namespace {

constexpr const char* replaced[] = {
#define SUPPORTED(name, ...) #name,
#define REFUSED(name, ...) #name,
#define UNCHANGED(name)
#include "cppc/mpi/all.def"
};

constexpr const char* replaced_in_fortran[] = {
#define FORTRAN(c, lower, upper, ...) #lower, #lower "_", #lower "__", #upper,
#define FORTRAN_TEXT FORTRAN
#define FORTRAN_OWN FORTRAN
#define FORTRAN_REQUESTS FORTRAN
#define FORTRAN_REFUSED FORTRAN
#include "cppc/mpi/fortran.def"
};

/// Without its first letter, a name is that of the function of MPI.
constexpr std::string_view profiling_prefix = "PMPI_";

std::string library_of(const void* function) {
  Dl_info found{};
  return dladdr(function, &found) != 0 ? found.dli_fname : "an unknown library";
}

/// Without asking dladdr() for each of hundreds of functions, which looks through all symbols of libcppc each time.
bool in_libcppc(const void* address) {
  static const LoadedObject& libcppc = []() -> const LoadedObject& {
    const auto& objects = *new std::vector<LoadedObject>(LoadedObject::all());  // used until the process ends
    return *std::ranges::find_if(
        objects, [](const LoadedObject& object) { return object.holds(reinterpret_cast<const void*>(&taken)); });
  }();
  return libcppc.holds(address);
}

/// Where the program takes the address of another's function: what the linker has put there leads to that function.
bool leads_on(const void* address, const char* function) {
  static const LoadedObject& program = *new LoadedObject(LoadedObject::all().front());
  return program.holds(address) && program.takes([function](std::string_view name) { return name == function; });
}

[[noreturn]] void refuse(const std::string& why) {
  die(CPPC_ERR_UNSUPPORTED, why + ": this job could not be migrated, so it does not start");
}

class Precedence {
 public:
  Precedence()
      : own_library_(dlopen(library_of(reinterpret_cast<const void*>(&taken)).c_str(), RTLD_LAZY | RTLD_NOLOAD)) {
    if (own_library_ == nullptr) refuse(std::string("libcppc does not find itself: ") + dlerror());
  }
  Precedence(const Precedence&) = delete;
  Precedence& operator=(const Precedence&) = delete;
  ~Precedence() { dlclose(own_library_); }

  /// In all objects but MPI itself.
  void adopt_tools() {
    const void* const in_mpi = dlsym(own_library_, "PMPI_Init");
    for (const LoadedObject& object : objects_) {
      if (object.holds(reinterpret_cast<const void*>(&taken)) || object.holds(in_mpi)) continue;
      const auto rebound = object.rebind([this](const char* name) { return own_for(name); });
      if (!rebound) refuse(named(object) + " calls functions of MPI by their PMPI_ names, but " + rebound.error());
      if (*rebound > 0) tools_.push_back(object);
    }
  }

  /// A tool that finds MPI's functions in a way of its own would hand the program's handles to an MPI that does not
  /// know them.
  void check_those_before() const {
    for (const char* const name : replaced)
      if (taken(name)) refuse_unless_tool(name);
    for (const char* const name : replaced_in_fortran)
      if (taken(name) && !is_of_its_own(name)) refuse_unless_tool(name);
  }

 private:
  static std::string named(const LoadedObject& object) { return object.name().empty() ? "the program" : object.name(); }

  void refuse_unless_tool(const char* name) const {
    const void* const first = dlsym(RTLD_DEFAULT, name);
    if (std::ranges::any_of(tools_, [first](const auto& tool) { return tool.holds(first); })) return;
    refuse(std::string(name) + " is in " + library_of(first) +
           ", which comes before libcppc and does not call MPI's functions by their PMPI_ names");
  }

  /// Whether who has the function only happens to call it so, as a program in C may that has a function mpi_barrier():
  /// it does not lead to MPI's in Fortran, and nobody else calls it.
  [[nodiscard]] bool is_of_its_own(const char* name) const {
    const void* const function = dlsym(RTLD_DEFAULT, name);
    return std::ranges::none_of(objects_, [&](const LoadedObject& object) {
      if (object.holds(function))
        return object.takes([](std::string_view taken) { return taken.starts_with("pmpi_"); });
      return object.takes([name](std::string_view taken) { return taken == name; });
    });
  }

  /// What is to be called in place of `name`, if libcppc has it.
  [[nodiscard]] const void* own_for(const char* name) const {
    if (!std::string_view(name).starts_with(profiling_prefix)) return nullptr;
    const void* const found = dlsym(own_library_, name + 1);
    return in_libcppc(found) ? found : nullptr;
  }

  void* own_library_;
  std::vector<LoadedObject> objects_ = LoadedObject::all();
  std::vector<LoadedObject> tools_;
};

__attribute__((constructor)) void establish_precedence() noexcept try {
  const char* extension = std::getenv("CPPC_EXTENSION");
  if (extension == nullptr || *extension == '\0') return;
  Precedence precedence;
  precedence.adopt_tools();
  precedence.check_those_before();
} catch (const std::bad_alloc&) {
  die(CPPC_ERR_MEMORY, "no memory to look at the libraries of the program");
}

}  // namespace

bool taken(const char* function) {
  const void* const first = dlsym(RTLD_DEFAULT, function);
  return first != nullptr && !in_libcppc(first) && !leads_on(first, function);
}

}  // namespace cppc
