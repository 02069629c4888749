#include "command_line.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "response_file.hpp"

namespace cppc::driver {
namespace {

// Options of gcc and clang whose value is the next word.
constexpr std::array separate_values = {"-A",           "-D",
                                        "-F",           "-G",
                                        "-I",           "-T",
                                        "-U",           "-Tbss",
                                        "-Tdata",       "-Ttext",
                                        "-Xanalyzer",   "-Xassembler",
                                        "-Xclang",      "-Xpreprocessor",
                                        "-arch",        "-aux-info",
                                        "-dumpbase",    "-dumpbase-ext",
                                        "-dumpdir",     "-e",
                                        "-framework",   "-gcc-toolchain",
                                        "-h",           "-idirafter",
                                        "-imacros",     "-imultilib",
                                        "-include",     "-include-pch",
                                        "-iprefix",     "-iquote",
                                        "-isysroot",    "-isystem",
                                        "-iwithprefix", "-iwithprefixbefore",
                                        "-mllvm",       "-rpath",
                                        "-soname",      "-specs",
                                        "-target",      "-u",
                                        "-wrapper",     "-z",
                                        "-J",           "-fintrinsic-modules-path",
                                        "--param",      "--sysroot",
                                        "--config",     "-B",
                                        "--include",    "--include-directory",
                                        "--imacros",    "--define-macro",
                                        "--specs",      "--undefine-macro",
                                        "--prefix",     "--for-assembler"};

// Long names of options that the wrapper has to understand. The value is the next word, or follows "=".
struct LongName {
  std::string_view name, short_name;
};
constexpr std::array long_names = {LongName{"--output", "-o"}, LongName{"--language", "-x"},
                                   LongName{"--library-directory", "-L"}};
constexpr std::string_view for_linker = "--for-linker=";

// Options after which nothing is compiled to an object.
constexpr std::array transparent_options = {"-E",
                                            "-S",
                                            "-M",
                                            "-MM",
                                            "-fsyntax-only",
                                            "-###",
                                            "--analyze",
                                            "-emit-llvm",
                                            "-emit-ast",
                                            "-dumpversion",
                                            "-dumpmachine",
                                            "-dumpspecs",
                                            "-dumpfullversion",
                                            "--version",
                                            "--preprocess",
                                            "--assemble"};
constexpr std::array transparent_beginnings = {"--help", "-help", "-print-", "--print-", "--target-help", "-dump-"};

// What the linker then makes is no program that starts at main().
constexpr std::array partial_options = {"-shared", "--shared", "-nostartfiles", "-nostdlib"};
constexpr std::array partial_linker_words = {"-shared", "-Bshareable"};
// Of the linker: the word behind is the value, as in -Wl,-rpath,DIRECTORY. Two hyphens may begin the longer ones.
constexpr std::array linker_words_with_value = {"-e",
                                                "-f",
                                                "-F",
                                                "-h",
                                                "-I",
                                                "-m",
                                                "-u",
                                                "-y",
                                                "-z",
                                                "-entry",
                                                "-init",
                                                "-fini",
                                                "-Map",
                                                "-rpath",
                                                "-rpath-link",
                                                "-soname",
                                                "-undefined",
                                                "-dynamic-linker",
                                                "-dynamic-list",
                                                "-version-script"};
constexpr std::array combining_words = {"-r", "-i", "--relocatable"};

constexpr std::array position_independent_options = {"-pie", "--pie", "-static-pie", "--pic-executable"};

// These replace malloc, or put variables elsewhere than on the stack.
constexpr std::array sanitizers_with_own_memory = {"address", "hwaddress", "thread",    "memory",
                                                   "leak",    "dataflow",  "safe-stack"};

constexpr std::array cxx_endings = {".cc", ".cp", ".cxx", ".cpp", ".CPP", ".c++", ".C"};
constexpr std::array fortran_endings = {".f",   ".for", ".ftn", ".f90", ".f95", ".f03", ".f08", ".F",
                                        ".FOR", ".FTN", ".F90", ".F95", ".F03", ".F08", ".fpp", ".FPP"};

template <class List>
bool is_one_of(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

template <class List>
bool begins_with_one_of(const List& list, std::string_view word) {
  return std::any_of(list.begin(), list.end(), [word](const char* one) { return word.starts_with(one); });
}

// The option by its short name, for which the compilers know it, too.
std::string with_short_name(const std::string& word) {
  for (const auto& [name, short_name] : long_names) {
    if (word == name) return std::string(short_name);
    if (word.starts_with(name) && word[name.size()] == '=')
      return std::string(short_name) + word.substr(name.size() + 1);
  }
  return word;
}

class Parser {
 public:
  explicit Parser(std::span<const std::string> words) : words_(words) {}

  Result<CommandLine> parse() {
    while (next_ < words_.size()) {
      const std::string word = with_short_name(words_[next_++]);
      if (word == "--portable") {
        result_.portable = true;
      } else if (word.starts_with("--cppc-")) {
        if (const auto taken = take_own(word); !taken) return tl::unexpected(taken.error());
      } else if (word.size() < 2 || word.front() != '-') {
        add_input(word, {word});
      } else {
        take_option(word);
      }
    }
    decide_mode();
    return std::move(result_);
  }

 private:
  Result<void> take_own(const std::string& word) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (name == "--cppc-report" && (value == "text" || value == "json" || value == "html")) {
      result_.translator.insert(result_.translator.end(), {"--report", value});
    } else if (name == "--cppc-models" && !value.empty()) {
      result_.translator.insert(result_.translator.end(), {"--models", value});
    } else {
      return error("there is no option " + word +
                   "; there are --portable, --cppc-report=text|json|html and --cppc-models=FILE");
    }
    return {};
  }

  void add_input(const std::string& value, std::vector<std::string> words) {
    if (value == "-") result_.reads_standard_input = true;
    result_.has_inputs = true;
    result_.arguments.push_back({Role::input, std::move(words), value, language_});
  }

  void add(Role role, std::vector<std::string> words, std::string value = "") {
    result_.arguments.push_back({role, std::move(words), std::move(value), ""});
  }

  // The value of an option, joined to its name or as the next word; `used`: the words it takes.
  std::string value_of(const std::string& word, std::size_t name_length, std::vector<std::string>& used) {
    used.push_back(word);
    if (word.size() > name_length) return word.substr(name_length);
    if (next_ == words_.size()) return "";
    used.push_back(words_[next_]);
    return words_[next_++];
  }

  void take_option(const std::string& word) {
    if (!take_linking(word) && !take_dependency(word) && !take_language_or_output(word)) take_other(word);
  }

  bool take_linking(const std::string& word) {
    std::vector<std::string> used;
    if (word.starts_with("-Wl,")) {
      take_linker_words(word);
    } else if (word == "-Xlinker" || word == "--for-linker" || word.starts_with(for_linker)) {
      const std::size_t name_length = word.starts_with(for_linker) ? for_linker.size() : word.size();
      const std::string value = value_of(word, name_length, used);
      add_linker_word(value, std::move(used));
    } else if (word.starts_with("-l")) {
      const std::string value = value_of(word, 2, used);
      result_.has_inputs = true;
      add(Role::library, std::move(used), value);
    } else if (word.starts_with("-L")) {
      const std::string value = value_of(word, 2, used);
      add(Role::library_directory, std::move(used), value);
    } else {
      return false;
    }
    return true;
  }

  // -Wl,a,b is -Wl,a -Wl,b.
  void take_linker_words(const std::string& word) {
    for (std::size_t start = 4; start <= word.size();) {
      const std::size_t comma = std::min(word.find(',', start), word.size());
      const std::string value = word.substr(start, comma - start);
      add_linker_word(value, {"-Wl," + value});
      start = comma + 1;
    }
  }

  static bool takes_value(const std::string& word) {
    return is_one_of(linker_words_with_value, word.starts_with("--") ? word.substr(1) : word);
  }

  void add_linker_word(const std::string& value, std::vector<std::string> words) {
    if (is_one_of(partial_linker_words, value)) partial_ = true;
    if (is_one_of(combining_words, value)) result_.combined_object = true;
    note_place(value);
    const bool is_value = std::exchange(value_follows_, takes_value(value));
    add(is_value || value.starts_with('-') ? Role::linker : Role::linker_input, std::move(words), value);
  }

  bool take_dependency(const std::string& word) {
    std::vector<std::string> used;
    if (word == "-MD" || word == "-MMD" || word == "-MP" || word == "-MG" || word.starts_with("-Wp,-M")) {
      used.push_back(word);
    } else if (word.starts_with("-MF") || word.starts_with("-MT") || word.starts_with("-MQ") ||
               word.starts_with("-MJ")) {
      value_of(word, 3, used);
    } else {
      return false;
    }
    add(Role::dependency, std::move(used));
    return true;
  }

  bool take_language_or_output(const std::string& word) {
    std::vector<std::string> used;
    if (word.starts_with("-x")) {
      const std::string value = value_of(word, 2, used);
      language_ = value == "none" ? "" : value;
      add(Role::language, std::move(used), value);
    } else if (word.starts_with("-o")) {
      result_.output = value_of(word, 2, used);
      add(Role::output, std::move(used), result_.output);
    } else {
      return false;
    }
    return true;
  }

  void take_other(const std::string& word) {
    std::vector<std::string> used{word};
    if (is_one_of(separate_values, word) && next_ < words_.size()) used.push_back(words_[next_++]);
    if (word == "-c" || word == "--compile") compile_ = true;
    if (word == "-v") result_.verbose = true;
    if (word == "-static" || word == "--static") result_.static_program = true;
    note_place(word);
    note_sanitizers(word);
    if (word.starts_with("-flto")) result_.link_time_optimization = true;
    if (word == "-r") result_.combined_object = true;
    if (word == "-fno-lto") result_.link_time_optimization = false;
    if (is_one_of(partial_options, word)) partial_ = true;
    if (is_one_of(transparent_options, word) || begins_with_one_of(transparent_beginnings, word)) transparent_ = true;
    if (word != "-c" && word != "--compile") add(Role::other, std::move(used));
  }

  // The last one counts.
  void note_place(const std::string& word) {
    if (is_one_of(position_independent_options, word)) result_.position_independent = word;
    if (word == "-no-pie" || word == "-nopie" || word == "--no-pie") result_.position_independent.clear();
  }

  void note_sanitizers(const std::string& word) {
    constexpr std::string_view on = "-fsanitize=", off = "-fno-sanitize=";
    if (word.starts_with(off) && (word.ends_with("=all") || word.ends_with("=" + result_.sanitizer)))
      result_.sanitizer.clear();
    if (!word.starts_with(on)) return;
    for (std::size_t start = on.size(); start <= word.size();) {
      const std::size_t comma = std::min(word.find(',', start), word.size());
      const std::string name = word.substr(start, comma - start);
      if (is_one_of(sanitizers_with_own_memory, name)) result_.sanitizer = name;
      start = comma + 1;
    }
  }

  void decide_mode() {
    if (transparent_ || !result_.has_inputs) return;
    if (compile_ && result_.reads_standard_input) return;  // nobody could find this source again
    result_.mode = compile_ ? Mode::compile : partial_ || result_.combined_object ? Mode::partial : Mode::link;
  }

  std::span<const std::string> words_;
  std::size_t next_ = 0;
  CommandLine result_;
  std::string language_;
  bool compile_ = false, partial_ = false, transparent_ = false;
  bool value_follows_ = false;  // of the linker's last word
};

}  // namespace

Result<CommandLine> parse_command_line(std::span<const std::string> arguments) {
  const std::vector<std::string> words = expand_response_files(arguments);
  auto line = Parser(words).parse();
  if (!line) return line;
  const auto is_own = [](const std::string& word) { return word.starts_with("--cppc-") || word == "--portable"; };
  // A response file with the wrapper's own options in it cannot be passed on as it is.
  const bool as_given =
      std::count_if(words.begin(), words.end(), is_own) == std::count_if(arguments.begin(), arguments.end(), is_own);
  const std::span<const std::string> passed_on = as_given ? arguments : std::span<const std::string>(words);
  std::remove_copy_if(passed_on.begin(), passed_on.end(), std::back_inserter(line->words), is_own);
  line->has_response_files = !std::equal(arguments.begin(), arguments.end(), words.begin(), words.end());
  return line;
}

std::optional<Language> language_of(const Argument& argument) {
  if (argument.role != Role::input) return std::nullopt;
  const std::string& name = argument.value;
  const auto ends_with = [&name](const char* ending) { return name.ends_with(ending); };
  if (argument.language.empty()) {
    if (name.ends_with(".c")) return Language::c;
    if (std::any_of(cxx_endings.begin(), cxx_endings.end(), ends_with)) return Language::cxx;
    if (std::any_of(fortran_endings.begin(), fortran_endings.end(), ends_with)) return Language::fortran;
    return std::nullopt;
  }
  if (argument.language == "c") return Language::c;
  if (argument.language.starts_with("c++")) return Language::cxx;
  if (argument.language.starts_with("f77") || argument.language.starts_with("f95")) return Language::fortran;
  return std::nullopt;
}

bool is_kept_source(const Argument& argument, Language wrapper, bool portable) {
  const auto language = language_of(argument);
  if (wrapper == Language::fortran) return language == Language::fortran;
  return language == Language::c || (language == Language::cxx && !portable);
}

}  // namespace cppc::driver
