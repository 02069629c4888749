#include <clang/Basic/Diagnostic.h>
#include <clang/Tooling/ArgumentsAdjusters.h>
#include <clang/Tooling/CompilationDatabase.h>
#include <clang/Tooling/Tooling.h>
#include <llvm/Support/raw_ostream.h>

#include <regex>

#include "source.hpp"

namespace cppc::frontend {

namespace {

/// Options with a value that decide what the source means; in the form that takes the value apart.
constexpr const char* kMeaningful[] = {"-I",      "-D",       "-U",         "-include", "-imacros",
                                       "-iquote", "-isystem", "-idirafter", "-x"};

/// Options for other stages of compilation, whose value is an argument of its own.
constexpr const char* kForeign[] = {"-o",       "-MF", "-MT", "-MQ", "-L",      "-l",
                                    "-Xlinker", "-u",  "-T",  "-z",  "--param", "-aux-info"};

bool matters(const std::string& argument) {
  for (const char* prefix :
       {"-std=", "-ansi", "-fopenmp", "-pthread", "-m32", "-m64", "-funsigned-char", "-fsigned-char", "-fshort-enums",
        "-nostdinc", "-fms-extensions", "-fplan9-extensions", "-trigraphs"})
    if (argument.rfind(prefix, 0) == 0) return true;
  return false;
}

/// The arguments that tell Clang what the source means: it knows not all that other compilers take.
std::vector<std::string> meaning(const Command& command, const std::string& resources) {
  std::vector<std::string> kept{"clang",
                                "-resource-dir",
                                resources,
                                "-w",
                                "-Wno-error=implicit-function-declaration",
                                "-Wno-error=implicit-int",
                                "-Wno-error=int-conversion",
                                "-Wno-error=incompatible-function-pointer-types",
                                "-D__CPPC__=1"};
  const auto& arguments = command.arguments;
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
  kept.push_back("-fsyntax-only");
  kept.push_back(command.file);
  return kept;
}

class Commands final : public clang::tooling::CompilationDatabase {
 public:
  Commands(const Command& command, const std::string& resources)
      : command_(command.directory, command.file, meaning(command, resources), "") {}
  std::vector<clang::tooling::CompileCommand> getCompileCommands(llvm::StringRef) const override { return {command_}; }

 private:
  clang::tooling::CompileCommand command_;
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

}  // namespace

tl::expected<Source, std::string> parse(const std::vector<Command>& commands, const std::string& resources,
                                        bool leave_out) {
  Source source;
  clang::IgnoringDiagConsumer ignored;
  for (ir::Index number = 0; number < commands.size(); ++number) {
    const Command& command = commands[number];
    const Commands database(command, resources);
    clang::tooling::ClangTool tool(database, {command.file});
    tool.clearArgumentsAdjusters();
    tool.setPrintErrorMessage(false);
    if (leave_out) tool.setDiagnosticConsumer(&ignored);
    std::vector<std::unique_ptr<clang::ASTUnit>> parsed;
    const int failed = tool.buildASTs(parsed);
    if (failed != 0 || parsed.size() != 1 || parsed.front()->getDiagnostics().hasErrorOccurred()) {
      if (!leave_out) return tl::unexpected(command.file + ": Clang cannot parse it");
      source.left_out.push_back(command.file);
      continue;
    }
    Unit unit{number, command, std::move(parsed.front()), {}};
    unit.pragmas = find_pragmas(*unit.ast);
    source.units.push_back(std::move(unit));
  }
  return source;
}

}  // namespace cppc::frontend
