/// How a file in C, C++ or Fortran was compiled: kept in its object, so that whoever links it can compile it once more.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "command_line.hpp"
#include "result.hpp"

namespace cppc::driver {

struct Record {
  std::string directory;              ///< absolute
  std::string file;                   ///< as the compiler was given it, from `directory`
  std::string output;                 ///< the object, the same way
  std::string language;               ///< of -x, or empty
  std::vector<std::string> compiler;  ///< with the words that belong to its name, `ccache gcc`
  std::vector<std::string> options;   ///< all but file, output and what writes rules for make
  std::string source;                 ///< a fingerprint of the file's contents
  bool defines_main = false;
  std::int64_t compiled = 0;  ///< when the object was written, by its file system's clock, as std::filesystem counts

  bool operator==(const Record&) const = default;
};

/// The records of all sources of `line` that are kept, compiled in the present directory by the compiler of a wrapper
/// for `language`; `defines_main` is left at false.
std::vector<Record> records_of(const CommandLine& line, Language language, const std::vector<std::string>& compiler,
                               const std::vector<std::string>& mpi_flags);

/// Whether the source is C++.
bool is_cxx(const Record& record);

/// Whether the source is Fortran.
bool is_fortran(const Record& record);

/// A line of text that read_records() understands.
std::string to_text(const Record& record);

/// The records in the section of an object or a program, each once, in order. `origin` is named when they cannot be
/// read.
Result<std::vector<Record>> read_records(std::string_view section, const std::string& origin);

/// The command as the translator wants it: an entry of a JSON compilation database.
nlohmann::json compilation_entry(const Record& record);

/// Whether the translator can read it: it is in UTF-8.
bool is_readable(const Record& record);

/// The command by which the compiler tells what it predefines with the record's options.
std::vector<std::string> ask_for_macros(const Record& record);

/// The path of the object, from anywhere.
std::string object_of(const Record& record);

/// Why the source is not what was compiled, for a message that names it; empty when it is.
std::string change_of_source(const Record& record);

/// Whether the source is still what was compiled.
Result<void> check_source(const Record& record);

/// Whether the compiler is clang, by its name.
bool is_clang(const std::vector<std::string>& compiler);

/// Whether one of the words starts so.
bool has_option(const std::vector<std::string>& words, std::initializer_list<std::string_view> starts);

/// The command that compiles `source` instead of the record's own file to `object`: same options, same directory, no
/// word about what the first compilation has warned of, nor a warning that is an error.
std::vector<std::string> compile_again(const Record& record, const std::string& source, const std::string& object);

}  // namespace cppc::driver
