#include "once_headers.hpp"

#include <clang/Lex/HeaderSearch.h>
#include <clang/Lex/Preprocessor.h>

#include <regex>

namespace cppc::rewrite {

namespace {

/// In the order of the files' text.
std::vector<clang::FileID> files_of(const clang::SourceManager& manager) {
  std::vector<clang::FileID> files;
  for (unsigned i = 0; i < manager.local_sloc_entry_size(); ++i) {
    const auto& entry = manager.getLocalSLocEntry(i);
    if (!entry.isFile()) continue;
    const clang::FileID file = manager.getFileID(clang::SourceLocation::getFromRawEncoding(entry.getOffset()));
    if (manager.getFileEntryForID(file) != nullptr) files.push_back(file);
  }
  return files;
}

template <class Visit>  // of each match of the pattern in the file
void each_line(const clang::SourceManager& manager, clang::FileID file, const std::regex& pattern, Visit visit) {
  const llvm::StringRef text = manager.getBufferData(file);
  for (std::cregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match)
    visit(DirectiveLine{file, static_cast<unsigned>(match->position()), static_cast<unsigned>(match->length())},
          *match);
}

}  // namespace

OnceHeaders::OnceHeaders(clang::ASTUnit& unit) : unit_(unit), manager_(unit.getSourceManager()) {
  const std::vector<clang::FileID> files = files_of(manager_);
  for (const clang::FileID file : files) entered_.insert(manager_.getDecomposedIncludedLoc(file));
  for (const clang::FileID file : files)
    if (!manager_.isInSystemHeader(manager_.getLocForStartOfFile(file))) read(file);
}

void OnceHeaders::read(clang::FileID file) {
  static const std::regex include("^[ \t]*#[ \t]*include[ \t]*([\"<])([^\">\n]+)[\">][^\n]*", std::regex::multiline);
  each_line(manager_, file, include, [&](const DirectiveLine& line, const std::cmatch& match) {
    if (is_entered(line)) return;
    if (const auto* const header = found(file, match[2], match[1] == "<")) skipped_.push_back({line, header});
  });
}

bool OnceHeaders::is_entered(const DirectiveLine& line) const {
  const auto first = entered_.lower_bound({line.file, line.offset});
  return first != entered_.end() && first->first == line.file && first->second <= line.offset + line.length;
}

const clang::FileEntry* OnceHeaders::found(clang::FileID from, const std::string& name, bool angled) const {
  const clang::OptionalFileEntryRef includer = manager_.getFileEntryRefForID(from);
  if (!includer) return nullptr;
  const std::pair<clang::OptionalFileEntryRef, clang::DirectoryEntryRef> includers[] = {{includer, includer->getDir()}};
  clang::ConstSearchDirIterator directory = nullptr;
  const auto header = unit_.getPreprocessor().getHeaderSearchInfo().LookupFile(
      name, {}, angled, nullptr, &directory, includers, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
  return header ? &header->getFileEntry() : nullptr;
}

std::vector<DirectiveLine> OnceHeaders::needless_after(clang::FileID header) const {
  const clang::OptionalFileEntryRef entry = manager_.getFileEntryRefForID(header);
  auto& headers = unit_.getPreprocessor().getHeaderSearchInfo();
  if (!entry || !headers.getFileInfo(*entry).isPragmaOnce) return {};
  std::vector<DirectiveLine> lines;
  static const std::regex pragma("^[ \t]*#[ \t]*pragma[ \t]+once[^\n]*", std::regex::multiline);
  each_line(manager_, header, pragma, [&](const DirectiveLine& line, const auto&) { lines.push_back(line); });
  for (const Inclusion& inclusion : skipped_)
    if (inclusion.header == &entry->getFileEntry()) lines.push_back(inclusion.line);
  return lines;
}

}  // namespace cppc::rewrite
