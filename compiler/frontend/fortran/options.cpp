#include "options.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>
#include <string_view>

#include "read_text.hpp"

namespace cppc::fortran {

namespace {

namespace fs = std::filesystem;

using Definitions = std::vector<std::pair<std::string, std::string>>;

/// What gfortran predefines and sources ask for, where it has not been asked itself.
const Definitions kPredefined = {{"__GFORTRAN__", "1"}, {"__GNUC__", "12"}, {"__GNUC_MINOR__", "2"},
                                 {"_LP64", "1"},        {"__LP64__", "1"},  {"__OPTIMIZE__", "1"}};

/// Parameters of a macro belong to its name.
Definitions definitions_of(const std::map<std::string, std::string>& macros) {
  Definitions made;
  for (const auto& [name, rest] : macros) {
    const std::size_t body = rest.starts_with('(') ? rest.find(')') + 1 : 0;
    made.emplace_back(name + rest.substr(0, body), rest.substr(body));
  }
  return made;
}

/// Options that change what a source means and are not followed.
constexpr std::string_view kRefused[] = {
    "-fopenmp-",        "-fopenacc",  "-fcoarray",    "-include",       "-imacros",          "-undef",
    "-iquote",          "-idirafter", "-nostdinc",    "-fdollar-ok",    "-fno-underscoring", "-fsecond-underscore",
    "-fmodule-private", "-freal-",    "-finteger-4-", "-fpack-derived", "-fshort-enums",     "-fno-align-commons"};

constexpr const char* kSystemDirectories[] = {"/usr/local/include", "/usr/include/x86_64-linux-gnu", "/usr/include"};

void set_form(const std::string& language, Options& options) {
  const bool old = language.starts_with("f77");
  options.fixed_form = old;
  options.preprocessed = language.ends_with("-cpp-input");
}

void set_form_by_name(Options& options) {
  const std::string suffix = fs::path(options.file).extension();
  static constexpr std::string_view fixed[] = {".f", ".for", ".ftn", ".fi", ".F", ".FOR", ".FTN", ".fpp", ".FPP"};
  options.fixed_form = std::ranges::find(fixed, suffix) != std::end(fixed);
  options.preprocessed =
      std::ranges::any_of(suffix, [](unsigned char c) { return std::isupper(c) != 0; }) || suffix == ".fpp";
}

/// Of directories, with colons between them.
void add_list(const char* list, std::vector<std::string>& directories) {
  std::istringstream in(list != nullptr ? list : "");
  for (std::string one; std::getline(in, one, ':');)
    if (!one.empty()) directories.push_back(one);
}

/// The words of a command, one after the other.
class Words {
 public:
  explicit Words(const std::vector<std::string>& all) : all_(all) {}
  /// False after the last one.
  bool next() { return ++at_ < all_.size(); }
  [[nodiscard]] const std::string& word() const { return all_[at_]; }
  /// Of an option of so many letters: in the same word, or the next.
  std::string value(std::size_t letters) {
    const std::string& option = word();
    if (option.size() > letters) return option.substr(letters);
    return at_ + 1 < all_.size() ? all_[++at_] : std::string();
  }

 private:
  const std::vector<std::string>& all_;
  std::size_t at_ = 0;  // the compiler
};

struct Directories {
  std::vector<std::string> user, system;  ///< -I and -J, -isystem
  std::string modules;                    ///< where they go
};

// Each of these is false when the word is none of its options.

bool read_directory(Words& words, const std::string& base, Directories& directories) {
  const std::string& word = words.word();
  const auto in_base = [&](const std::string& path) { return (fs::path(base) / path).string(); };
  if (word.starts_with("-I"))
    directories.user.push_back(in_base(words.value(2)));
  else if (word.starts_with("-J"))
    directories.modules = in_base(words.value(2));
  else if (word.starts_with("-isystem"))
    directories.system.push_back(in_base(words.value(8)));
  else
    return false;
  return true;
}

bool read_macro(Words& words, Options& made) {
  const std::string& word = words.word();
  if (word.starts_with("-D")) {
    const std::string definition = words.value(2);
    const auto equals = definition.find('=');
    made.definitions.emplace_back(definition.substr(0, equals),
                                  equals == std::string::npos ? "1" : definition.substr(equals + 1));
  } else if (word.starts_with("-U")) {
    const std::string name = words.value(2);
    std::erase_if(made.definitions, [&](const auto& definition) { return definition.first == name; });
  } else {
    return false;
  }
  return true;
}

bool read_form(Words& words, Options& made) {
  const std::string& word = words.word();
  if (word == "-x") {
    set_form(words.value(2), made);
  } else if (word == "-ffree-form" || word == "-ffixed-form") {
    made.fixed_form = word == "-ffixed-form";
  } else if (word == "-cpp" || word == "-nocpp") {
    made.preprocessed = word == "-cpp";
  } else if (word.starts_with("-ffixed-line-length-")) {
    const std::string columns = word.substr(20);
    made.fixed_columns = columns == "none" || columns == "0" ? 1 << 20 : std::atoi(columns.c_str());
  } else {
    return false;
  }
  return true;
}

bool read_dialect(const std::string& word, Options& made) {
  if (word.starts_with("-std=")) {
    made.strict = word != "-std=gnu" && word != "-std=legacy";
    made.modern = !made.strict || word == "-std=f2018";
  } else if (word == "-fall-intrinsics")
    made.all_intrinsics = true;
  else if (word.ends_with("implicit-interface"))
    made.declares = !word.starts_with("-Wno-");
  else if (word == "-fopenmp" || word == "-fno-openmp")
    made.openmp = word == "-fopenmp";
  else if (word == "-fbackslash")
    made.backslash = true;
  else if (word == "-fautomatic" || word == "-fno-automatic")
    made.saves = word == "-fno-automatic";
  else if (word.starts_with("-fd-lines-as-"))
    made.debug_lines = word == "-fd-lines-as-code";
  else
    return false;
  return true;
}

bool read_kinds(const std::string& word, Options& made) {
  if (word == "-fdefault-integer-8") {
    made.integer_kind = 8;
  } else if (word == "-fdefault-real-8") {
    made.real_kind = 8;
  } else if (word == "-fdefault-double-8") {
    made.keeps_double = true;
  } else {
    return false;
  }
  return true;
}

bool is_refused(const std::string& word) {
  return word.starts_with("-fdefault-") ||
         std::ranges::any_of(kRefused, [&](std::string_view one) { return word.starts_with(one); });
}

void set_directories(const Command& command, const Directories& given, Options& made) {
  std::vector<std::string> user = given.user;
  if (!given.modules.empty()) user.push_back(given.modules);
  const std::string own = (fs::path(command.directory) / fs::path(command.file).parent_path()).string();
  made.includes = {own};
  made.modules = {command.directory, own};
  made.includes.insert(made.includes.end(), user.begin(), user.end());
  made.modules.insert(made.modules.end(), user.begin(), user.end());
  if (!made.preprocessed) return;
  add_list(std::getenv("CPATH"), made.includes);  // as GNU's preprocessor does
  made.includes.insert(made.includes.end(), given.system.begin(), given.system.end());
  made.includes.insert(made.includes.end(), std::begin(kSystemDirectories), std::end(kSystemDirectories));
}

void set_definitions(const Command& command, Options& made) {
  if (!made.preprocessed)
    made.definitions.clear();
  else if (command.macros != nullptr)
    made.definitions = definitions_of(*command.macros);
  else
    made.definitions.insert(made.definitions.begin(), kPredefined.begin(), kPredefined.end());
  if (made.preprocessed && made.openmp && command.macros == nullptr) made.definitions.emplace_back("_OPENMP", "201511");
}

}  // namespace

Options options_of(const Command& command) {
  Options made{.file = command.file};
  set_form_by_name(made);
  Directories directories;
  for (Words words(command.arguments); words.next();) {
    if (read_directory(words, command.directory, directories) || read_macro(words, made) || read_form(words, made))
      continue;
    const std::string& word = words.word();
    if (read_dialect(word, made) || read_kinds(word, made)) continue;
    if (is_refused(word)) made.refused = "the option " + word + " is not followed";
  }
  set_directories(command, directories, made);
  set_definitions(command, made);
  return made;
}

bool mentions_mpi(const fs::path& file) {
  constexpr std::string_view name = "mpi_";
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  const auto text = read_text(file);
  return text && !std::ranges::search(*text, name, same).empty();
}

}  // namespace cppc::fortran
