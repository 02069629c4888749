#include <clang/Basic/Diagnostic.h>
#include <clang/Tooling/ArgumentsAdjusters.h>
#include <clang/Tooling/CompilationDatabase.h>
#include <clang/Tooling/Tooling.h>
#include <llvm/Support/PrettyStackTrace.h>
#include <llvm/Support/Threading.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/thread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <regex>
#include <set>

#include "attributes.hpp"
#include "builtin_headers.hpp"
#include "source.hpp"

namespace cppc::frontend {

namespace {

/// Options with a value that decide what the source means; in the form that takes the value apart.
constexpr const char* kMeaningful[] = {"-I",      "-D",       "-U",         "-include", "-imacros",
                                       "-iquote", "-isystem", "-idirafter", "-x"};

/// Options for other stages of compilation, whose value is an argument of its own.
constexpr const char* kForeign[] = {"-o",       "-MF", "-MT", "-MQ", "-L",      "-l",
                                    "-Xlinker", "-u",  "-T",  "-z",  "--param", "-aux-info"};

/// Threads that parse: more would be busy with memory, and each takes of what the translator may have.
constexpr std::size_t kMostThreads = 16;
constexpr unsigned kStackOfThread = 32U << 20;

bool matters(const std::string& argument) {
  for (const char* prefix : {"-std=",
                             "-ansi",
                             "-fopenmp",
                             "-pthread",
                             "-m32",
                             "-m64",
                             "-funsigned-char",
                             "-fsigned-char",
                             "-fshort-enums",
                             "-nostdinc",
                             "-fms-extensions",
                             "-fplan9-extensions",
                             "-trigraphs",
                             "-fno-exceptions",
                             "-fno-rtti",
                             "-march=",
                             "-mavx",
                             "-msse",
                             "-mfma",
                             "-ffast-math",
                             "-fgnu89-inline",
                             "-Wp,-D",
                             "-Wp,-U",
                             "-Wp,-I",
                             "--sysroot=",
                             "--target="})
    if (argument.rfind(prefix, 0) == 0) return true;
  return false;
}

/// Whether the compiler is not Clang: then the source shall not take this one for it.
bool is_other_compiler(const Command& command) {
  return !command.arguments.empty() &&
         std::filesystem::path(command.arguments.front()).filename().string().find("clang") == std::string::npos;
}

/// The arguments that tell Clang what the source means, `more` among them: it knows not all that other compilers take.
std::vector<std::string> meaning(const Command& command, const std::string& resources,
                                 const std::vector<std::string>& more) {
  std::vector<std::string> kept{"clang",
                                "-resource-dir",
                                resources,
                                "-Wno-everything",
                                "-Wunknown-attributes",
                                "-Wno-error=implicit-function-declaration",
                                "-Wno-error=implicit-int",
                                "-Wno-error=int-conversion",
                                "-Wno-error=incompatible-function-pointer-types",
                                "-D__malloc__(...)=__malloc__",  // the attribute has arguments in gcc's omp.h
                                "-D__CPPC__=1"};
  const auto& arguments = command.arguments;
  if (is_other_compiler(command)) kept.emplace_back("-U__clang__");
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == command.file) continue;
    if (std::ranges::find(kForeign, argument) != std::end(kForeign)) {
      ++i;
      continue;
    }
    for (const char* option : kMeaningful) {
      if (argument.rfind(option, 0) != 0) continue;
      kept.push_back(argument);
      if (argument == option && i + 1 < arguments.size()) kept.push_back(arguments[++i]);
      break;
    }
    if (matters(argument)) kept.push_back(argument);
  }
  kept.insert(kept.end(), more.begin(), more.end());
  kept.push_back("-fsyntax-only");
  kept.push_back(command.file);
  return kept;
}

class Commands final : public clang::tooling::CompilationDatabase {
 public:
  Commands(const Command& command, std::vector<std::string> arguments)
      : command_(command.directory, command.file, std::move(arguments), "") {}
  std::vector<clang::tooling::CompileCommand> getCompileCommands(llvm::StringRef) const override { return {command_}; }

 private:
  clang::tooling::CompileCommand command_;
};

/// The first error that Clang finds, and an attribute that it does not know.
class Findings final : public clang::DiagnosticConsumer {
 public:
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& found) override {
    DiagnosticConsumer::HandleDiagnostic(level, found);
    llvm::SmallString<128> message;
    found.FormatDiagnostic(message);
    if (level < clang::DiagnosticsEngine::Error) return note_attribute(message);
    if (!error_.empty()) return;
    error_ = message.str().str();
    if (!found.hasSourceManager() || found.getLocation().isInvalid()) return;
    const auto& manager = found.getSourceManager();
    const clang::PresumedLoc where = manager.getPresumedLoc(manager.getExpansionLoc(found.getLocation()));
    if (where.isInvalid()) return;
    const bool in_header = !manager.isInMainFile(manager.getExpansionLoc(found.getLocation()));
    error_ = (in_header ? std::string(where.getFilename()) + ":" : "line ") + std::to_string(where.getLine()) + ": " +
             error_;
  }
  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] const std::string& attribute() const { return attribute_; }

 private:
  /// "unknown attribute 'x' ignored"
  void note_attribute(llvm::StringRef message) {
    const llvm::StringRef name = message.split('\'').second.split('\'').first;
    if (attribute_.empty() && !is_harmless_attribute(name)) attribute_ = name.str();
  }

  std::string error_, attribute_;
};

std::vector<Pragma> find_pragmas(const clang::ASTUnit& ast) {
  const auto& manager = ast.getSourceManager();
  const std::string text = manager.getBufferData(manager.getMainFileID()).str();
  static const std::regex line("^[ \t]*#[ \t]*pragma[ \t]+cppc[ \t]+(\\w+)[^\n]*", std::regex::multiline);
  std::vector<Pragma> pragmas;
  for (std::sregex_iterator match(text.begin(), text.end(), line), end; match != end; ++match) {
    const auto offset = static_cast<unsigned>(match->position());
    pragmas.push_back({offset, static_cast<unsigned>(match->length()),
                       manager.getLineNumber(manager.getMainFileID(), offset), (*match)[1].str()});
  }
  return pragmas;
}

using Parsed = tl::expected<std::unique_ptr<clang::ASTUnit>, std::string>;

/// A file system of its own: the working directory of the process is that of all threads.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files_for(const std::vector<std::string>& options,
                                                          const std::string& resources) {
  const auto is_gone = [&](const char* name) { return std::ranges::find(options, name) != options.end(); };
  if (is_gone("-U__has_feature") || is_gone("-U__has_extension")) return without_feature_checks(resources);
  return llvm::vfs::createPhysicalFileSystem();
}

/// The error is Clang's first.
Parsed parse_with(const Command& command, const std::string& resources, const std::vector<std::string>& options,
                  std::string& attribute) {
  const Commands database(command, meaning(command, resources, options));
  clang::tooling::ClangTool tool(database, {command.file}, std::make_shared<clang::PCHContainerOperations>(),
                                 files_for(options, resources));
  tool.clearArgumentsAdjusters();
  tool.setPrintErrorMessage(false);
  Findings findings;
  tool.setDiagnosticConsumer(&findings);
  std::vector<std::unique_ptr<clang::ASTUnit>> parsed;
  const int failed = tool.buildASTs(parsed);
  attribute = findings.attribute();
  if (failed != 0 || parsed.size() != 1 || parsed.front()->getDiagnostics().hasErrorOccurred())
    return tl::unexpected("Clang cannot parse it" + (findings.error().empty() ? "" : " (" + findings.error() + ")"));
  return std::move(parsed.front());
}

/// As the compiler sees it: macros of the compiler's that the program asks for are what they are there.
Parsed parse_as_compiled(const Command& command, const std::string& resources, std::string& attribute) {
  const Macros none;
  const Macros& macros = command.macros != nullptr ? *command.macros : none;
  std::vector<std::string> options = version_options(macros);
  Parsed parsed = parse_with(command, resources, options, attribute);
  if (!parsed && !options.empty()) {  // what headers of the system have for that compiler may be too much for Clang
    options.clear();
    if (Parsed again = parse_with(command, resources, options, attribute)) parsed = std::move(again);
  }
  std::set<std::string> given;
  while (parsed && command.macros != nullptr) {
    const std::size_t before = given.size();
    std::string changed;
    for (const std::string& name : mentioned_differences(**parsed, macros)) {
      if (!given.insert(name).second) continue;
      options.push_back(option_for(name, macros));
      changed += " " + name;
    }
    if (given.size() == before) break;
    parsed = parse_with(command, resources, options, attribute);
    if (!parsed) parsed = tl::unexpected("with the compiler's" + changed + " " + parsed.error());
  }
  return parsed;
}

/// What became of one file; the unit's error is Clang's first.
using Outcome = tl::expected<Unit, std::string>;

Outcome parse_unit(ir::Index number, const Command& command, const std::string& resources) {
  const llvm::PrettyStackTraceFormat in_a_crash("Clang parses %s", command.file.c_str());
  std::string attribute;
  Parsed parsed = parse_as_compiled(command, resources, attribute);
  if (!parsed) return tl::unexpected(parsed.error());
  Unit unit{number, command, std::move(*parsed), {}, std::move(attribute)};
  unit.pragmas = find_pragmas(*unit.ast);
  return unit;
}

std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t pages = 0, resident = 0;
  file >> pages >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

/// Several files at a time, on as many processors as there are.
class Parser {
 public:
  /// By the commands' numbers, nothing for those without arguments.
  using Outcomes = std::vector<std::optional<Outcome>>;

  Parser(const std::vector<Command>& commands, const std::string& resources, std::uint64_t most_bytes)
      : commands_(commands), resources_(resources), most_bytes_(most_bytes), outcomes_(commands.size()) {}

  tl::expected<Outcomes, std::string> run() {
    const std::size_t processors = llvm::hardware_concurrency().compute_thread_count();
    std::vector<llvm::thread> others;
    for (std::size_t i = 1; i < std::min({processors, commands_.size(), kMostThreads}); ++i)
      others.emplace_back(std::optional<unsigned>(kStackOfThread), [this] { work(); });
    work();
    for (llvm::thread& other : others) other.join();
    if (needed_ == 0) return std::move(outcomes_);
    const auto in_gigabytes = [](std::uint64_t bytes) {  // with one decimal
      const std::uint64_t tenths = bytes * 10 >> 30;
      return std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10);
    };
    return tl::unexpected("the program is too large: to look at its " + std::to_string(commands_.size()) +
                          " sources takes about " + in_gigabytes(needed_) + " GB of memory, " +
                          in_gigabytes(most_bytes_) + " may be taken");
  }

 private:
  void work() {
    for (std::size_t number = next_++; number < commands_.size() && needed_ == 0; number = next_++) {
      if (!commands_[number].arguments.empty())
        outcomes_[number].emplace(parse_unit(static_cast<ir::Index>(number), commands_[number], resources_));
      look_ahead(++done_);
    }
  }

  /// What becomes of Clang's trees when all are parsed. Better now than when there is no memory any more.
  void look_ahead(std::size_t done) {
    if (done < kSample) return;
    const std::uint64_t resident = resident_bytes(), needed = resident / done * commands_.size();
    if (needed > most_bytes_ && resident > most_bytes_ / 3) needed_ = needed;
  }

  static constexpr std::size_t kSample = 16;  // files

  const std::vector<Command>& commands_;
  const std::string& resources_;
  const std::uint64_t most_bytes_;
  Outcomes outcomes_;
  std::atomic<std::size_t> next_{0}, done_{0};
  std::atomic<std::uint64_t> needed_{0};  // more than there may be
};

}  // namespace

tl::expected<Source, std::string> parse(const std::vector<Command>& commands, const std::string& resources,
                                        std::optional<std::uint64_t> most_bytes) {
  Source source;
  auto outcomes = Parser(commands, resources, most_bytes.value_or(std::numeric_limits<std::uint64_t>::max())).run();
  if (!outcomes) return tl::unexpected(outcomes.error());
  for (std::size_t number = 0; number < commands.size(); ++number) {
    if (!(*outcomes)[number]) continue;
    Outcome& outcome = *(*outcomes)[number];
    if (outcome) {
      source.units.push_back(std::move(*outcome));
      continue;
    }
    if (!most_bytes) return tl::unexpected(commands[number].file + ": " + outcome.error());
    source.left_out.push_back({commands[number].file, outcome.error()});
  }
  return source;
}

}  // namespace cppc::frontend
