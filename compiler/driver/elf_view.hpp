/// Sections and symbols of an ELF file in memory, every offset checked.
#pragma once

#include <elf.h>

#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace cppc::driver {

class ElfView {
 public:
  /// Nothing when `bytes` are no ELF file of this machine's kind.
  static std::optional<ElfView> of(std::span<const std::byte> bytes);

  [[nodiscard]] const Elf64_Ehdr& header() const { return header_; }
  [[nodiscard]] std::span<const Elf64_Shdr> sections() const { return sections_; }
  [[nodiscard]] std::size_t names_index() const { return names_index_; }  ///< of the section with the sections' names
  [[nodiscard]] std::string_view name(const Elf64_Shdr& section) const;
  [[nodiscard]] std::string_view contents(const Elf64_Shdr& section) const;
  /// The symbols of a symbol table, and their names.
  [[nodiscard]] std::vector<Elf64_Sym> symbols(const Elf64_Shdr& table) const;
  [[nodiscard]] std::string_view name(const Elf64_Shdr& table, const Elf64_Sym& symbol) const;

 private:
  template <class T>
  std::optional<T> at(std::uint64_t offset) const;

  std::span<const std::byte> bytes_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Shdr> sections_;
  std::size_t names_index_ = 0;
};

}  // namespace cppc::driver
