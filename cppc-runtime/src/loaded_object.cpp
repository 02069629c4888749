#include "loaded_object.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <type_traits>
#include <utility>

namespace cppc {

namespace {

using Address = ElfW(Addr);

// The relocations by which the linker writes the address of a function, and what it keeps them in.
#if defined(__x86_64__)
using Relocation = ElfW(Rela);
constexpr unsigned address_types[] = {R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT, R_X86_64_64};
#elif defined(__i386__)
using Relocation = ElfW(Rel);
constexpr unsigned address_types[] = {R_386_JMP_SLOT, R_386_GLOB_DAT, R_386_32};
#elif defined(__s390x__)
using Relocation = ElfW(Rela);
constexpr unsigned address_types[] = {R_390_JMP_SLOT, R_390_GLOB_DAT, R_390_64};
#else
#error "the relocations of this architecture are to be named here"
#endif

using Relocations = std::span<const Relocation>;
constexpr bool has_addends = std::is_same_v<Relocation, ElfW(Rela)>;
constexpr auto data_tag = has_addends ? DT_RELA : DT_REL;
constexpr auto data_size_tag = has_addends ? DT_RELASZ : DT_RELSZ;
constexpr unsigned symbol_shift = sizeof(Address) == 8 ? 32 : 8;

std::size_t symbol_of(const Relocation& relocation) { return relocation.r_info >> symbol_shift; }

bool writes_address(const Relocation& relocation) {
  const auto type = relocation.r_info & ((std::uint64_t{1} << symbol_shift) - 1);
  return std::ranges::find(address_types, type) != std::end(address_types);
}

struct Tables {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  Relocations data;
  Relocations calls;
};

/// The linker has made most of the offsets in `dynamic` addresses.
template <class T>
const T* table(Address base, Address place) {
  return reinterpret_cast<const T*>(place < base ? base + place : place);
}

Tables tables_of(Address base, const ElfW(Phdr) * segment) {
  Tables tables;
  if (segment == nullptr) return tables;
  const Relocation* data = nullptr;
  const Relocation* calls = nullptr;
  std::size_t data_bytes = 0, call_bytes = 0;
  for (auto* dynamic = table<ElfW(Dyn)>(0, base + segment->p_vaddr); dynamic->d_tag != DT_NULL; ++dynamic) {
    const Address place = dynamic->d_un.d_ptr;
    if (dynamic->d_tag == DT_SYMTAB) tables.symbols = table<ElfW(Sym)>(base, place);
    if (dynamic->d_tag == DT_STRTAB) tables.names = table<char>(base, place);
    if (dynamic->d_tag == data_tag) data = table<Relocation>(base, place);
    if (dynamic->d_tag == DT_JMPREL) calls = table<Relocation>(base, place);
    if (dynamic->d_tag == data_size_tag) data_bytes = dynamic->d_un.d_val;
    if (dynamic->d_tag == DT_PLTRELSZ) call_bytes = dynamic->d_un.d_val;
  }
  if (data != nullptr) tables.data = {data, data_bytes / sizeof *data};
  if (calls != nullptr) tables.calls = {calls, call_bytes / sizeof *calls};
  return tables;
}

template <class Visit>  // of a relocation, the symbol that it writes the address of, and the symbol's name
void each_taken(const Tables& tables, Visit visit) {
  for (const Relocations relocations : {tables.data, tables.calls}) {
    for (const Relocation& relocation : relocations) {
      const auto& symbol = tables.symbols[symbol_of(relocation)];
      if (writes_address(relocation) && symbol.st_shndx == SHN_UNDEF)
        visit(relocation, symbol, tables.names + symbol.st_name);
    }
  }
}

/// As long as it lives, what the linker has made read-only can be written.
class Unprotected {
 public:
  Unprotected(Address base, const ElfW(Phdr) * relro) {
    if (relro == nullptr) return;
    const auto page = static_cast<Address>(sysconf(_SC_PAGESIZE));
    begin_ = (base + relro->p_vaddr) / page * page;
    bytes_ = (base + relro->p_vaddr + relro->p_memsz) / page * page - begin_;
    if (protect(PROT_READ | PROT_WRITE) != 0) error_ = errno;
  }
  Unprotected(const Unprotected&) = delete;
  Unprotected& operator=(const Unprotected&) = delete;
  ~Unprotected() { protect(PROT_READ); }

  [[nodiscard]] int error() const { return error_; }

 private:
  int protect(int allowed) { return bytes_ == 0 ? 0 : mprotect(reinterpret_cast<void*>(begin_), bytes_, allowed); }

  Address begin_ = 0;
  std::size_t bytes_ = 0;
  int error_ = 0;
};

}  // namespace

LoadedObject::LoadedObject(const dl_phdr_info& info)
    : name_(info.dlpi_name), base_(info.dlpi_addr), segments_(info.dlpi_phdr, info.dlpi_phnum) {}

std::vector<LoadedObject> LoadedObject::all() {
  std::vector<LoadedObject> objects;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* context) {
        static_cast<std::vector<LoadedObject>*>(context)->push_back(LoadedObject(*info));
        return 0;
      },
      &objects);
  return objects;
}

bool LoadedObject::holds(const void* address) const {
  const Address offset = reinterpret_cast<Address>(address) - base_;
  return std::ranges::any_of(segments_, [offset](const auto& segment) {
    return segment.p_type == PT_LOAD && offset - segment.p_vaddr < segment.p_memsz;
  });
}

const ElfW(Phdr) * LoadedObject::segment(ElfW(Word) type) const {
  const auto found = std::ranges::find(segments_, type, &ElfW(Phdr)::p_type);
  return found == segments_.end() ? nullptr : &*found;
}

bool LoadedObject::takes(const std::function<bool(const char* name)>& wanted) const {
  bool found = false;
  each_taken(tables_of(base_, segment(PT_DYNAMIC)),
             [&](const Relocation&, const auto&, const char* name) { found = found || wanted(name); });
  return found;
}

tl::expected<std::size_t, std::string> LoadedObject::rebind(
    const std::function<const void*(const char* name)>& choose) const {
  std::vector<std::pair<Address, const void*>> chosen;
  const char* at_fixed_address = nullptr;
  each_taken(tables_of(base_, segment(PT_DYNAMIC)),
             [&](const Relocation& relocation, const auto& symbol, const char* name) {
               const void* const function = choose(name);
               if (function == nullptr) return;
               if (symbol.st_value != 0) at_fixed_address = name;
               chosen.emplace_back(base_ + relocation.r_offset, function);
             });
  // Its address is a place in the program: others would be led here as well.
  if (at_fixed_address != nullptr)
    return tl::unexpected("is not linked with -pie, and takes the address of " + std::string(at_fixed_address));
  if (chosen.empty()) return 0;
  const Unprotected unprotected(base_, segment(PT_GNU_RELRO));
  if (unprotected.error() != 0)
    return tl::unexpected(std::string("cannot be changed: ") + std::strerror(unprotected.error()));
  for (const auto& [place, function] : chosen) *reinterpret_cast<const void**>(place) = function;
  return chosen.size();
}

}  // namespace cppc
