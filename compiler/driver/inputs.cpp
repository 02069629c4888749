#include "inputs.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <sstream>

#include "archive.hpp"
#include "elf_view.hpp"
#include "files.hpp"
#include "object_file.hpp"

namespace cppc::driver {
namespace {

namespace fs = std::filesystem;

constexpr std::array names_of_mpi = {"MPI_", "mpi_", "mpi.h", "mpif.h", "use mpi", "USE MPI", "Use MPI", "MPI::"};
constexpr std::array libraries_apart = {"libmpi", "libcppc", "liboshmem", "libopen-"};
// They are the C library's, and always on the command line.
constexpr std::array libraries_of_c = {"c", "m", "pthread", "dl", "rt", "util"};

struct Runtime {
  Language language;
  const char* library;
  const char* people_say;
};
constexpr std::array runtimes = {Runtime{Language::cxx, "stdc++", "C++"},
                                 Runtime{Language::fortran, "gfortran", "Fortran"}};

bool is_shared_library(const std::string& path) {
  return fs::path(path).filename().string().find(".so") != std::string::npos;
}

bool is_apart(const std::string& path) {
  const std::string name = fs::path(path).filename();
  return std::any_of(libraries_apart.begin(), libraries_apart.end(),
                     [&name](const char* beginning) { return name.starts_with(beginning); });
}

bool contains(const std::string& path, const std::string& text) {
  return read_regular_file(path).value_or("").find(text) != std::string::npos;
}

// Operators new and delete, what is in std, exceptions.
bool is_of_cxx(std::string_view name) {
  constexpr std::string_view beginnings[] = {"_Znw",  "_Zna",   "_Zdl",        "_Zda",         "_ZSt",
                                             "_ZNSt", "_ZNKSt", "__cxa_throw", "__cxa_begin_", "__gxx_personality"};
  return std::any_of(std::begin(beginnings), std::end(beginnings),
                     [name](std::string_view beginning) { return name.starts_with(beginning); });
}

bool needs_names_of_cxx(const std::string& library) {
  const auto elf = ElfView::of(std::as_bytes(std::span(library)));
  if (!elf) return false;
  for (const Elf64_Shdr& section : elf->sections()) {
    if (section.sh_type != SHT_DYNSYM) continue;
    for (const Elf64_Sym& symbol : elf->symbols(section))
      if (symbol.st_shndx == SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL &&
          is_of_cxx(elf->name(section, symbol)))
        return true;
  }
  return false;
}

bool has_runtime(const CommandLine& line, const Wrapper& wrapper, const Runtime& runtime) {
  if (wrapper.language == runtime.language) return true;
  return std::any_of(line.arguments.begin(), line.arguments.end(), [&runtime](const Argument& argument) {
    const bool names_it = argument.value.find(runtime.library) != std::string::npos;
    return names_it && (argument.role == Role::library || argument.role == Role::linker ||
                        argument.role == Role::linker_input || argument.role == Role::input);
  });
}

std::string advice(const std::string& file, const char* verb, const Runtime& runtime, const char* compile) {
  return file + verb + runtime.people_say + ": " + compile + "link with " + wrapper_name(runtime.language) +
         ", or add -l" + runtime.library;
}

std::vector<ObjectFacts> objects_in(const std::string& path) {
  const std::string contents = read_regular_file(path).value_or("");
  std::vector<ObjectFacts> objects;
  if (!is_archive(contents)) return {read_object(std::as_bytes(std::span(contents)))};
  if (const auto members = read_archive(path, contents)) {
    for (const Member& member : *members) objects.push_back(read_object(std::as_bytes(std::span(member.contents))));
  }
  return objects;
}

}  // namespace

std::vector<std::string> input_files(const CommandLine& line, const std::vector<std::string>& directories) {
  std::vector<std::string> searched, files;
  for (const Argument& argument : line.arguments) {
    if (argument.role == Role::library_directory) searched.push_back(argument.value);
  }
  searched.insert(searched.end(), directories.begin(), directories.end());
  const auto find = [&](const std::string& name) {
    for (const std::string& directory : searched) {
      std::error_code failure;
      const std::string path = fs::path(directory) / name;
      if (!fs::exists(path, failure)) continue;
      files.push_back(path);
      return true;
    }
    return false;
  };
  for (const Argument& argument : line.arguments) {
    const std::string& value = argument.value;
    if (argument.role == Role::input || argument.role == Role::linker_input) {
      files.push_back(value);
    } else if (argument.role == Role::library && value.starts_with(':')) {
      find(value.substr(1));
    } else if (argument.role == Role::library &&
               std::find(libraries_of_c.begin(), libraries_of_c.end(), value) == libraries_of_c.end()) {
      if (!find("lib" + value + ".so")) find("lib" + value + ".a");
    }
  }
  return files;
}

std::vector<std::string> compiler_directories(const Wrapper& wrapper, Runner& runner) {
  std::vector<std::string> words = wrapper.compiler, directories;
  words.emplace_back("-print-search-dirs");
  const auto answer = runner.capture({words});
  constexpr std::string_view beginning = "libraries: =";
  const std::size_t found = answer ? answer->text.find(beginning) : std::string::npos;
  if (found == std::string::npos) return directories;
  const std::size_t start = found + beginning.size();
  std::istringstream list(answer->text.substr(start, answer->text.find('\n', start) - start));
  for (std::string directory; std::getline(list, directory, ':');) directories.push_back(directory);
  return directories;
}

std::string compilers_headers(const Wrapper& wrapper, Runner& runner) {
  std::vector<std::string> words = wrapper.compiler;
  words.emplace_back("-print-file-name=include");
  const auto answer = runner.capture({words});
  if (!answer || !answer->text.starts_with('/')) return "";
  return answer->text.substr(0, answer->text.find('\n'));
}

bool mention_mpi(const std::vector<std::string>& files) {
  return std::any_of(files.begin(), files.end(), [](const std::string& path) {
    if (is_apart(path)) return false;
    const std::string contents = read_regular_file(path).value_or("");
    return std::any_of(names_of_mpi.begin(), names_of_mpi.end(),
                       [&contents](const char* name) { return contents.find(name) != std::string::npos; });
  });
}

bool library_calls_mpi(const std::vector<std::string>& files) {
  return std::any_of(files.begin(), files.end(), [](const std::string& path) {
    return is_shared_library(path) && !is_apart(path) && read_object_file(path).names_mpi;
  });
}

bool library_wants(const std::vector<std::string>& files, const std::string& name) {
  return std::any_of(files.begin(), files.end(), [&name](const std::string& path) {
    // The library by itself does, of course.
    return is_shared_library(path) && !is_apart(path) && !fs::path(path).filename().string().starts_with(name) &&
           contains(path, name);
  });
}

bool library_leaves_cxx_open(const std::vector<std::string>& files) {
  return std::any_of(files.begin(), files.end(), [](const std::string& path) {
    return is_shared_library(path) && !is_apart(path) && !fs::path(path).filename().string().starts_with("libstdc++") &&
           needs_names_of_cxx(read_regular_file(path).value_or(""));
  });
}

bool open_libraries(const std::vector<std::string>& files) {
  return std::any_of(files.begin(), files.end(),
                     [](const std::string& path) { return !is_apart(path) && contains(path, "dlopen"); });
}

std::string wrong_sources(const CommandLine& line, const Wrapper& wrapper) {
  for (const Argument& argument : line.arguments) {
    for (const Runtime& runtime : runtimes) {
      if (language_of(argument) == runtime.language && !has_runtime(line, wrapper, runtime))
        return advice(argument.value, " is ", runtime, "compile and ");
    }
  }
  return "";
}

std::string wrong_objects(const CommandLine& line, const Wrapper& wrapper) {
  for (const std::string& file : input_files(line, {})) {
    for (const ObjectFacts& object : objects_in(file)) {
      for (const Runtime& runtime : runtimes) {
        const bool wants = runtime.language == Language::cxx ? object.wants_cxx : object.wants_fortran;
        if (object.is_object && wants && !has_runtime(line, wrapper, runtime))
          return advice(file, " is compiled from ", runtime, "");
      }
    }
  }
  return "";
}

}  // namespace cppc::driver
