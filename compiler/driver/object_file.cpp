#include "object_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "elf_view.hpp"
#include "files.hpp"

namespace cppc::driver {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view section_name = ".cppc.command";

void read_symbols(const ElfView& elf, const Elf64_Shdr& table, ObjectFacts& facts) {
  facts.has_symbols = true;
  for (const Elf64_Sym& symbol : elf.symbols(table)) {
    const std::string_view name = elf.name(table, symbol);
    if ((name == "main" || name == "MAIN__") && symbol.st_shndx != SHN_UNDEF) facts.defines_main = true;
    if (name.starts_with("MPI_") || name.starts_with("PMPI_") || name.starts_with("mpi_")) facts.names_mpi = true;
    if (symbol.st_shndx == SHN_UNDEF) {
      facts.wants_cxx = facts.wants_cxx || name.starts_with("_ZS") || name.starts_with("_ZNS") ||
                        name.starts_with("_ZNKS") || name.starts_with("_Znw") || name == "__gxx_personality_v0";
      facts.wants_fortran = facts.wants_fortran || name.starts_with("_gfortran_");
    }
    if (ELF64_ST_TYPE(symbol.st_info) == STT_FILE && !name.empty()) ++facts.source_files;
  }
}

// The object's end, with the section added: contents, the names of the sections with one more, the table of sections.
struct Tail {
  std::string bytes;
  Elf64_Ehdr header;
};

Tail tail_with(const ElfView& elf, std::uint64_t size, std::string_view commands) {
  std::vector<Elf64_Shdr> sections(elf.sections().begin(), elf.sections().end());
  Tail tail{std::string(commands), elf.header()};
  Elf64_Shdr& names = sections[elf.names_index()];
  std::string all_names(elf.contents(names));
  Elf64_Shdr added{};
  added.sh_name = static_cast<Elf64_Word>(all_names.size());
  added.sh_type = SHT_PROGBITS;
  added.sh_offset = size;
  added.sh_size = commands.size();
  added.sh_addralign = 1;
  all_names.append(section_name).push_back('\0');
  names.sh_offset = size + tail.bytes.size();
  names.sh_size = all_names.size();
  tail.bytes += all_names;
  sections.push_back(added);
  tail.bytes.append((8 - (size + tail.bytes.size()) % 8) % 8, '\0');
  tail.header.e_shoff = size + tail.bytes.size();
  if (tail.header.e_shnum == 0 || sections.size() >= SHN_LORESERVE) {
    tail.header.e_shnum = 0;
    sections.front().sh_size = sections.size();
  } else {
    tail.header.e_shnum = static_cast<Elf64_Half>(sections.size());
  }
  tail.bytes.append(reinterpret_cast<const char*>(sections.data()), sections.size() * sizeof(Elf64_Shdr));
  return tail;
}

bool write_at(int fd, std::uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
  return true;
}

// A compiler cache may have made the object as another name of a file of its own.
bool make_own(const std::string& path, std::string_view contents) {
  std::error_code failure;
  if (fs::hard_link_count(path, failure) == 1) return true;
  const fs::perms permissions = fs::status(path, failure).permissions() | fs::perms::owner_write;
  if (failure || !fs::remove(path, failure)) return false;
  std::ofstream(path, std::ios::binary) << contents;
  fs::permissions(path, permissions, failure);
  return !failure && fs::file_size(path, failure) == contents.size();
}

// The header comes last: until then, the object is what it was.
bool append(const std::string& path, std::uint64_t size, const Tail& tail) {
  const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const std::string_view header(reinterpret_cast<const char*>(&tail.header), sizeof tail.header);
  const bool written = write_at(fd, size, tail.bytes) && write_at(fd, 0, header);
  return close(fd) == 0 && written;
}

}  // namespace

ObjectFacts read_object(std::span<const std::byte> bytes) {
  const auto elf = ElfView::of(bytes);
  if (!elf) return {};
  ObjectFacts facts{.is_elf = true, .is_object = elf->header().e_type == ET_REL};
  for (const Elf64_Shdr& section : elf->sections()) {
    if (section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM) read_symbols(*elf, section, facts);
    if (elf->name(section) == section_name) facts.commands += elf->contents(section);
  }
  return facts;
}

ObjectFacts read_object_file(const std::string& path) {
  const std::string contents = read_regular_file(path).value_or("");
  return read_object(std::as_bytes(std::span(contents)));
}

Result<Added> add_commands(const std::string& path, std::string_view commands) {
  const std::string contents = read_regular_file(path).value_or("");
  const auto elf = ElfView::of(std::as_bytes(std::span(contents)));
  if (!elf || elf->header().e_type != ET_REL) return Added::not_elf;
  if (!make_own(path, contents) || !append(path, contents.size(), tail_with(*elf, contents.size(), commands)))
    return error("cannot write into " + path + ": " + std::strerror(errno));
  return Added::yes;
}

}  // namespace cppc::driver
