#include "link.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include "mpi_flags.hpp"
#include "object_file.hpp"
#include "program.hpp"
#include "record.hpp"
#include "replacement.hpp"
#include "response_file.hpp"
#include "settings.hpp"
#include "temporary_directory.hpp"
#include "translate.hpp"

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
  Linker(const CommandLine& line, Words compile_flags, Words link_flags, Runner& runner)
      : line_(line),
        compile_flags_(std::move(compile_flags)),
        link_flags_(std::move(link_flags)),
        runner_(runner),
        output_(line.output.empty() ? "a.out" : line.output) {}

  Result<int> link() {
    Words words = compiler_;
    append(words, line_.words);
    append(words, compile_flags_);
    append(words, link_flags_);
    auto status = runner_.run({words});
    if (!status || *status != 0 || line_.mode == Mode::partial) return status;
    Unfinished unfinished(output_);
    auto made_movable = make_movable();
    if (made_movable && *made_movable == 0) unfinished.finish();
    return made_movable;
  }

 private:
  Result<int> make_movable() {
    const ObjectFacts plain = read_object_file(output_);
    const bool may_call_mpi = plain.is_elf && (plain.names_mpi || !plain.has_symbols);
    if (!may_call_mpi) return 0;
    auto directory = TemporaryDirectory::make();
    if (!directory) return tl::unexpected(directory.error());
    const auto parts = find_parts(line_);
    if (!parts) return tl::unexpected(parts.error());
    program_ = records_of(line_, compiler_, compile_flags_);
    own_ = program_.size();
    if (const auto added = add_linked(plain.commands, *parts, *directory); !added) return tl::unexpected(added.error());
    if (own_ == 0 && std::none_of(program_.begin(), program_.end(), has_main)) return 0;
    return translate_and_link(*parts, *directory);
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
    program_.insert(program_.end(), linked->begin(), linked->end());
    return {};
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
    Words words = words_with({}, left_out);
    append(words, {"-fno-lto", "-w", "-o", output});
    const auto linked = runner_.capture({words});
    if (!linked) return tl::unexpected(linked.error());
    if (linked->status != 0) {
      return error("cannot find out what " + output_ + " is made of; without link-time optimization (-fno-lto):\n" +
                   linked->errors);
    }
    return read_records(read_object_file(output).commands, output_);
  }

  Result<int> translate_and_link(const std::vector<Part>& parts, const TemporaryDirectory& directory) {
    const Parts installed = locate_parts();
    if (const auto checked = check_parts(installed); !checked) return tl::unexpected(checked.error());
    for (const Record& record : program_) {
      if (const auto checked = check_source(record); !checked) return tl::unexpected(checked.error());
    }
    const TranslationRequest request{program_, line_.translator, directory.file("translated"),
                                     fs::path(output_).filename()};
    const auto translated = translate(request, installed, runner_);
    if (!translated) return tl::unexpected(translated.error());
    const auto is_changed = [](const std::string& file) { return !file.empty(); };
    if (!*translated || std::none_of((*translated)->begin(), (*translated)->end(), is_changed)) return 0;
    if (line_.static_program)
      return error(output_ + " is linked with -static, but libcppc is a shared library: link it without -static");
    const auto plan = plan_replacement(line_, parts, program_, own_, **translated, directory.path());
    if (!plan) return tl::unexpected(plan.error());
    auto compiled = compile_sources(*plan, **translated, installed, directory);
    if (!compiled || *compiled != 0) return compiled;
    return link_again(*plan, installed, directory);
  }

  Result<int> compile_sources(const Replacement& plan, const Words& translated, const Parts& installed,
                              const TemporaryDirectory& directory) {
    std::vector<Command> commands;
    for (const std::size_t index : plan.sources) {
      const Record& record = program_[index];
      const std::string& source = translated[index].empty() ? record.file : translated[index];
      Words words = compile_again(record, source, object_path(directory.path(), index));
      append(words, {"-idirafter", installed.headers});
      commands.push_back({std::move(words), record.directory});
    }
    return runner_.run_all(commands);
  }

  Result<int> link_again(const Replacement& plan, const Parts& installed, const TemporaryDirectory& directory) {
    Words first = plan.in_front;
    append(first, libcppc_flags(installed));
    Words words = words_with(first, plan.arguments);
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

  // The command line with inputs replaced, without output and without what writes rules for make.
  Words words_with(const Words& first, const std::map<std::size_t, Words>& replaced) const {
    Words words = compiler_;
    append(words, first);
    for (std::size_t index = 0; index < line_.arguments.size(); ++index) {
      const Argument& argument = line_.arguments[index];
      if (argument.role == Role::output || argument.role == Role::dependency) continue;
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
  const Words compiler_ = underlying_compiler();
  const Words compile_flags_, link_flags_;
  Runner& runner_;
  const std::string output_;
  std::vector<Record> program_;  // first the sources on the command line, then the rest
  std::size_t own_ = 0;          // how many of them are on the command line
};

}  // namespace

Result<int> link(const CommandLine& line, Runner& runner) {
  auto compile_flags = mpi_compile_flags(line, runner);
  if (!compile_flags) return tl::unexpected(compile_flags.error());
  auto link_flags = mpi_link_flags(line, runner);
  if (!link_flags) return tl::unexpected(link_flags.error());
  return Linker(line, std::move(*compile_flags), std::move(*link_flags), runner).link();
}

}  // namespace cppc::driver
