#include "outside.hpp"

#include <algorithm>
#include <filesystem>

#include "archive.hpp"
#include "elf_view.hpp"
#include "files.hpp"
#include "object_file.hpp"

namespace cppc::driver {
namespace {

namespace fs = std::filesystem;

// Objects of gcc with nothing but its intermediate code, of which the linker makes others.
constexpr std::string_view intermediate = "__gnu_lto_slim";

// Adds the names, defined or not, that other objects may have, too. False when there are none to be seen; an object
// with nothing but constants, as of a Fortran module, may have no table of them.
bool add_names(std::string_view object, Elf64_Word table, Names& names) {
  const auto elf = ElfView::of(std::as_bytes(std::span(object)));
  if (!elf) return false;
  bool found = elf->header().e_type == ET_REL;
  for (const Elf64_Shdr& section : elf->sections()) {
    if (section.sh_type != table) continue;
    found = true;
    for (const Elf64_Sym& symbol : elf->symbols(section)) {
      const std::string_view name = elf->name(section, symbol);
      if (name == intermediate) return false;
      if (ELF64_ST_BIND(symbol.st_info) == STB_LOCAL || (table == SHT_DYNSYM && symbol.st_shndx == SHN_UNDEF)) continue;
      names.emplace(name.substr(0, name.find('@')));
    }
  }
  return found;
}

// They are the C library's, which knows of no program, and their names stand for scripts.
bool is_of_c(const std::string& library) {
  constexpr std::string_view libraries[] = {"c", "m", "pthread", "dl", "rt", "util"};
  return std::find(std::begin(libraries), std::end(libraries), library) != std::end(libraries);
}

bool is_shared_library(std::string_view contents) {
  const auto elf = ElfView::of(std::as_bytes(std::span(contents)));
  return elf && elf->header().e_type == ET_DYN;
}

// Other names for what has one already, and scripts that may do the same.
bool renames(const Argument& argument) {
  if (argument.role != Role::linker) return argument.words.front().starts_with("-T");
  constexpr std::string_view words[] = {"--defsym", "-defsym",  "--wrap",         "-wrap",
                                        "-T",       "--script", "--just-symbols", "-R"};
  return std::any_of(std::begin(words), std::end(words),
                     [&argument](std::string_view word) { return argument.value.starts_with(word); });
}

class Collector {
 public:
  Collector(const CommandLine& line, std::span<const Record> program, std::size_t own,
            std::vector<std::string> directories)
      : line_(line), program_(program), own_(own), directories_(std::move(directories)) {
    found_.of_records.resize(program.size());
  }

  std::optional<Outside> run(const std::string& linked) {
    if (line_.link_time_optimization || gives_names_anew(line_)) return {};
    for (const Argument& argument : line_.arguments)
      if (argument.role == Role::library_directory) searched_.push_back(argument.value);
    searched_.insert(searched_.end(), directories_.begin(), directories_.end());
    const auto is_foreign = [](const Argument& argument) {
      const auto language = argument.role == Role::input ? language_of(argument) : std::nullopt;
      return language && *language != Language::fortran;
    };
    if (std::any_of(line_.arguments.begin(), line_.arguments.end(), is_foreign)) found_.others.insert(any_name);
    for (const Argument& argument : line_.arguments)
      for (const std::string& path : files_of(argument))
        if (!add_file(path)) return {};
    // What shared libraries may use of the program.
    const std::string program = read_regular_file(linked).value_or("");
    if (!add_names(program, SHT_DYNSYM, found_.others)) return {};
    return std::move(found_);
  }

 private:
  [[nodiscard]] std::vector<std::string> files_of(const Argument& argument) const {
    if (argument.role == Role::input)
      return language_of(argument) ? std::vector<std::string>() : std::vector{argument.value};
    if (argument.role == Role::linker_input) return {argument.value};
    if (argument.role != Role::library || is_of_c(argument.value)) return {};
    const std::string library = "lib" + argument.value;
    std::vector<std::string> names{library + ".so", library + ".a"}, files;  // whichever of them the linker takes
    if (argument.value.starts_with(':')) names = {argument.value.substr(1)};
    for (const std::string& directory : searched_)
      for (const std::string& name : names) {
        std::error_code failure;
        const fs::path path = fs::path(directory) / name;
        if (fs::exists(path, failure)) files.push_back(path);
      }
    return files;
  }

  bool add_file(const std::string& path) {
    const std::string contents = read_regular_file(path).value_or("");
    if (is_shared_library(contents)) return true;
    if (!is_archive(contents)) return add_object(contents);
    const auto members = read_archive(path, contents);
    return members && std::all_of(members->begin(), members->end(),
                                  [this](const Member& member) { return add_object(member.contents); });
  }

  bool add_object(const std::string& contents) {
    Names names;
    if (!add_names(contents, SHT_SYMTAB, names)) return false;
    const ObjectFacts facts = read_object(std::as_bytes(std::span(contents)));
    const auto records = read_records(facts.commands, "");
    const bool recorded = !facts.commands.empty() && records && facts.source_files <= records->size();
    if (!recorded) {
      found_.others.insert(names.begin(), names.end());
      return true;
    }
    for (const Record& record : *records) {
      const auto place = std::find(program_.begin() + static_cast<std::ptrdiff_t>(own_), program_.end(), record);
      const bool taken = place != program_.end();
      auto& known = taken ? found_.of_records[static_cast<std::size_t>(place - program_.begin())] : unused_;
      if (!known) known.emplace();
      known->insert(names.begin(), names.end());
    }
    return true;
  }

  const CommandLine& line_;
  const std::span<const Record> program_;
  const std::size_t own_;
  const std::vector<std::string> directories_;
  std::vector<std::string> searched_;
  Outside found_;
  std::optional<Names> unused_;  // of objects that the linker has not taken
};

}  // namespace

bool gives_names_anew(const CommandLine& line) {
  return std::any_of(line.arguments.begin(), line.arguments.end(), renames);
}

std::optional<Outside> names_outside(const CommandLine& line, std::span<const Record> program, std::size_t own,
                                     const std::string& linked, const std::vector<std::string>& directories) {
  return Collector(line, program, own, directories).run(linked);
}

}  // namespace cppc::driver
