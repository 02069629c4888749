#include "record.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "files.hpp"

namespace cppc::driver {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Options of the linker with a value, which a compiler that does not link would take for an input.
constexpr std::array linking_options = {"-T", "-u", "-z", "-e", "-Tbss", "-Tdata", "-Ttext", "-rpath", "-soname", "-h"};

// Programs that run the compiler that is named behind them.
constexpr std::array launchers = {"ccache", "sccache", "distcc", "icecc"};

template <class List>
bool is_one_of(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

std::string fingerprint(const std::string& contents) {
  return std::to_string(XXH3_64bits(contents.data(), contents.size()));
}

std::string in_directory(const std::string& directory, const std::string& path) {
  return (fs::path(directory) / path).string();
}

std::vector<std::string> compile_options(const CommandLine& line, const std::vector<std::string>& mpi_flags) {
  std::vector<std::string> options;
  for (const Argument& argument : line.arguments) {
    if (argument.role == Role::other && !is_one_of(linking_options, argument.words.front()))
      options.insert(options.end(), argument.words.begin(), argument.words.end());
  }
  options.insert(options.end(), mpi_flags.begin(), mpi_flags.end());
  return options;
}

std::string object_named(const CommandLine& line, const std::string& source) {
  const bool named = line.mode == Mode::compile && !line.output.empty();
  return named ? line.output : fs::path(source).filename().replace_extension(".o").string();
}

// What follows the options.
std::vector<std::string> source_and_object(const std::string& language, const std::string& source,
                                           const std::string& object) {
  std::vector<std::string> words{"-c", source, "-o", object};
  if (!language.empty()) words.insert(words.begin(), {"-x", language});
  return words;
}

bool makes_errors_of_warnings(const std::string& option) {
  return option == "-pedantic-errors" || option.starts_with("-Werror");
}

std::vector<std::string> joined(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Names and options are bytes, and JSON's texts are UTF-8: each byte is a character.
std::string as_text(const std::string& bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) text += static_cast<char>(0xc0 | byte >> 6);
    text += static_cast<char>(byte < 0x80 ? byte : 0x80 | (byte & 0x3f));
  }
  return text;
}

std::string as_bytes(const std::string& text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto first = static_cast<unsigned char>(text[i]);
    if (first < 0x80) {
      bytes += text[i];
    } else {
      if (first > 0xc3 || ++i == text.size()) throw std::out_of_range("no byte");  // of another version
      bytes += static_cast<char>(first << 6 | (static_cast<unsigned char>(text[i]) & 0x3f));
    }
  }
  return bytes;
}

std::vector<std::string> all(std::string (*convert)(const std::string&), std::vector<std::string> words) {
  std::transform(words.begin(), words.end(), words.begin(), convert);
  return words;
}

Record from_json(const json& entry) {
  return {as_bytes(entry.at("directory")),
          as_bytes(entry.at("file")),
          as_bytes(entry.at("output")),
          entry.at("language"),
          all(as_bytes, entry.at("compiler")),
          all(as_bytes, entry.at("options")),
          entry.at("source"),
          entry.at("main"),
          entry.at("compiled")};
}

}  // namespace

std::vector<Record> records_of(const CommandLine& line, Language language, const std::vector<std::string>& compiler,
                               const std::vector<std::string>& mpi_flags) {
  const std::string here = fs::current_path();
  const std::vector<std::string> options = compile_options(line, mpi_flags);
  std::vector<Record> records;
  for (const Argument& argument : line.arguments) {
    if (!is_kept_source(argument, language, line.portable)) continue;
    // Compilers for C++ take a file for C++ whose name says C.
    const bool is_c = language_of(argument) == Language::c && argument.language.empty();
    const std::string named = language == Language::cxx && is_c ? "c++" : argument.language;
    records.push_back({here, argument.value, object_named(line, argument.value), named, compiler, options,
                       fingerprint(read_regular_file(argument.value).value_or("")), false, 0});
  }
  return records;
}

bool is_cxx(const Record& record) {
  return language_of({Role::input, {}, record.file, record.language}) == Language::cxx;
}

std::string to_text(const Record& record) {
  const json entry = {{"directory", as_text(record.directory)},
                      {"file", as_text(record.file)},
                      {"output", as_text(record.output)},
                      {"language", record.language},
                      {"compiler", all(as_text, record.compiler)},
                      {"options", all(as_text, record.options)},
                      {"source", record.source},
                      {"main", record.defines_main},
                      {"compiled", record.compiled}};
  return entry.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

bool is_readable(const Record& record) {
  try {
    (void)compilation_entry(record).dump();
    return true;
  } catch (const json::type_error&) {
    return false;
  }
}

Result<std::vector<Record>> read_records(std::string_view section, const std::string& origin) {
  std::vector<Record> records;
  while (!section.empty()) {
    const std::size_t end = std::min(section.find('\n'), section.size());
    try {
      Record record = from_json(json::parse(section.substr(0, end)));
      if (std::find(records.begin(), records.end(), record) == records.end()) records.push_back(std::move(record));
    } catch (const std::exception&) {
      return error("cannot understand how the objects in " + origin +
                   " were compiled, perhaps by another version of cppc-cc: compile them again");
    }
    section.remove_prefix(std::min(end + 1, section.size()));
  }
  return records;
}

json compilation_entry(const Record& record) {
  const auto is_launcher = [](const std::string& word) {
    return is_one_of(launchers, fs::path(word).filename().string());
  };
  const auto compiler = std::find_if_not(record.compiler.begin(), record.compiler.end(), is_launcher);
  std::vector<std::string> arguments(compiler, record.compiler.end());
  arguments = joined(std::move(arguments), record.options);
  arguments = joined(std::move(arguments), source_and_object(record.language, record.file, record.output));
  return {{"directory", record.directory}, {"file", record.file}, {"output", record.output}, {"arguments", arguments}};
}

std::vector<std::string> ask_for_macros(const Record& record) {
  std::vector<std::string> words = record.compiler;
  for (auto option = record.options.begin(); option != record.options.end(); ++option) {
    const bool includes = *option == "-include" || *option == "-imacros";  // what those files define is theirs
    if (includes && ++option == record.options.end()) break;
    if (!includes && *option != "-fpreprocessed") words.push_back(*option);
  }
  if (is_fortran(record)) return joined(std::move(words), {"-cpp", "-dM", "-E", "-x", "f95-cpp-input", "/dev/null"});
  return joined(std::move(words), {"-dM", "-E", "-x", is_cxx(record) ? "c++" : "c", "/dev/null"});
}

bool is_fortran(const Record& record) {
  const Argument source{.role = Role::input, .words = {}, .value = record.file, .language = record.language};
  return language_of(source) == Language::fortran;
}

std::string object_of(const Record& record) { return in_directory(record.directory, record.output); }

std::string change_of_source(const Record& record) {
  const auto contents = read_regular_file(in_directory(record.directory, record.file));
  if (!contents) return "is gone since it was compiled";
  return fingerprint(*contents) != record.source ? "has changed since it was compiled" : "";
}

Result<void> check_source(const Record& record) {
  const std::string change = change_of_source(record);
  if (change.empty()) return {};
  return error(in_directory(record.directory, record.file) + " " + change + " (" + record.output +
               "): a program is translated from all its sources, as they were compiled");
}

namespace {

/// The compiler names its other files after the object, which is not where it was: what gcov and debuggers look for
/// shall be. Profiles of the two compilations do not fit each other, and are kept apart.
std::vector<std::string> auxiliary_names(const Record& record) {
  const bool profiled = has_option(record.options, {"-fprofile-generate", "-fprofile-use"});
  const bool writes_some =
      profiled || has_option(record.options, {"--coverage", "-coverage", "-fprofile-arcs", "-ftest-coverage",
                                              "-gsplit-dwarf", "-fstack-usage", "-fcallgraph-info"});
  if (!writes_some || is_clang(record.compiler)) return {};
  const fs::path object = record.output;
  const std::string directory = object.has_parent_path() ? object.parent_path().string() : ".";
  const std::string extension = fs::path(record.file).extension();
  return {"-dumpdir", directory + "/", "-dumpbase-ext",
          extension,  "-dumpbase",     object.stem().string() + (profiled ? ".cppc" : "") + extension};
}

/// The program's own .mod files stay as they are: an object that was compiled with the one that is there would be older
/// than it. What is read from them is found where it was.
std::vector<std::string> with_modules_in(const std::string& directory, std::vector<std::string> options) {
  bool named = false;
  for (std::string& option : options) {
    if (!option.starts_with("-J")) continue;
    option.replace(0, 2, "-I");
    named = true;
  }
  if (!named) options.emplace_back("-I.");
  options.push_back("-J" + directory);
  return options;
}

}  // namespace

bool is_clang(const std::vector<std::string>& compiler) {
  return std::any_of(compiler.begin(), compiler.end(),
                     [](const std::string& word) { return fs::path(word).filename().string().starts_with("clang"); });
}

bool has_option(const std::vector<std::string>& words, std::initializer_list<std::string_view> starts) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return std::any_of(starts.begin(), starts.end(), [&](std::string_view start) { return word.starts_with(start); });
  });
}

std::vector<std::string> compile_again(const Record& record, const std::string& source, const std::string& object) {
  std::vector<std::string> words = record.compiler;
  if (source != record.file) {
    // Where the original looks first for what it includes. INCLUDE of Fortran knows no -iquote.
    const std::string directory = fs::path(record.file).parent_path();
    const char* option = is_fortran(record) ? "-I" : "-iquote";
    words = joined(std::move(words), {option, directory.empty() ? "." : directory});
    // What debuggers see, and the same at every link.
    words.push_back("-ffile-prefix-map=" + source + "=" + record.file);
  }
  std::vector<std::string> options = record.options;
  if (is_fortran(record)) options = with_modules_in(fs::path(object).parent_path(), std::move(options));
  for (const std::string& option : options)
    if (!makes_errors_of_warnings(option)) words.push_back(option);
  words = joined(std::move(words), auxiliary_names(record));
  words.emplace_back("-w");
  return joined(std::move(words), source_and_object(record.language, source, object));
}

}  // namespace cppc::driver
