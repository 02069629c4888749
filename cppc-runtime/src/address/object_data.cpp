#include "address/object_data.hpp"

#include <unistd.h>

#include <algorithm>

namespace cppc::address {

namespace {

struct Range {
  Address begin;
  Address end;
};

/// Parts of the object's memory that the dynamic linker fills for this process.
std::vector<Range> linkers_data(const ElfObject& object, std::span<const ElfObject* const> libraries) {
  std::vector<Range> ranges;
  if (const auto* const relro = segment(object, PT_GNU_RELRO)) {
    const Address begin = object.base + relro->p_vaddr;
    ranges.push_back({begin, begin + relro->p_memsz});
  }
  for (const auto relocations : {object.data_relocations, object.call_relocations}) {
    for (const ElfW(Rela) & relocation : relocations) {
      const auto type = ELF64_R_TYPE(relocation.r_info);
      const Address place = object.base + relocation.r_offset;
      const ElfW(Sym)& symbol = object.symbols[ELF64_R_SYM(relocation.r_info)];
      // In front of the first slot are three words of the linker's own.
      if (type == R_X86_64_JUMP_SLOT) ranges.push_back({place - 24, place + 8});
      if (type == R_X86_64_GLOB_DAT || type == R_X86_64_DTPMOD64 || type == R_X86_64_TPOFF64 ||
          type == R_X86_64_IRELATIVE)
        ranges.push_back({place, place + 8});
      const auto has_it = [&](const ElfObject* other) {
        return definition(*other, object.strings + symbol.st_name) != nullptr;
      };
      if (type == R_X86_64_COPY && std::ranges::none_of(libraries, has_it))
        ranges.push_back({place, place + symbol.st_size});
    }
  }
  std::ranges::sort(ranges, {}, &Range::begin);
  return ranges;
}

bool is_written(const ElfW(Phdr) & loaded) { return loaded.p_type == PT_LOAD && (loaded.p_flags & PF_W) != 0; }

void add(std::vector<std::span<std::byte>>& parts, Address begin, Address end) {
  if (begin < end) parts.emplace_back(reinterpret_cast<std::byte*>(begin), end - begin);
}

}  // namespace

std::vector<std::span<std::byte>> written_data(const ElfObject& object, std::span<const ElfObject* const> libraries) {
  std::vector<std::span<std::byte>> data;
  const auto left_out = linkers_data(object, libraries);
  for (const auto& loaded : object.segments) {
    if (!is_written(loaded)) continue;
    Address at = object.base + loaded.p_vaddr;
    const Address end = at + loaded.p_memsz;
    for (const Range& hole : left_out) {
      if (hole.end <= at || hole.begin >= end) continue;
      add(data, at, hole.begin);
      at = std::max(at, hole.end);
    }
    add(data, at, end);
  }
  return data;
}

std::vector<std::span<std::byte>> zeroed_data(const ElfObject& object) {
  const auto page = static_cast<Address>(sysconf(_SC_PAGESIZE));
  std::vector<std::span<std::byte>> data;
  for (const auto& loaded : object.segments) {
    if (!is_written(loaded)) continue;
    const Address begin = object.base + loaded.p_vaddr;
    add(data, (begin + loaded.p_filesz + page - 1) / page * page, begin + loaded.p_memsz);
  }
  return data;
}

}  // namespace cppc::address
