/// The executable and the shared libraries of this process, as the dynamic linker describes them.
#pragma once

#include <link.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cppc::address {

using Address = ElfW(Addr);

/// What it points to stays while the object is loaded.
struct ElfObject {
  std::string path;
  std::string name;    ///< of the file
  std::string soname;  ///< what others ask for
  Address base = 0;
  std::span<const ElfW(Phdr)> segments;
  std::span<std::byte> thread_data;           ///< the calling thread's; empty: it has none yet
  std::span<const std::byte> thread_initial;  ///< what it begins with; the rest is zero
  std::vector<std::string> needed;
  std::span<const ElfW(Rela)> data_relocations;
  std::span<const ElfW(Rela)> call_relocations;
  const ElfW(Sym) * symbols = nullptr;
  const char* strings = nullptr;
  std::size_t thread_module = 0;  ///< the dynamic linker's number of its thread-local variables
};

/// Those loaded now, the executable first. Asks for memory.
std::vector<ElfObject> elf_objects();

/// The first of this type; null: there is none.
const ElfW(Phdr) * segment(const ElfObject& object, ElfW(Word) type);

/// A function or variable that the object defines for others; null: it defines none of this name.
const ElfW(Sym) * definition(const ElfObject& object, const char* name);

std::string file_name(std::string_view path);

}  // namespace cppc::address
