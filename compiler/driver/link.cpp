#include "link.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "../temporary_directory.hpp"
#include "by_address.hpp"
#include "compile.hpp"
#include "inputs.hpp"
#include "mpi_flags.hpp"
#include "object_file.hpp"
#include "outside.hpp"
#include "program.hpp"
#include "record.hpp"
#include "replacement.hpp"
#include "response_file.hpp"
#include "settings.hpp"
#include "translate.hpp"
#include "translation_inputs.hpp"

namespace cppc::driver {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

void append(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

bool has_main(const Record& record) { return record.defines_main; }

// Removes a program that is not what was asked for, so that make does not take it for finished.
class Unfinished {
 public:
  explicit Unfinished(std::string path) : path_(std::move(path)) {}
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  ~Unfinished() {
    std::error_code ignored;
    if (!path_.empty() && fs::is_regular_file(path_, ignored)) fs::remove(path_, ignored);
  }
  void finish() { path_.clear(); }

 private:
  std::string path_;
};

class Linker {
 public:
  Linker(const CommandLine& line, const Wrapper& wrapper, Words compile_flags, Words link_flags, Runner& runner)
      : line_(line),
        wrapper_(wrapper),
        compiler_(compiler_for(line, wrapper)),
        compile_flags_(std::move(compile_flags)),
        link_flags_(std::move(link_flags)),
        runner_(runner),
        output_(line.output.empty() ? "a.out" : line.output),
        macros_(runner) {}

  Result<int> link() {
    if (line_.mode == Mode::partial) return link_as_given();
    if (const std::string wrong = wrong_sources(line_, wrapper_); !wrong.empty()) return error(wrong);
    if (!line_.portable) {
      if (const auto checked = check_by_address(line_, wrapper_, output_); !checked)
        return tl::unexpected(checked.error());
    }
    Unfinished unfinished(output_);
    auto linked = line_.portable ? link_portable() : link_by_address();
    if (linked && *linked == 0) unfinished.finish();
    return linked;
  }

 private:
  // What the user has said, and where MPI is.
  Result<int> link_as_given() {
    Words words = compiler_;
    const bool anywhere = line_.mode == Mode::partial || line_.static_program || !line_.position_independent.empty();
    if (!anywhere) words.emplace_back("-no-pie");  // there may be objects that the default build has made
    append(words, line_.words);
    append(words, compile_flags_);
    append(words, link_flags_);
    if (std::exchange(linked_before_, true)) words.emplace_back("-w");
    auto status = runner_.run({words});
    if (status && *status != 0) explain();
    return status;
  }

  // The linker names what is missing, at length, but not the reason.
  void explain() const {
    if (const std::string wrong = wrong_objects(line_, wrapper_); !wrong.empty())
      std::fprintf(stderr, "%s: %s\n", wrapper_.name.c_str(), wrong.c_str());
  }

  Result<int> link_portable() {
    if (line_.reads_standard_input)
      return error("a program cannot be translated from standard input, which can be read only once: use a file");
    auto status = link_as_given();
    if (!status || *status != 0) return status;
    const ObjectFacts plain = read_object_file(output_);
    const bool may_call_mpi = plain.is_elf && (plain.names_mpi || !plain.has_symbols);
    if (!may_call_mpi) return 0;
    auto directory = TemporaryDirectory::make("cppc-cc");
    if (!directory) return error(directory.error());
    const auto plan = translate(plain.commands, *directory);
    if (!plan) return tl::unexpected(plan.error());
    return *plan ? link_again(**plan, libcppc_flags(locate_parts()), *directory) : 0;
  }

  // One link is enough when the guess is right whether the program calls MPI.
  Result<int> link_by_address() {
    const auto directory = TemporaryDirectory::make("cppc-cc");
    if (!directory) return error(directory.error());
    if (line_.reads_standard_input) return link_with_libcppc(nullptr, *directory);  // the only link there can be
    const bool guess = mention_mpi(input_files(line_, {}));
    auto status = guess ? link_with_libcppc(nullptr, *directory) : link_as_given();
    if (!status || *status != 0) return status;
    const ObjectFacts linked = read_object_file(output_);
    const bool calls_mpi = linked.is_elf && (linked.names_mpi || !linked.has_symbols || a_library_calls_mpi());
    if (!calls_mpi) return guess ? link_as_given() : status;
    const auto plan = translate_if_possible(linked.commands, *directory);
    if (!plan) return tl::unexpected(plan.error());
    if (runner_.interrupted()) return failed(1);
    if (*plan) {
      status = link_with_libcppc(&**plan, *directory);
      if (!status || *status == 0) return status;
      warn("it cannot be linked with its translated objects");
    }
    return guess && !*plan ? 0 : link_with_libcppc(nullptr, *directory);
  }

  [[nodiscard]] bool a_library_calls_mpi() const {
    const auto is_library = [](const Argument& argument) { return argument.role == Role::library; };
    const bool some = std::any_of(line_.arguments.begin(), line_.arguments.end(), is_library);
    return library_calls_mpi(input_files(line_, some ? compiler_directories(wrapper_, runner_) : Words{}));
  }

  // By address it goes without the translator, too, unless the user has asked for what cannot be done.
  Result<std::optional<Replacement>> translate_if_possible(const std::string& commands,
                                                           const TemporaryDirectory& directory) {
    auto plan = translate(commands, directory);
    if (plan || plan.error().of_setting) return plan;
    if (!runner_.interrupted()) warn(plan.error().text);
    return std::nullopt;
  }

  void warn(const std::string& reason) const {
    std::fprintf(stderr, "%s: warning: %s gets no safe points, so that ranks stop at calls of MPI or by a signal: %s\n",
                 wrapper_.name.c_str(), output_.c_str(), reason.c_str());
  }

  [[nodiscard]] bool wants_report() const {
    return std::find(line_.translator.begin(), line_.translator.end(), "--report") != line_.translator.end();
  }

  // Which objects take the place of which; nothing when all stay as they are.
  Result<std::optional<Replacement>> translate(const std::string& commands, const TemporaryDirectory& directory) {
    const auto parts = find_parts(line_);
    if (!parts) return tl::unexpected(parts.error());
    program_ = records_of(line_, wrapper_.language, compiler_, compile_flags_);
    own_ = program_.size();
    if (const auto added = add_linked(commands, *parts, directory); !added) return tl::unexpected(added.error());
    if (own_ == 0 && std::none_of(program_.begin(), program_.end(), has_main)) {
      if (!line_.portable) warn("what defines main() has not been compiled by cppc-cc, cppc-c++ or cppc-fc");
      return std::nullopt;
    }
    return translate_sources(*parts, directory);
  }

  // The rest of the program: what the linker has taken from objects and archives.
  Result<void> add_linked(const std::string& commands, const std::vector<Part>& parts,
                          const TemporaryDirectory& directory) {
    auto linked = read_records(commands, output_);
    const auto is_missing = [&linked](const Part& part) {
      return !part.in_archive && std::find(linked->begin(), linked->end(), part.records.front()) == linked->end();
    };
    // Link-time optimization leaves nothing of the objects' sections, some linkers' -s neither.
    if (linked && (line_.link_time_optimization || (linked->empty() && !parts.empty()) ||
                   std::any_of(parts.begin(), parts.end(), is_missing))) {
      linked = link_for_a_look(directory);
    }
    if (!linked) return tl::unexpected(linked.error());
    // Others may be missing because nothing of them is used (--gc-sections), and are not needed then.
    const auto is_lost = [&is_missing](const Part& part) {
      return is_missing(part) && std::any_of(part.records.begin(), part.records.end(), has_main);
    };
    if (const auto lost = std::find_if(parts.begin(), parts.end(), is_lost); lost != parts.end()) {
      return error("the linker leaves nothing of the section .cppc.command of " + lost->name + " in " + output_ +
                   ": use the linker's defaults for sections");
    }
    if (line_.portable) std::erase_if(*linked, is_cxx);
    if (own_ == 0) language_ = language_of_main(*linked);
    // What is in Fortran is not the business of C's translator; of what is in C, Fortran's has to know.
    const bool all = language_ == Language::fortran;
    std::copy_if(linked->begin(), linked->end(), std::back_inserter(program_),
                 [all](const Record& record) { return all || !is_fortran(record); });
    if (all) add_modules(parts);
    return {};
  }

  // Programs may be linked by the compiler of another language than their main program's.
  [[nodiscard]] Language language_of_main(const std::vector<Record>& records) const {
    const auto main = std::find_if(records.begin(), records.end(), has_main);
    if (main == records.end()) return wrapper_.language;
    if (is_fortran(*main)) return Language::fortran;
    return wrapper_.language == Language::fortran ? Language::c : wrapper_.language;
  }

  // Members of archives that the linker has not taken, since all that is in them is known at compile time: modules of
  // constants, types and interfaces, which the rest of the program uses.
  void add_modules(const std::vector<Part>& parts) {
    for (const Part& part : parts) {
      if (!part.in_archive) continue;
      for (const Record& record : part.records) {
        const bool taken = std::find(program_.begin(), program_.end(), record) != program_.end();
        if (taken || !is_fortran(record) || !check_source(record)) continue;
        if (const auto macros = macros_.of(record))
          modules_.push_back({.command = compilation_entry(record), .object = "", .macros = *macros, .left_out = ""});
      }
    }
  }

  // What an ordinary link takes, without optimization and with all sections.
  Result<std::vector<Record>> link_for_a_look(const TemporaryDirectory& directory) {
    std::map<std::size_t, Words> left_out;
    for (std::size_t index = 0; index < line_.arguments.size(); ++index) {
      const Argument& argument = line_.arguments[index];
      const std::string& word = argument.role == Role::linker ? argument.value : argument.words.front();
      if (word == "-s" || word == "--strip-all") left_out[index] = {};
    }
    const std::string output = directory.file("look");
    Words words = words_with(line_.position_independent.empty() ? Words{"-no-pie"} : Words{}, left_out);
    append(words, {"-fno-lto", "-w", "-o", output});
    const auto linked = runner_.capture({words});
    if (!linked) return tl::unexpected(linked.error());
    if (linked->status != 0) {
      return error("cannot find out what " + output_ + " is made of; without link-time optimization (-fno-lto):\n" +
                   linked->errors);
    }
    return read_records(read_object_file(output).commands, output_);
  }

  Result<std::optional<Replacement>> translate_sources(const std::vector<Part>& parts,
                                                       const TemporaryDirectory& directory) {
    const Parts installed = locate_parts();
    if (const auto checked = check_library(installed); !checked) return tl::unexpected(checked.error());
    if (const auto checked = check_translator(installed); !checked) return tl::unexpected(checked.error());
    const bool for_fortran = language_ == Language::fortran;
    const std::string own_headers = for_fortran ? "" : compilers_headers(wrapper_, runner_);
    const auto inputs = translation_inputs({program_, own_, language_, line_.portable, own_headers}, macros_);
    if (!inputs) return tl::unexpected(inputs.error());
    const auto outside = for_fortran
                             ? names_outside(line_, program_, own_, output_, compiler_directories(wrapper_, runner_))
                             : std::nullopt;
    const TranslationRequest request{*inputs,
                                     modules_,
                                     line_.translator,
                                     directory.file("translated"),
                                     fs::path(output_).filename(),
                                     !line_.portable,
                                     outside ? &*outside : nullptr,
                                     gives_names_anew(line_),
                                     !line_.portable && !wants_report()};
    const auto translated = driver::translate(request, installed, runner_);
    if (!translated) return tl::unexpected(translated.error());
    const auto is_changed = [](const std::string& file) { return !file.empty(); };
    if (!*translated) return std::nullopt;
    const auto& [files, companion] = **translated;
    if (std::none_of(files.begin(), files.end(), is_changed)) return std::nullopt;
    if (line_.static_program)
      return error(output_ + " is linked with -static, but libcppc is a shared library: link it without -static");
    auto plan = plan_replacement(line_, language_, parts, program_, own_, files, directory.path());
    if (!plan) return tl::unexpected(plan.error());
    const auto compiled = compile_sources(*plan, files, companion, installed, directory);
    if (!compiled) return tl::unexpected(compiled.error());
    if (*compiled != 0) return tl::unexpected(Failure{line_.portable ? "" : not_compiled(*plan, directory), *compiled});
    if (!companion.empty()) plan->in_front.push_back(directory.file("companion.o"));
    return std::move(*plan);
  }

  [[nodiscard]] std::string not_compiled(const Replacement& plan, const TemporaryDirectory& directory) const {
    const auto is_missing = [&directory](std::size_t index) {
      return !fs::exists(object_path(directory.path(), index));
    };
    const auto missing = std::find_if(plan.sources.begin(), plan.sources.end(), is_missing);
    const std::string file = missing == plan.sources.end() ? "a source" : program_[*missing].file;
    return file + " does not compile with its safe points; --cppc-report=text shows the compiler's errors";
  }

  Result<int> compile_sources(const Replacement& plan, const Words& translated, const std::string& companion,
                              const Parts& installed, const TemporaryDirectory& directory) {
    std::vector<Command> commands;
    for (const std::size_t index : plan.sources) {
      const Record& record = program_[index];
      const std::string& source = translated[index].empty() ? record.file : translated[index];
      Words words = compile_again(record, source, object_path(directory.path(), index));
      if (!is_fortran(record)) append(words, {"-idirafter", installed.headers});
      commands.push_back({std::move(words), record.directory});
    }
    if (!companion.empty()) {
      Words words = compiler_underneath(wrapper_called(wrapper_name(Language::c)), runner_);
      append(words, {line_.position_independent.empty() ? "-fno-pie" : "-fPIC", "-O1", "-w", "-I" + installed.headers,
                     "-c", companion, "-o", directory.file("companion.o")});
      commands.push_back({std::move(words), directory.path()});
    }
    return line_.portable || wants_report() ? runner_.run_all(commands) : runner_.run_all_quietly(commands);
  }

  Result<int> link_again(const Replacement& plan, const Words& libcppc, const TemporaryDirectory& directory) {
    Words first{"-no-pie"};
    if (!line_.position_independent.empty()) first.clear();
    append(first, plan.in_front);
    append(first, libcppc);
    return run_link(words_with(first, plan.arguments), directory);
  }

  // `plan`: of the translation, or nothing.
  Result<int> link_with_libcppc(const Replacement* plan, const TemporaryDirectory& directory) {
    const Parts installed = locate_parts();
    if (const auto checked = check_library(installed); !checked) return tl::unexpected(checked.error());
    AddressWords address = address_words(line_, wrapper_, installed, runner_);
    Words first = plan == nullptr ? Words{} : plan->in_front;
    append(first, address.in_front);
    if (plan != nullptr) address.replaced.insert(plan->arguments.begin(), plan->arguments.end());
    const bool again = std::exchange(linked_before_, true);
    Words words = words_with(first, address.replaced, again ? Rules::left_out : Rules::kept);
    append(words, address.at_end);
    if (again) words.emplace_back("-w");
    auto status = run_link(std::move(words), directory);
    if (status && *status != 0 && plan == nullptr) explain();
    return status;
  }

  Result<int> run_link(Words words, const TemporaryDirectory& directory) {
    if (!line_.output.empty()) append(words, {"-o", line_.output});
    if (line_.has_response_files) {
      const std::string file = directory.file("link.words");
      const std::span<const std::string> arguments(words.begin() + static_cast<std::ptrdiff_t>(compiler_.size()),
                                                   words.end());
      if (!(std::ofstream(file) << response_file_text(arguments)).flush()) return error("cannot write " + file);
      words = compiler_;
      words.push_back("@" + file);
    }
    return runner_.run({words});
  }

  enum class Rules { left_out, kept };

  // The command line with inputs replaced, without output and, if so, without what writes rules for make.
  Words words_with(const Words& first, const std::map<std::size_t, Words>& replaced,
                   Rules rules = Rules::left_out) const {
    Words words = compiler_;
    append(words, first);
    for (std::size_t index = 0; index < line_.arguments.size(); ++index) {
      const Argument& argument = line_.arguments[index];
      if (argument.role == Role::output || (argument.role == Role::dependency && rules == Rules::left_out)) continue;
      const auto found = replaced.find(index);
      if (found == replaced.end()) {
        append(words, argument.words);
        continue;
      }
      if (!argument.language.empty()) append(words, {"-x", "none"});
      append(words, found->second);
      if (!argument.language.empty()) append(words, {"-x", argument.language});
    }
    append(words, compile_flags_);
    append(words, link_flags_);
    return words;
  }

  const CommandLine& line_;
  const Wrapper& wrapper_;
  Language language_ = wrapper_.language;  // of the program, for the translator
  const Words compiler_, compile_flags_, link_flags_;
  Runner& runner_;
  const std::string output_;
  std::vector<Record> program_;            // first the sources on the command line, then the rest
  std::vector<TranslationInput> modules_;  // what is read for its modules only
  std::size_t own_ = 0;                    // how many of them are on the command line
  bool linked_before_ = false;
  Macros macros_;
};

}  // namespace

Result<int> link(const CommandLine& line, const Wrapper& wrapper, Runner& runner) {
  auto compile_flags = mpi_compile_flags(line, wrapper, runner);
  if (!compile_flags) return tl::unexpected(compile_flags.error());
  auto link_flags = mpi_link_flags(line, wrapper, runner);
  if (!link_flags) return tl::unexpected(link_flags.error());
  return Linker(line, wrapper, std::move(*compile_flags), std::move(*link_flags), runner).link();
}

}  // namespace cppc::driver
