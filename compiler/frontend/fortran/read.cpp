#include <flang/Common/Fortran-features.h>
#include <flang/Common/default-kinds.h>
#include <flang/Parser/parse-tree-visitor.h>
#include <flang/Parser/parsing.h>
#include <flang/Semantics/semantics.h>
#include <llvm/Support/PrettyStackTrace.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <list>
#include <map>
#include <set>
#include <utility>

#include "commons.hpp"
#include "conditional_directives.hpp"
#include "flang_errors.hpp"
#include "gfortran.hpp"
#include "gfortran_modules.hpp"
#include "gnu_functions.hpp"
#include "joined_lines.hpp"
#include "keywords.hpp"
#include "options.hpp"
#include "own_data.hpp"
#include "procedures.hpp"
#include "read_text.hpp"
#include "stubs.hpp"

namespace cppc::fortran {

namespace parser = Fortran::parser;
namespace semantics = Fortran::semantics;
namespace fs = std::filesystem;

namespace {

constexpr const char* kOtherDefaults =
    "most files that communicate have other sizes of default types, or differ from it in the option -fno-automatic";

/// Modules that a file has and wants; submodules as "module:submodule".
struct Modules {
  std::set<std::string> has, wants;
  bool entries = false;  ///< ENTRY among declarations
  template <typename T>
  bool Pre(const T& /*node*/) {
    return true;
  }
  template <typename T>
  void Post(const T& /*node*/) {}
  void Post(const parser::ModuleStmt& module) { has.insert(module.v.ToString()); }
  void Post(const parser::UseStmt& use) { wants.insert(use.moduleName.ToString()); }
  void Post(const parser::SubmoduleStmt& submodule) {
    const auto& [ancestor, parent] = std::get<parser::ParentIdentifier>(submodule.t).t;
    const std::string module = ancestor.ToString() + ":";
    has.insert(module + std::get<parser::Name>(submodule.t).ToString());
    wants.insert(parent ? module + parent->ToString() : ancestor.ToString());
  }
  void Post(const parser::EntryStmt& /*entry*/) { entries = true; }
  bool Pre(const parser::ExecutionPart& /*body*/) { return false; }
};

struct File {
  Index number;  ///< of its command; none for what the translator has written itself
  std::string name;
  parser::Parsing* parsing;
  Modules modules;
};

std::string text_of(const parser::Messages& messages, const parser::AllCookedSources& cooked) {
  std::string text;
  llvm::raw_string_ostream out(text);
  messages.Emit(out, cooked, false);
  return text;
}

/// Takes what earlier files have brought from a program's scope for a while. flang would look through all of it again
/// with each file, and count their errors, and initial values of equivalenced variables that it has seen, against it.
class EarlierFiles {
 public:
  EarlierFiles(semantics::Scope& program, std::size_t before) : program_(program), before_(before) {
    auto& scopes = program.children();
    earlier_.splice(earlier_.end(), scopes, std::next(scopes.begin(), static_cast<std::ptrdiff_t>(before)),
                    scopes.end());
  }
  ~EarlierFiles() {
    auto& scopes = program_.children();
    scopes.splice(std::next(scopes.begin(), static_cast<std::ptrdiff_t>(before_)), earlier_);
  }
  EarlierFiles(const EarlierFiles&) = delete;
  EarlierFiles& operator=(const EarlierFiles&) = delete;

 private:
  semantics::Scope& program_;
  std::size_t before_;
  std::list<semantics::Scope> earlier_;
};

/// By the number of the file.
using UndeclaredFunctions = std::map<Index, std::vector<Undeclared>>;

class Reader {
 public:
  Reader(const std::vector<Command>& commands, const std::vector<Command>& module_sources, std::string intrinsics,
         std::string modules, UndeclaredFunctions declared)
      : commands_(commands),
        module_sources_(module_sources),
        intrinsics_(std::move(intrinsics)),
        modules_(std::move(modules)),
        names_(argument_names(fs::path(intrinsics_).parent_path() / "mpi_fortran.txt")),
        declared_(std::move(declared)) {}

  /// After run(): what files could be read with.
  [[nodiscard]] const UndeclaredFunctions& undeclared() const { return undeclared_; }

  Program run() {
    std::vector<Options> options;
    for (const Command& command : commands_) options.push_back(options_of(command));
    std::vector<std::string> directories;
    for (const Options& one : options) directories.insert(directories.end(), one.includes.begin(), one.includes.end());
    const bool has_stubs = write_stubs(directories, fs::path(intrinsics_).parent_path() / "mpi.toml", modules_);
    const Options common = most_common(options);
    for (Index number = 0; number < commands_.size(); ++number) {
      if (commands_[number].arguments.empty()) continue;
      if (options[number].refused.empty() && options[number].defaults() == common.defaults())
        parse(number, options[number], commands_[number].directory);
      else
        leave_out(number, options[number].refused.empty() ? kOtherDefaults : options[number].refused);
    }
    for (const Command& command : module_sources_) {
      const Options its = options_of(command);
      if (its.refused.empty() && its.defaults() == common.defaults()) parse(none, its, command.directory);
    }
    for (const std::string module : {"mpi", "mpi_f08", "mpi_f08_types"})
      if (has_stubs && !there_is(module))
        parse(none, {.file = module + ".f90", .includes = directories, .modules = directories}, modules_);
    add_compiled_modules(options, directories);
    const bool openmp = std::ranges::any_of(options, &Options::openmp);
    const auto lacks_intrinsics = [](const Options& one) { return one.strict && !one.all_intrinsics; };
    analyse(common, openmp, std::ranges::any_of(options, lacks_intrinsics));
    settle_commons(program_, names_);
    return std::move(program_);
  }

 private:
  /// Options with the defaults of most files that communicate; a program may have more files of libraries.
  [[nodiscard]] Options most_common(const std::vector<Options>& options) const {
    std::map<decltype(Options{}.defaults()), std::pair<std::size_t, std::size_t>> files;
    const Options* most = nullptr;
    for (Index number = 0; number < commands_.size(); ++number) {
      if (commands_[number].arguments.empty()) continue;
      auto& count = files[options[number].defaults()];
      count.first += mentions_mpi(fs::path(commands_[number].directory) / commands_[number].file) ? 1 : 0;
      ++count.second;
      if (most == nullptr || count > files[most->defaults()]) most = &options[number];
    }
    return most != nullptr ? *most : Options{};
  }

  /// In a file: programs can have a module of their own that includes mpif.h.
  [[nodiscard]] bool there_is(const std::string& module) const {
    return std::ranges::any_of(files_, [&](const File& file) { return file.modules.has.contains(module); });
  }

  void leave_out(Index number, const std::string& why, const std::string& cause = "") {
    if (number != none) program_.left_out.push_back({commands_[number].file, why, cause});
  }

  /// The file, or a copy of it that defines its macros itself (flang takes the value of a predefined one for a single
  /// token, and then cannot compute with -DN=2+3), in which directives of OpenMP are whole and functions are declared.
  std::string readable(Index number, const fs::path& file, const Options& options) {
    const auto declared = declared_.find(number);
    const bool in_place = !options.preprocessed && !options.openmp && declared == declared_.end();
    auto text = in_place ? std::nullopt : read_text(file);
    if (text && declared != declared_.end()) text = declare_gnu_functions(*text, declared->second);
    bool joined = text && options.preprocessed && join_spliced_lines(*text);
    joined = (text && options.openmp && !options.fixed_form && join_sentinels(*text)) || joined;
    if (!text) return file.string();  // when it cannot be read, flang says why
    const auto resolved = options.preprocessed && options.openmp
                              ? without_conditional_directives(*text, file.string(), options, modules_)
                              : std::nullopt;
    if (!resolved && options.definitions.empty() && declared == declared_.end() && !joined) return file.string();
    const std::string name = (fs::path(modules_) / ("source-" + std::to_string(parsings_.size()))).string();
    std::ofstream copy(name);
    for (const auto& [macro, value] : options.definitions) copy << "#define " << macro << ' ' << value << '\n';
    copy << "#line 1 " << file << '\n' << resolved.value_or(*text);
    lines_in_front_[name] = static_cast<unsigned>(options.definitions.size()) + 1;
    return copy.flush() ? name : file.string();
  }

  void parse(Index number, const Options& options, const std::string& directory) {
    parser::Options made;
    made.isFixedForm = options.fixed_form;
    made.fixedFormColumns = options.fixed_columns;
    made.searchDirectories = {modules_};
    made.searchDirectories.insert(made.searchDirectories.end(), options.includes.begin(), options.includes.end());
    made.intrinsicModuleDirectories = {intrinsics_};
    if (options.preprocessed) made.predefinitions = {{"__GFORTRAN__", "1"}};  // without any, it has no __FILE__ either
    if (options.openmp) {
      made.features.Enable(Fortran::common::LanguageFeature::OpenMP);
      made.searchDirectories.push_back(directory_of_omp_lib());
    }
    if (options.debug_lines) made.features.Enable(Fortran::common::LanguageFeature::OldDebugLines);
    if (options.backslash) made.features.Enable(Fortran::common::LanguageFeature::BackslashEscapes);
    const llvm::PrettyStackTraceFormat in_a_crash("cppc looks at %s", options.file.c_str());
    auto& parsing = parsings_.emplace_back(cooked_);
    const fs::path file = fs::path(directory) / options.file;
    parsing.Prescan(readable(number, file, options), made);
    if (!parsing.messages().AnyFatalError()) parsing.Parse(llvm::nulls());
    if (parsing.messages().AnyFatalError() || !parsing.parseTree() || !parsing.consumedWholeFile())
      return leave_out(number, "it cannot be parsed (" + first_error(text_of(parsing.messages(), cooked_)) + ")");
    place_arguments(*parsing.parseTree(), names_);
    files_.push_back({number, options.file, &parsing, {}});
    parser::Walk(*parsing.parseTree(), files_.back().modules);
    program_.has_entries = program_.has_entries || files_.back().modules.entries;
  }

  /// Where gfortran has omp_lib.h.
  const std::string& directory_of_omp_lib() {
    if (!directory_of_omp_lib_) {
      const std::string path = output_of_gfortran({"-print-file-name=finclude"}, modules_).value_or("");
      directory_of_omp_lib_ = path.substr(0, path.find('\n'));
    }
    return *directory_of_omp_lib_;
  }

  /// Modules that files want and none has, as the compiler has written them: `all` are the directories of any file.
  void add_compiled_modules(const std::vector<Options>& options, const std::vector<std::string>& all) {
    std::set<std::string> there;
    for (const File& file : files_) there.insert(file.modules.has.begin(), file.modules.has.end());
    // Files that are added go to the end of the list.
    for (auto file = files_.begin(); file != files_.end(); ++file)
      for (const std::string& module : std::set(file->modules.wants)) {
        const std::string name = module + ".mod";
        if (module.find(':') != std::string::npos || !there.insert(module).second) continue;
        if (fs::exists(fs::path(intrinsics_) / name)) continue;
        const auto has_it = [&](const std::string& one) { return fs::exists(fs::path(one) / name); };
        const std::vector<std::string>& own = file->number != none ? options[file->number].modules : all;
        const auto directory = std::ranges::find_if(own, has_it);
        if (directory == own.end()) continue;
        const auto text = source_of_module(fs::path(*directory) / name);
        const std::string source = "module-" + module + ".f90";
        if (text && (std::ofstream(fs::path(modules_) / source) << *text).flush())
          parse(none, {.file = source, .includes = {}, .modules = {}}, modules_);
      }
  }

  /// Those whose modules nobody waits for first.
  void sort() {
    std::list<File> ordered;
    std::set<std::string> waiting;
    for (const File& file : files_) waiting.insert(file.modules.has.begin(), file.modules.has.end());
    for (bool moved = true; moved;) {
      moved = false;
      for (auto file = files_.begin(); file != files_.end();) {
        const auto here = file++;
        const bool ready = std::ranges::all_of(here->modules.wants, [&](const std::string& module) {
          return !waiting.contains(module) || here->modules.has.contains(module);
        });
        if (!ready) continue;
        for (const std::string& module : here->modules.has) waiting.erase(module);
        ordered.splice(ordered.end(), files_, here);
        moved = true;
      }
    }
    ordered.splice(ordered.end(), files_);
    files_ = std::move(ordered);
  }

  void note_undeclared(Index number, const std::string& messages) {
    const Command& command = commands_[number];
    auto found = undeclared_gnu_functions(messages, (fs::path(command.directory) / command.file).string());
    if (!found.empty()) undeclared_[number] = std::move(found);
  }

  /// Whether flang finds no errors in it. It would die of the use of a module in which it has found some.
  /// `before`: scopes that are no file's.
  bool understood(const File& file, semantics::SemanticsContext& context, std::size_t before) {
    std::string why, cause;
    for (const std::string& module : file.modules.wants) {
      const auto broken = broken_.find(module);
      if (broken == broken_.end()) continue;
      cause = broken->second;
      why = "it uses module " + module + ", which is in a file that is left as it is (" + cause + ")";
    }
    if (why.empty()) {
      const llvm::PrettyStackTraceFormat in_a_crash("cppc looks at %s", file.name.c_str());
      const EarlierFiles away(context.globalScope(), before);
      if (semantics::Semantics(context, *file.parsing->parseTree()).Perform()) {
        context.messages().clear();
        return true;
      }
      const std::string messages = text_of(context.messages(), cooked_);
      if (are_no_errors(messages)) {
        context.messages().clear();
        return true;
      }
      cause = first_error(messages);
      if (file.number != none) note_undeclared(file.number, messages);
      why = "flang finds errors in it (" + cause + ")";
      context.messages().clear();
    }
    for (const std::string& module : file.modules.has) broken_.emplace(module, cause);
    leave_out(file.number, why, cause);
    return false;
  }

  /// Procedures of the program's own with names that flang takes for intrinsic ones, and gfortran does not.
  void find_own_intrinsics(semantics::SemanticsContext& context, bool lacks_intrinsics) {
    static const std::set<std::string> newer = {"selected_logical_kind", "izext", "jzext"};
    for (const auto& [source, symbol] : context.globalScope()) {
      const std::string name = source.ToString();
      if (symbol->has<semantics::SubprogramDetails>() && context.intrinsics().IsIntrinsic(name) &&
          (lacks_intrinsics || newer.contains(name)))
        program_.unclear = "it has a procedure with the name of an intrinsic one, " + name;
    }
  }

  void analyse(const Options& common, bool openmp, bool lacks_intrinsics) {
    sort();
    Fortran::common::IntrinsicTypeDefaultKinds kinds;
    kinds.set_defaultIntegerKind(common.integer_kind)
        .set_defaultLogicalKind(common.integer_kind)
        .set_defaultRealKind(common.real_kind)
        .set_doublePrecisionKind(common.double_kind());
    Fortran::common::LanguageFeatureControl features;
    if (openmp) features.Enable(Fortran::common::LanguageFeature::OpenMP);
    if (common.saves) features.Enable(Fortran::common::LanguageFeature::DefaultSave);
    semantics::SemanticsContext context(kinds, features, cooked_);
    context.targetCharacteristics().DisableType(Fortran::common::TypeCategory::Real, 2);  // gfortran has none of them
    context.targetCharacteristics().DisableType(Fortran::common::TypeCategory::Real, 3);
    context.targetCharacteristics().DisableType(Fortran::common::TypeCategory::Complex, 2);
    context.targetCharacteristics().DisableType(Fortran::common::TypeCategory::Complex, 3);
    context.set_moduleDirectory(modules_)
        .set_searchDirectories({modules_})
        .set_intrinsicModuleDirectories({intrinsics_})
        .set_warnOnNonstandardUsage(false);
    const std::size_t before = context.globalScope().children().size();
    std::list<const File*> good;
    for (const File& file : files_)
      if (understood(file, context, before)) good.push_back(&file);
    Symbols symbols(program_);
    symbols.find_commons(context.globalScope());
    find_own_intrinsics(context, lacks_intrinsics);
    Context made{symbols, context, cooked_, lines_in_front_};
    symbols.find_bound(context.globalScope());
    for (const File* file : good) {
      if (file->number == none) continue;
      program_.read_files.push_back(made.file = file->number);
      add_procedures(made, *file->parsing->parseTree());
    }
    if (!std::ranges::all_of(program_.finals, [this](Index final) { return ends_own_data_only(program_, final); }))
      program_.unclear = "a FINAL procedure has to do with more than the components of its type";
  }

  const std::vector<Command>& commands_;
  const std::vector<Command>& module_sources_;
  const std::string intrinsics_, modules_;
  const ArgumentNames names_;
  parser::AllSources sources_;
  parser::AllCookedSources cooked_{sources_};
  std::list<parser::Parsing> parsings_;  // symbols and expressions point into their trees
  std::list<File> files_;
  std::map<std::string, unsigned> lines_in_front_;  ///< of copies, by path
  std::map<std::string, std::string> broken_;  ///< modules of files that flang finds errors in: the first of all errors
  const UndeclaredFunctions declared_;
  UndeclaredFunctions undeclared_;
  std::optional<std::string> directory_of_omp_lib_;
  Program program_;
};

}  // namespace

/// Anew with declarations of what flang does not know.
Program read(const std::vector<Command>& commands, const std::vector<Command>& module_sources,
             const std::string& intrinsics, const std::string& modules) {
  UndeclaredFunctions undeclared;
  {
    Reader reader(commands, module_sources, intrinsics, modules, {});
    Program program = reader.run();
    if (reader.undeclared().empty()) return program;
    undeclared = reader.undeclared();
  }
  return Reader(commands, module_sources, intrinsics, modules, std::move(undeclared)).run();
}

}  // namespace cppc::fortran
