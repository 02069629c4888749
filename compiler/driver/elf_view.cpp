#include "elf_view.hpp"

#include <bit>

namespace cppc::driver {
namespace {

constexpr unsigned char this_byte_order = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;

std::string_view text_at(std::string_view strings, std::size_t offset) {
  if (offset >= strings.size()) return {};
  strings.remove_prefix(offset);
  return strings.substr(0, strings.find('\0'));
}

}  // namespace

template <class T>
std::optional<T> ElfView::at(std::uint64_t offset) const {
  if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes_.data() + offset, sizeof value);
  return value;
}

std::optional<ElfView> ElfView::of(std::span<const std::byte> bytes) {
  ElfView view;
  view.bytes_ = bytes;
  const auto header = view.at<Elf64_Ehdr>(0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_ident[EI_DATA] != this_byte_order || header->e_shentsize != sizeof(Elf64_Shdr)) {
    return std::nullopt;
  }
  view.header_ = *header;
  const auto first = view.at<Elf64_Shdr>(header->e_shoff);
  if (!first) return std::nullopt;
  // Too large for the header, both stand in the first section's.
  const std::uint64_t count = header->e_shnum != 0 ? header->e_shnum : first->sh_size;
  view.names_index_ = header->e_shstrndx != SHN_XINDEX ? header->e_shstrndx : first->sh_link;
  for (std::uint64_t index = 0; index < count; ++index) {
    const auto section = view.at<Elf64_Shdr>(header->e_shoff + index * sizeof(Elf64_Shdr));
    if (!section) return std::nullopt;
    view.sections_.push_back(*section);
  }
  if (view.names_index_ >= view.sections_.size()) return std::nullopt;
  return view;
}

std::string_view ElfView::contents(const Elf64_Shdr& section) const {
  if (section.sh_type == SHT_NOBITS || section.sh_offset > bytes_.size()) return {};
  if (bytes_.size() - section.sh_offset < section.sh_size) return {};
  return {reinterpret_cast<const char*>(bytes_.data()) + section.sh_offset, section.sh_size};
}

std::string_view ElfView::name(const Elf64_Shdr& section) const {
  return text_at(contents(sections_[names_index_]), section.sh_name);
}

std::vector<Elf64_Sym> ElfView::symbols(const Elf64_Shdr& table) const {
  const std::string_view raw = contents(table);
  std::vector<Elf64_Sym> symbols(raw.size() / sizeof(Elf64_Sym));
  if (!symbols.empty()) std::memcpy(symbols.data(), raw.data(), symbols.size() * sizeof(Elf64_Sym));
  return symbols;
}

std::string_view ElfView::name(const Elf64_Shdr& table, const Elf64_Sym& symbol) const {
  return table.sh_link < sections_.size() ? text_at(contents(sections_[table.sh_link]), symbol.st_name)
                                          : std::string_view{};
}

}  // namespace cppc::driver
