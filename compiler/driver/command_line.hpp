/// The compiler's command line, as far as the wrapper has to understand it: what is compiled, what is linked.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "result.hpp"
#include "wrapper.hpp"

namespace cppc::driver {

enum class Mode {
  transparent,  ///< the compiler alone knows: preprocessing, questions about the compiler, no input at all
  compile,      ///< -c
  link,         ///< a program, perhaps from sources too
  partial,      ///< a shared library, a combined object or something else without the usual main()
};

enum class Role {
  input,              ///< a source, an object, an archive
  output,             ///< -o
  language,           ///< -x
  dependency,         ///< -MD and the like: beside compiling, write rules for make
  library,            ///< -l
  library_directory,  ///< -L
  linker,             ///< a word for the linker alone: an option, or the value of one
  linker_input,       ///< a file that is named among these
  other,
};

/// An option with its value, or an input.
struct Argument {
  Role role = Role::other;
  std::vector<std::string> words;  ///< as given
  std::string value;               ///< the input, the file of -o, the language, the library, the linker's word
  std::string language;            ///< of an input: what -x says about it, or nothing
};

struct CommandLine {
  std::vector<Argument> arguments;  ///< without the wrapper's own options
  Mode mode = Mode::transparent;
  std::string output;  ///< of -o, or empty
  bool has_inputs = false;
  bool reads_standard_input = false;  ///< -, which nobody can read twice
  bool has_response_files = false;
  bool verbose = false;              ///< -v
  bool static_program = false;       ///< -static
  bool portable = false;             ///< --portable: state by its types, not by its addresses
  std::string position_independent;  ///< the option that asks for such a program, -pie or -static-pie, or empty
  std::string sanitizer;             ///< the one asked for that has a heap or stacks of its own, or empty
  bool combined_object = false;      ///< -r
  bool link_time_optimization = false;
  std::vector<std::string> words;       ///< what the compiler is to get, @files as they were
  std::vector<std::string> translator;  ///< the wrapper's own options, for the translator
};

/// Understands what the compiler is asked to do. An error is about the wrapper's own options only.
Result<CommandLine> parse_command_line(std::span<const std::string> arguments);

/// The language of an input, as gcc takes it: of its -x or its name. Nothing for what is no source of these.
std::optional<Language> language_of(const Argument& argument);

/// Whether an input is a source that the wrapper for a language keeps a command for: cppc-fc for those in Fortran, the
/// others for those in C and, unless state is kept by types, in C++.
bool is_kept_source(const Argument& argument, Language wrapper, bool portable);

}  // namespace cppc::driver
