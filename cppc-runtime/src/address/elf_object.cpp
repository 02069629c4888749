#include "address/elf_object.hpp"

#include <algorithm>

#include "address/symbols.hpp"

namespace cppc::address {

namespace {

void read_dynamic(ElfObject& object) {
  const auto* const header = segment(object, PT_DYNAMIC);
  if (header == nullptr) return;
  const auto* const first = reinterpret_cast<const ElfW(Dyn)*>(object.base + header->p_vaddr);
  const ElfW(Rela)* data = nullptr;
  const ElfW(Rela)* calls = nullptr;
  std::size_t data_bytes = 0, call_bytes = 0;
  for (const auto* entry = first; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_STRTAB) object.strings = dynamic_table<char>(object.base, entry->d_un.d_ptr);
    if (entry->d_tag == DT_SYMTAB) object.symbols = dynamic_table<ElfW(Sym)>(object.base, entry->d_un.d_ptr);
    if (entry->d_tag == DT_RELA) data = dynamic_table<ElfW(Rela)>(object.base, entry->d_un.d_ptr);
    if (entry->d_tag == DT_JMPREL) calls = dynamic_table<ElfW(Rela)>(object.base, entry->d_un.d_ptr);
    if (entry->d_tag == DT_RELASZ) data_bytes = entry->d_un.d_val;
    if (entry->d_tag == DT_PLTRELSZ) call_bytes = entry->d_un.d_val;
  }
  if (data != nullptr) object.data_relocations = {data, data_bytes / sizeof *data};
  if (calls != nullptr) object.call_relocations = {calls, call_bytes / sizeof *calls};
  if (object.strings == nullptr) return;
  for (const auto* entry = first; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_NEEDED) object.needed.emplace_back(object.strings + entry->d_un.d_val);
    if (entry->d_tag == DT_SONAME) object.soname = object.strings + entry->d_un.d_val;
  }
}

ElfObject describe(const dl_phdr_info& info) {
  ElfObject object{.path = info.dlpi_name,
                   .name = file_name(info.dlpi_name),
                   .base = info.dlpi_addr,
                   .segments = std::span(info.dlpi_phdr, info.dlpi_phnum),
                   .thread_module = info.dlpi_tls_modid};
  if (const auto* const tls = segment(object, PT_TLS); tls != nullptr && info.dlpi_tls_data != nullptr) {
    object.thread_data = {static_cast<std::byte*>(info.dlpi_tls_data), tls->p_memsz};
    object.thread_initial = {reinterpret_cast<const std::byte*>(object.base + tls->p_vaddr), tls->p_filesz};
  }
  read_dynamic(object);
  return object;
}

}  // namespace

const ElfW(Phdr) * segment(const ElfObject& object, ElfW(Word) type) {
  const auto found = std::ranges::find(object.segments, type, &ElfW(Phdr)::p_type);
  return found == object.segments.end() ? nullptr : &*found;
}

std::string file_name(std::string_view path) { return std::string(path.substr(path.rfind('/') + 1)); }

std::vector<ElfObject> elf_objects() {
  std::vector<ElfObject> objects;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* context) {
        static_cast<std::vector<ElfObject>*>(context)->push_back(describe(*info));
        return 0;
      },
      &objects);
  return objects;
}

const ElfW(Sym) * definition(const ElfObject& object, const char* name) {
  const auto* const header = segment(object, PT_DYNAMIC);
  if (header == nullptr) return nullptr;  // it was not linked dynamically
  return find_symbol(object.base, reinterpret_cast<const ElfW(Dyn)*>(object.base + header->p_vaddr), name);
}

}  // namespace cppc::address
