#include "by_address.hpp"

#include <algorithm>
#include <filesystem>

#include "inputs.hpp"

namespace cppc::driver {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// libcppc asks for this symbol, so that the linker puts it where the dynamic linker finds it. It has no section that
// could be left out, and its value does not matter.
constexpr const char* marker = "-Wl,--defsym=cppc_by_address=1";

// Else what libcppc, which has its own, wants from a shared runtime would be taken from the program's. CMake's FindMPI
// takes a word that ends in .a for a library.
constexpr const char* hidden_runtimes =
    "-Wl,--exclude-libs=libstdc++.a:libgfortran.a:libquadmath.a:libgcc.a:libgcc_eh.a:";

bool names_library(const Argument& argument, const std::string& library) {
  return argument.role == Role::library && argument.value == library;
}

// The runtimes of C++ and Fortran: which of them the program has, and whether they can be inside it.
class Runtimes {
 public:
  Runtimes(const CommandLine& line, const Wrapper& wrapper, Runner& runner) : line_(line), wrapper_(wrapper) {
    cxx_ = wrapper.language == Language::cxx || is_named("stdc++");
    fortran_ = wrapper.language == Language::fortran || is_named("gfortran");
    if (!cxx_ && !fortran_) return;
    directories_ = compiler_directories(wrapper, runner);
    const Words files = input_files(line, directories_);
    // Two of the same runtime in one process would not know each other's streams, exceptions or units.
    // What the program opens by dlopen() may want a shared one.
    const bool alone = !open_libraries(files);
    static_cxx_ = cxx_ && alone && has_archive("libstdc++.a") && !library_wants(files, "libstdc++.so") &&
                  !library_leaves_cxx_open(files) && !other_library();
    static_fortran_ = fortran_ && alone && has_archive("libgfortran.a") && !library_wants(files, "libgfortran.so");
  }

  // For the compiler's own part of the link.
  [[nodiscard]] Words options() const {
    Words words;
    if (static_cxx_ && wrapper_.language == Language::cxx) words.emplace_back("-static-libstdc++");
    if (static_fortran_ && wrapper_.language == Language::fortran) words.emplace_back("-static-libgfortran");
    // Who throws through a shared runtime needs the same unwinder as that.
    if (cxx_ == static_cxx_ && fortran_ == static_fortran_) words.emplace_back("-static-libgcc");
    return words;
  }

  void place(AddressWords& words) const {
    for (std::size_t index = 0; index < line_.arguments.size(); ++index) {
      const Argument& argument = line_.arguments[index];
      const bool is_fortran = names_library(argument, "gfortran") || names_library(argument, "quadmath");
      if ((static_cxx_ && names_library(argument, "stdc++")) || (static_fortran_ && is_fortran))
        words.replaced[index] = {};
    }
    if (static_fortran_) words.at_end.emplace_back("-l:libgfortran.a");
    if (static_fortran_ && has_archive("libquadmath.a")) words.at_end.emplace_back("-l:libquadmath.a");
    if (static_cxx_ && wrapper_.language != Language::cxx) words.at_end.emplace_back("-l:libstdc++.a");
    if (!words.at_end.empty()) words.at_end.emplace_back("-lm");
  }

 private:
  [[nodiscard]] bool is_named(const std::string& library) const {
    return std::any_of(line_.arguments.begin(), line_.arguments.end(),
                       [&library](const Argument& argument) { return names_library(argument, library); });
  }

  [[nodiscard]] bool has_archive(const std::string& name) const {
    return std::any_of(directories_.begin(), directories_.end(), [&name](const std::string& directory) {
      std::error_code failure;
      return fs::exists(fs::path(directory) / name, failure);
    });
  }

  // clang's libc++.
  [[nodiscard]] bool other_library() const {
    return std::find(line_.words.begin(), line_.words.end(), "-stdlib=libc++") != line_.words.end();
  }

  const CommandLine& line_;
  const Wrapper& wrapper_;
  Words directories_;
  bool cxx_ = false, fortran_ = false, static_cxx_ = false, static_fortran_ = false;
};

std::string or_portable(const Wrapper& wrapper) {
  return wrapper.language == Language::c ? ", or with --portable" : "";
}

}  // namespace

Result<void> check_by_address(const CommandLine& line, const Wrapper& wrapper, const std::string& output) {
  if (line.static_program || line.position_independent == "-static-pie") {
    return error(output + " is linked with " + (line.static_program ? "-static" : "-static-pie") +
                 ", but libcppc is a shared library: link it without (the runtimes of the languages are linked "
                 "statically anyway)");
  }
  if (!line.position_independent.empty()) {
    return error(output + " is linked with " + line.position_independent +
                 ", but its state is kept by address, in a program at a fixed place: link it without" +
                 or_portable(wrapper));
  }
  if (!line.sanitizer.empty()) {
    return error(output + " is linked with -fsanitize=" + line.sanitizer +
                 ", which has memory of its own that cannot be kept by address: build it for the sanitizer with " +
                 wrapper.mpi + or_portable(wrapper));
  }
  return {};
}

AddressWords address_words(const CommandLine& line, const Wrapper& wrapper, const Parts& parts, Runner& runner) {
  const Runtimes runtimes(line, wrapper, runner);
  AddressWords words{.in_front = {"-no-pie", marker, hidden_runtimes}, .at_end = {}, .replaced = {}};
  for (const Words& more : {runtimes.options(), libcppc_flags(parts)})
    words.in_front.insert(words.in_front.end(), more.begin(), more.end());
  runtimes.place(words);
  return words;
}

std::vector<std::string> address_flags(const Wrapper& wrapper) {
  Words flags{"-no-pie", "-static-libgcc"};
  if (wrapper.language == Language::cxx) flags.emplace_back("-static-libstdc++");
  if (wrapper.language == Language::fortran) flags.emplace_back("-static-libgfortran");
  flags.insert(flags.end(), {marker, hidden_runtimes});
  return flags;
}

}  // namespace cppc::driver
