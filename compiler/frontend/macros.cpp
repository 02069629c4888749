#include "macros.hpp"

#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/Preprocessor.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iterator>
#include <set>
#include <sstream>

namespace cppc::frontend {

namespace {

/// Those that the translator defines itself.
constexpr const char* kOwn[] = {"__CPPC__", "__malloc__"};

/// Clang has them although it does not list them.
constexpr const char* kUnlisted[] = {"__has_declspec_attribute", "__has_warning", "__is_identifier"};
constexpr const char* kInGccSince14[] = {"__has_feature", "__has_extension"};

/// Types that GCC knows from version 7 on, and Clang does not: the C library's headers use them then.
constexpr const char* kTypes[] = {"-D_Float32=float", "-D_Float64=double", "-D_Float32x=double",
                                  "-D_Float64x=long double", "-D_Float128=__float128"};

/// Functions of the processor that GCC's header has by these names, too.
constexpr std::pair<const char*, const char*> kOtherNames[] = {{"_mm_cvtsi128_si64x", "_mm_cvtsi128_si64"},
                                                               {"_mm_cvtsi64x_si128", "_mm_cvtsi64_si128"},
                                                               {"_mm_cvtsi64x_sd", "_mm_cvtsi64_sd"},
                                                               {"_mm_cvtsd_si64x", "_mm_cvtsd_si64"},
                                                               {"_mm_cvttsd_si64x", "_mm_cvttsd_si64"}};

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$'; }

int version_of_gcc(const Macros& compilers) {
  const auto version = compilers.find("__GNUC__");
  return version == compilers.end() || compilers.contains("__clang__") ? 0 : std::atoi(version->second.c_str());
}

/// Names that mean something else to the compiler than to Clang, whose predefined macros are `here`.
std::set<std::string> differences(const Macros& here, const Macros& compilers) {
  std::set<std::string> names;
  for (const auto& [name, value] : compilers)
    if (const auto found = here.find(name); found == here.end() || found->second != value) names.insert(name);
  for (const auto& [name, value] : here)
    if (!compilers.contains(name)) names.insert(name);
  for (const char* own : kOwn) names.erase(own);
  for (const auto& [other, name] : kOtherNames) names.erase(other);
  const int version = version_of_gcc(compilers);
  if (version != 0) names.insert(std::begin(kUnlisted), std::end(kUnlisted));
  if (version != 0 && version < 14) names.insert(std::begin(kInGccSince14), std::end(kInGccSince14));
  return names;
}

void add_mentioned(const clang::SourceManager& manager, clang::FileID file, const std::set<std::string>& wanted,
                   std::set<std::string>& found) {
  const auto buffer = manager.getBufferOrNone(file);
  if (!buffer) return;
  clang::LangOptions options;
  clang::Lexer lexer(file, *buffer, manager, options);
  for (clang::Token token;;) {
    lexer.LexFromRawLexer(token);
    if (token.is(clang::tok::eof)) return;
    if (!token.is(clang::tok::raw_identifier)) continue;
    if (std::string name = token.getRawIdentifier().str(); wanted.contains(name)) found.insert(std::move(name));
  }
}

}  // namespace

Macros read_macros(std::string_view text) {
  Macros macros;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view define = "#define ", undefine = "#undef ";
    const bool defines = line.starts_with(define);
    if (!defines && !line.starts_with(undefine)) continue;
    line.erase(0, defines ? define.size() : undefine.size());
    const auto end = std::ranges::find_if_not(line, in_name);
    std::string name(line.begin(), end), rest(end, line.end());
    if (defines)
      macros[std::move(name)] = rest.substr(0, rest.find_last_not_of(" \t\r") + 1);
    else
      macros.erase(name);
  }
  return macros;
}

std::vector<std::string> version_options(const Macros& compilers) {
  std::vector<std::string> options;
  if (version_of_gcc(compilers) == 0) return options;
  for (const char* name : {"__GNUC__", "__GNUC_MINOR__", "__GNUC_PATCHLEVEL__"})
    options.push_back(option_for(name, compilers));
  for (const auto& [other, name] : kOtherNames) options.push_back(std::string("-D") + other + "=" + name);
  // Those of C++ have them from version 13 on.
  if (!compilers.contains("__cplusplus") || version_of_gcc(compilers) >= 13)
    options.insert(options.end(), std::begin(kTypes), std::end(kTypes));
  return options;
}

std::string option_for(const std::string& name, const Macros& compilers) {
  const auto macro = compilers.find(name);
  if (macro == compilers.end()) return "-U" + name;
  const std::string& rest = macro->second;
  const std::size_t body = rest.starts_with('(') ? rest.find(')') + 1 : 0;
  const std::size_t begin = std::min(rest.find_first_not_of(' ', body), rest.size());
  return "-D" + name + rest.substr(0, body) + "=" + rest.substr(begin);
}

std::vector<std::string> mentioned_differences(const clang::ASTUnit& unit, const Macros& compilers) {
  std::set<std::string> wanted = differences(read_macros(unit.getPreprocessor().getPredefines()), compilers), found;
  const auto& manager = unit.getSourceManager();
  for (unsigned i = 0; i < manager.local_sloc_entry_size(); ++i) {
    const auto& entry = manager.getLocalSLocEntry(i);
    if (!entry.isFile()) continue;
    const auto start = clang::SourceLocation::getFromRawEncoding(entry.getOffset());
    if (manager.isInSystemHeader(start) || manager.isWrittenInBuiltinFile(start) ||
        manager.isWrittenInCommandLineFile(start))
      continue;
    add_mentioned(manager, manager.getFileID(start), wanted, found);
  }
  return {found.begin(), found.end()};
}

}  // namespace cppc::frontend
