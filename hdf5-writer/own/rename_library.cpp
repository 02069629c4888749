/// rename_library FILE OLD=NEW...: names that the dynamic linker goes by, of libraries and of versions of symbols, get
/// another beginning of the same length in a shared object or program: all that begin with OLD. What asked for the old
/// ones will not find it any more, and it does not find what others offer under them.
#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

class Object {
 public:
  explicit Object(const std::string& path) : path_(path) {
    std::ifstream file(path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
    const auto& header = at<Elf64_Ehdr>(0);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
      throw std::runtime_error(path + " is no 64-bit ELF file");
  }

  void rename(std::string_view old_name, std::string_view new_name) {
    if (old_name.size() != new_name.size()) throw std::runtime_error("names have to be equally long");
    const Elf64_Shdr& strings = section(section_of(SHT_DYNAMIC).sh_link);
    const std::string wanted = std::string(1, 0) + std::string(old_name);
    const std::string_view table(bytes_.data() + strings.sh_offset, strings.sh_size);
    auto found = table.find(wanted);
    if (found == std::string_view::npos) throw std::runtime_error(path_ + " does not name " + std::string(old_name));
    for (; found != std::string_view::npos; found = table.find(wanted, found + 1))
      std::ranges::copy(new_name, bytes_.begin() + static_cast<std::ptrdiff_t>(strings.sh_offset + found + 1));
  }

  /// Versions are found by these first.
  void hash_versions() {
    for (std::size_t number = 0; number < at<Elf64_Ehdr>(0).e_shnum; ++number) {
      const Elf64_Shdr& table = section(number);
      if (table.sh_type == SHT_GNU_verdef) hash_definitions(table);
      if (table.sh_type == SHT_GNU_verneed) hash_needs(table);
    }
  }

  void write() const {
    std::ofstream file(path_, std::ios::binary);
    if (!file.write(bytes_.data(), static_cast<std::streamsize>(bytes_.size())).flush())
      throw std::runtime_error("cannot write " + path_);
  }

 private:
  template <class T>
  T& at(std::size_t offset) {
    if (offset > bytes_.size() || sizeof(T) > bytes_.size() - offset) throw std::runtime_error(path_ + " is damaged");
    return *reinterpret_cast<T*>(bytes_.data() + offset);
  }

  Elf64_Shdr& section(std::size_t number) {
    return at<Elf64_Shdr>(at<Elf64_Ehdr>(0).e_shoff + number * sizeof(Elf64_Shdr));
  }

  Elf64_Shdr& section_of(Elf64_Word type) {
    for (std::size_t number = 0; number < at<Elf64_Ehdr>(0).e_shnum; ++number)
      if (section(number).sh_type == type) return section(number);
    throw std::runtime_error(path_ + " is not dynamically linked");
  }

  /// As the generic ABI of ELF has it.
  Elf64_Word hash(const Elf64_Shdr& table, std::size_t name) {
    Elf64_Word value = 0;
    for (const char* c = &at<char>(section(table.sh_link).sh_offset + name); *c != '\0'; ++c) {
      value = (value << 4) + static_cast<unsigned char>(*c);
      const Elf64_Word high = value & 0xf0000000;
      value = (value ^ high >> 24) & ~high;
    }
    return value;
  }

  void hash_definitions(const Elf64_Shdr& table) {
    for (std::size_t offset = table.sh_offset, i = 0; i < table.sh_info; ++i) {
      auto& definition = at<Elf64_Verdef>(offset);
      definition.vd_hash = hash(table, at<Elf64_Verdaux>(offset + definition.vd_aux).vda_name);
      offset += definition.vd_next;
    }
  }

  void hash_needs(const Elf64_Shdr& table) {
    for (std::size_t offset = table.sh_offset, i = 0; i < table.sh_info; ++i) {
      const auto& need = at<Elf64_Verneed>(offset);
      for (std::size_t version = offset + need.vn_aux, k = 0; k < need.vn_cnt; ++k) {
        auto& wanted = at<Elf64_Vernaux>(version);
        wanted.vna_hash = hash(table, wanted.vna_name);
        version += wanted.vna_next;
      }
      offset += need.vn_next;
    }
  }

  std::string path_;
  std::vector<char> bytes_;
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3) throw std::runtime_error("usage: rename_library FILE OLD=NEW...");
  Object object(argv[1]);
  for (const std::string_view names : std::span(argv + 2, static_cast<std::size_t>(argc - 2))) {
    const auto equals = names.find('=');
    if (equals == std::string_view::npos) throw std::runtime_error("usage: rename_library FILE OLD=NEW...");
    object.rename(names.substr(0, equals), names.substr(equals + 1));
  }
  object.hash_versions();
  object.write();
} catch (const std::exception& error) {
  std::cerr << "rename_library: " << error.what() << '\n';
  return 1;
}
