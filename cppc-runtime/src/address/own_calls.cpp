#include "address/own_calls.hpp"

#include <dlfcn.h>
#include <gnu/lib-names.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "address/elf_object.hpp"
#include "address/symbols.hpp"
#include "log.hpp"

namespace cppc::address {

namespace {

// libcppc-images has a suffix of its own behind the name.
constexpr std::array<std::string_view, 3> own_libraries{"libcppc.so", "libcppc-migration.so", "libcppc-images.so"};

bool is_own(const ElfObject& object) {
  return std::ranges::any_of(own_libraries, [&](auto name) { return object.name.starts_with(name); });
}

bool is_in_own_library(const std::vector<ElfObject>& objects, const char* name) {
  return std::ranges::any_of(objects, [&](const ElfObject& one) { return is_own(one) && defines(one, name); });
}

/// The C library, and functions that it defines, in the versions that a library was linked with.
class CLibrary {
 public:
  explicit CLibrary(const ElfObject& object)
      : base_(object.base),
        dynamic_(reinterpret_cast<const ElfW(Dyn) *>(object.base + segment(object, PT_DYNAMIC)->p_vaddr)),
        handle_(dlopen(LIBC_SO, RTLD_LAZY | RTLD_NOLOAD)) {
    if (handle_ == nullptr) die(CPPC_ERR_SYSTEM, std::string("the C library is not loaded: ") + dlerror());
  }
  CLibrary(const CLibrary&) = delete;
  CLibrary& operator=(const CLibrary&) = delete;
  ~CLibrary() { dlclose(handle_); }

  [[nodiscard]] bool has_function(const char* name) const {
    const ElfW(Sym)* const symbol = find_symbol(base_, dynamic_, name);
    if (symbol == nullptr) return false;
    const auto type = ELF64_ST_TYPE(symbol->st_info);
    return type == STT_FUNC || type == STT_GNU_IFUNC;
  }
  [[nodiscard]] void* function(const char* name, const char* version) const {
    return version != nullptr ? dlvsym(handle_, name, version) : dlsym(handle_, name);
  }

 private:
  ElfW(Addr) base_;
  const ElfW(Dyn) * dynamic_;
  void* handle_;
};

/// Of a symbol that the object takes from another one; null: of none.
const char* version_of(const ElfObject& object, std::size_t symbol) {
  if (object.versions == nullptr || object.versions_needed == nullptr) return nullptr;
  const auto wanted = static_cast<ElfW(Half)>(object.versions[symbol] & 0x7fff);
  const auto behind = [](const auto* record, std::size_t bytes) {
    return reinterpret_cast<const char*>(record) + bytes;
  };
  for (const auto* need = object.versions_needed;;) {
    const auto* one = reinterpret_cast<const ElfW(Vernaux)*>(behind(need, need->vn_aux));
    for (unsigned left = need->vn_cnt; left > 0; --left) {
      if (one->vna_other == wanted) return object.strings + one->vna_name;
      one = reinterpret_cast<const ElfW(Vernaux)*>(behind(one, one->vna_next));
    }
    if (need->vn_next == 0) return nullptr;
    need = reinterpret_cast<const ElfW(Verneed)*>(behind(need, need->vn_next));
  }
}

/// Where the dynamic linker keeps addresses that it has looked up is read-only in part.
void write_slot(const ElfObject& object, ElfW(Addr) offset, void* value) {
  auto* const slot = reinterpret_cast<void**>(object.base + offset);
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  void* const first = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(slot) / page * page);
  const ElfW(Phdr)* const constant = segment(object, PT_GNU_RELRO);
  const bool is_constant = constant != nullptr && offset - constant->p_vaddr < constant->p_memsz;
  if (is_constant && mprotect(first, page, PROT_READ | PROT_WRITE) != 0)
    die(CPPC_ERR_SYSTEM, object.path + " cannot be bound to the C library: " + std::strerror(errno));
  *slot = value;
  if (is_constant) mprotect(first, page, PROT_READ);
}

/// Not functions that libcppc itself puts in the place of the C library's.
void direct(const ElfObject& object, const std::vector<ElfObject>& objects, const CLibrary& c_library) {
  for (const auto relocations : {object.data_relocations, object.call_relocations}) {
    for (const ElfW(Rela) & relocation : relocations) {
      const auto type = ELF64_R_TYPE(relocation.r_info);
      if (type != R_X86_64_GLOB_DAT && type != R_X86_64_JUMP_SLOT) continue;
      const auto number = ELF64_R_SYM(relocation.r_info);
      const ElfW(Sym)& symbol = object.symbols[number];
      const char* const name = object.strings + symbol.st_name;
      if (symbol.st_shndx != SHN_UNDEF || !c_library.has_function(name)) continue;
      void* const right = c_library.function(name, version_of(object, number));
      if (right == nullptr || dlsym(RTLD_DEFAULT, name) == right || is_in_own_library(objects, name)) continue;
      write_slot(object, relocation.r_offset, right);
    }
  }
}

}  // namespace

void direct_own_calls_to_c_library() {
  const auto objects = elf_objects();
  const auto c_library = std::ranges::find(objects, std::string(LIBC_SO), &ElfObject::soname);
  if (c_library == objects.end()) return;
  const CLibrary functions(*c_library);
  for (const ElfObject& object : objects)
    if (is_own(object)) direct(object, objects, functions);
}

}  // namespace cppc::address
