#include "address/describe.hpp"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <span>

#include "address/region_heap.hpp"
#include "cppc/unique_fd.hpp"

namespace cppc::address {

namespace {

/// The executable's file, in memory, for its table of symbols.
class ProgramFile {
 public:
  ProgramFile() {
    const UniqueFd file(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
    struct stat about {};
    if (file && fstat(file.get(), &about) == 0) {
      void* const mapped =
          mmap(nullptr, static_cast<std::size_t>(about.st_size), PROT_READ, MAP_PRIVATE, file.get(), 0);
      if (mapped != MAP_FAILED)
        bytes_ = {static_cast<const std::byte*>(mapped), static_cast<std::size_t>(about.st_size)};
    }
  }
  ProgramFile(const ProgramFile&) = delete;
  ProgramFile& operator=(const ProgramFile&) = delete;
  ~ProgramFile() {
    if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  }

  /// The variable that has this address when the executable's own addresses begin at `base`.
  [[nodiscard]] std::optional<std::string> variable_at(std::uintptr_t address, std::uintptr_t base) const {
    const auto* const header = at<ElfW(Ehdr)>(0, 1);
    if (header == nullptr) return std::nullopt;
    const auto* const sections = at<ElfW(Shdr)>(header->e_shoff, header->e_shnum);
    for (std::size_t i = 0; sections != nullptr && i < header->e_shnum; ++i) {
      const ElfW(Shdr)& table = sections[i];
      if (table.sh_type != SHT_SYMTAB || table.sh_link >= header->e_shnum) continue;
      const ElfW(Shdr)& names = sections[table.sh_link];
      const std::size_t count = table.sh_size / sizeof(ElfW(Sym));
      const auto* const symbols = at<ElfW(Sym)>(table.sh_offset, count);
      for (std::size_t k = 0; symbols != nullptr && k < count; ++k) {
        const ElfW(Sym)& symbol = symbols[k];
        if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT || address - base - symbol.st_value >= symbol.st_size) continue;
        const auto* const name = at<char>(names.sh_offset + symbol.st_name, 1);
        if (name != nullptr) return fmt::format("{}+{}", name, address - base - symbol.st_value);
      }
    }
    return std::nullopt;
  }

 private:
  template <class T>
  [[nodiscard]] const T* at(std::size_t offset, std::size_t count) const {
    if (offset > bytes_.size() || count > (bytes_.size() - offset) / sizeof(T)) return nullptr;
    return reinterpret_cast<const T*>(bytes_.data() + offset);
  }

  std::span<const std::byte> bytes_;
};

std::string describe_data(const Piece& piece, std::uint64_t offset) {
  const auto address = reinterpret_cast<std::uintptr_t>(piece.memory.data()) + offset;
  const std::string object = piece.name.substr(0, piece.name.rfind('/'));
  if (object == "program") {
    const auto base = _r_debug.r_map != nullptr ? _r_debug.r_map->l_addr : 0;
    if (const auto variable = ProgramFile().variable_at(address, base)) return "the variable " + *variable;
  }
  return fmt::format("a variable of {} at {:#x}", object == "program" ? "the program" : object, address);
}

}  // namespace

std::string describe(const Piece& piece, std::uint64_t offset) {
  const std::byte* const address = piece.memory.data() + offset;
  switch (piece.section) {
    case CPPC_SECTION_GLOBAL:
      return describe_data(piece, offset);
    case CPPC_SECTION_THREAD:
      return "a thread-local variable of " + piece.name;
    case CPPC_SECTION_STACK:
      return fmt::format("the stack at {}", static_cast<const void*>(address));
    case CPPC_SECTION_MAPPING:
      return fmt::format("memory that the program has from mmap(), at {}", static_cast<const void*>(address));
    default:
      break;
  }
  if (const auto block = RegionHeap::find_block(address); block.data() != nullptr)
    return fmt::format("the block of {} bytes at {}, {} bytes from its start,", block.size(),
                       static_cast<const void*>(block.data()), address - block.data());
  return fmt::format("the heap at {}", static_cast<const void*>(address));
}

std::string describe(const MemoryMap::Range& range) {
  if (range.name == "[heap]") return "the C library's heap";
  if (range.name == "[stack]") return "the stack that the system gave to the process";
  if (range.name.empty()) return "memory of the C library, MPI or another thread";
  return "the mapping of " + range.name;
}

}  // namespace cppc::address
