#include "program_check.hpp"

#include <elf.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "cppc/unique_fd.hpp"

extern char** environ;

namespace cppc::run {
namespace {

namespace fs = std::filesystem;
using tools::error;

constexpr std::array shells{"bash", "csh", "dash", "ksh", "mksh", "sh", "tcsh", "zsh"};

// What a program is linked with.
struct Linked {
  bool is_elf = false;
  bool dynamically = false;
  std::string libraries;  // as the dynamic loader lists them
  [[nodiscard]] bool with(std::string_view library) const { return libraries.find(library) != std::string::npos; }
  [[nodiscard]] bool with_sanitizer() const { return with("libasan.so") || with("libtsan.so"); }
  bool uses_cxx_bindings = false;
  bool is_shell = false;   // which may start anything
  bool is_python = false;  // which loads MPI as a module: libcppc recognizes it by its name, too
};

// libcppc is made for this one: another MPI has other handles.
constexpr std::string_view mpi = "libmpi.so.40";

bool is_executable(const fs::path& path) {
  std::error_code unseen;  // what this user cannot see, it cannot run either
  return fs::is_regular_file(path, unseen) && access(path.c_str(), X_OK) == 0;
}

struct Elf {
  bool valid = false;
  std::string interpreter;  // the dynamic loader; empty for a static program
};

Elf read_elf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header{};
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  if (!file || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return {};
  Elf elf{true, {}};
  for (int i = 0; i < header.e_phnum && header.e_ident[EI_CLASS] == ELFCLASS64; ++i) {
    Elf64_Phdr segment{};
    file.seekg(static_cast<std::streamoff>(header.e_phoff + std::uint64_t{header.e_phentsize} * i));
    file.read(reinterpret_cast<char*>(&segment), sizeof segment);
    if (!file) break;
    if (segment.p_type != PT_INTERP || segment.p_filesz > PATH_MAX) continue;
    elf.interpreter.resize(segment.p_filesz);
    file.seekg(static_cast<std::streamoff>(segment.p_offset));
    file.read(elf.interpreter.data(), static_cast<std::streamsize>(segment.p_filesz));
    elf.interpreter = elf.interpreter.c_str();  // up to the zero in the file
  }
  return elf;
}

// What the dynamic loader says about a program that it only traces, with these settings: it runs nothing of the
// program.
std::string trace(const Elf& elf, const std::string& path, std::vector<std::string> settings) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  UniqueFd read_end(ends[0]), write_end(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, write_end.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, write_end.get(), STDERR_FILENO);
  std::string loader = elf.interpreter, program = path;
  std::array<char*, 3> arguments{loader.data(), program.data(), nullptr};
  settings.emplace_back("LD_TRACE_LOADED_OBJECTS=1");
  std::vector<char*> environment;
  for (std::string& setting : settings) environment.push_back(setting.data());
  for (char** one = environ; *one != nullptr; ++one) environment.push_back(*one);
  environment.push_back(nullptr);
  pid_t child = 0;
  const int failure = posix_spawn(&child, loader.c_str(), &actions, nullptr, arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  write_end.reset();
  if (failure != 0) return {};
  std::string output;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = read(read_end.get(), buffer.data(), buffer.size())) > 0;)
    output.append(buffer.data(), got);
  waitpid(child, nullptr, 0);
  return output;
}

// mpicxx links every program in C++ with these bindings; they matter when something is bound to them.
bool uses_cxx_bindings(const Elf& elf, const std::string& path) {
  std::istringstream lines(trace(elf, path, {"LD_WARN=yes", "LD_BIND_NOW=yes", "LD_DEBUG=bindings"}));
  for (std::string line; std::getline(lines, line);) {
    const auto from = line.find("binding file "), to = line.find(" to ");
    if (from == std::string::npos || to == std::string::npos) continue;
    const auto bindings = line.find("/libmpi_cxx.so");
    if (bindings != std::string::npos && bindings > to) return true;
  }
  return false;
}

Linked linked(const std::string& path) {
  const Elf elf = read_elf(path);
  if (!elf.valid || elf.interpreter.empty()) return {.is_elf = elf.valid};
  // As ldd lists them, with those that are not found here: ranks may find them.
  Linked program{.is_elf = true, .dynamically = true, .libraries = trace(elf, path, {})};
  std::error_code unseen;
  const std::string name = fs::canonical(path, unseen).filename();
  program.is_python = name.starts_with("python");
  program.is_shell = std::ranges::find(shells, name) != shells.end();
  program.uses_cxx_bindings = program.with("libmpi_cxx.so") && uses_cxx_bindings(elf, path);
  return program;
}

bool can_be_moved(const Linked& program, bool preload) {
  return program.with("libcppc.so") || (preload && (program.with(mpi) || program.is_python || program.is_shell) &&
                                        !program.with_sanitizer() && !program.uses_cxx_bindings);
}

// Of a program that cannot.
std::string reason(const Linked& program, bool preload) {
  if (!preload)
    return "is not linked with libcppc, so its ranks cannot be moved: build it with cppc-cc, add -lcppc, or run it by "
           "cppc-run --preload; mpirun runs it as it is";
  if (!program.dynamically)
    return "is linked statically, so libcppc cannot be preloaded: link it without -static, or build it with cppc-cc";
  if (program.with_sanitizer())
    return "is linked with a sanitizer, which has memory of its own that cannot be kept by address: build it without; "
           "mpirun runs it as it is";
  if (program.uses_cxx_bindings)
    return "uses MPI's old C++ bindings (libmpi_cxx), which leave addresses in the program's memory that mean "
           "nothing in another process: compile it with -DOMPI_SKIP_MPICXX; mpirun runs it as it is";
  return "is not linked with Open MPI (" + std::string(mpi) + "): mpirun runs it as it is";
}

std::vector<fs::path> search_path(const Context& context) {
  std::string list;
  if (const Option* option = context.find("path")) list = option->values[0] + ":";
  if (const char* path = std::getenv("PATH")) list += path;
  std::vector<fs::path> directories;
  std::istringstream stream(list);
  for (std::string directory; std::getline(stream, directory, ':');) directories.emplace_back(directory);
  return directories;
}

}  // namespace

bool is_elf(const std::string& path) { return read_elf(path).valid; }

std::string find_program(const Context& context, const std::string& name) {
  const Option* wdir = context.find("wdir");
  const fs::path directory = wdir != nullptr ? fs::path(wdir->values[0]) : fs::path();
  if (name.find('/') != std::string::npos) return is_executable(directory / name) ? directory / name : fs::path();
  for (const fs::path& one : search_path(context)) {
    if (is_executable(one / name)) return one / name;
  }
  return {};
}

Result<void> check_program(const Context& context, bool preload) {
  const std::string& name = context.program.front();
  const std::string path = find_program(context, name);
  if (path.empty()) return {};
  const Linked program = linked(path);
  if (!program.is_elf || can_be_moved(program, preload)) return {};
  std::string why = name + ' ' + reason(program, preload);
  for (const std::string& argument : std::span(context.program).subspan(1)) {
    if (preload && argument.starts_with("LD_PRELOAD="))
      return error(argument + " would keep libcppc from being preloaded: set it by mpirun's option -x");
    const std::string other = find_program(context, argument);
    if (other.empty()) continue;
    const Linked candidate = linked(other);
    if (can_be_moved(candidate, preload)) return {};
    if (preload && candidate.with(mpi)) why = argument + ' ' + reason(candidate, preload);
  }
  return error(why);
}

}  // namespace cppc::run
