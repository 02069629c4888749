#include "address/symbols.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace cppc::address {

/// As the dynamic linker does, by the hash table.
const ElfW(Sym) * find_symbol(ElfW(Addr) base, const ElfW(Dyn) * dynamic, const char* name) {
  const std::uint32_t* hash = nullptr;
  const ElfW(Sym)* symbols = nullptr;
  const char* strings = nullptr;
  for (const auto* entry = dynamic; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_GNU_HASH) hash = dynamic_table<std::uint32_t>(base, entry->d_un.d_ptr);
    if (entry->d_tag == DT_SYMTAB) symbols = dynamic_table<ElfW(Sym)>(base, entry->d_un.d_ptr);
    if (entry->d_tag == DT_STRTAB) strings = dynamic_table<char>(base, entry->d_un.d_ptr);
  }
  if (hash == nullptr || symbols == nullptr || strings == nullptr) return nullptr;
  std::uint32_t value = 5381;
  for (const char* c = name; *c != '\0'; ++c) value = value * 33 + static_cast<unsigned char>(*c);
  const std::uint32_t buckets = hash[0], first = hash[1], words = hash[2];
  const std::uint32_t* const bucket = hash + 4 + 2 * static_cast<std::size_t>(words);
  const std::uint32_t* const chain = bucket + buckets;
  std::uint32_t symbol = bucket[value % buckets];
  if (symbol < first) return nullptr;
  for (;; ++symbol) {
    const std::uint32_t entry = chain[symbol - first];
    if ((entry | 1) == (value | 1) && std::strcmp(strings + symbols[symbol].st_name, name) == 0 &&
        symbols[symbol].st_shndx != SHN_UNDEF)
      return &symbols[symbol];
    if ((entry & 1) != 0) return nullptr;
  }
}

}  // namespace cppc::address
