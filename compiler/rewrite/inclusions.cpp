#include "inclusions.hpp"

#include <clang/Lex/HeaderSearch.h>
#include <clang/Lex/Preprocessor.h>

#include <algorithm>
#include <filesystem>

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

template <class Visit>  // of each directive with this name, and what follows the name
void each_directive(const clang::SourceManager& manager, clang::FileID file, llvm::StringRef name, Visit visit) {
  const llvm::StringRef text = manager.getBufferData(file);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    llvm::StringRef words = text.slice(begin, end).ltrim();
    if (words.consume_front("#") && (words = words.ltrim()).consume_front(name))
      visit(DirectiveLine{file, static_cast<unsigned>(begin), static_cast<unsigned>(end - begin)}, words.ltrim());
    begin = end + 1;
  }
}

}  // namespace

Inclusions::Inclusions(clang::ASTUnit& unit) : unit_(unit), manager_(unit.getSourceManager()) {
  for (const clang::FileID file : files_of(manager_)) entered_.emplace(manager_.getDecomposedIncludedLoc(file), file);
}

const std::vector<Inclusions::Inclusion>& Inclusions::all() {
  if (!all_.empty()) return all_;
  for (const clang::FileID file : files_of(manager_)) {
    if (manager_.isInSystemHeader(manager_.getLocForStartOfFile(file))) continue;
    each_directive(manager_, file, "include", [&](const DirectiveLine& line, llvm::StringRef operand) {
      const bool angled = operand.starts_with("<");
      const std::size_t end = operand.find(angled ? '>' : '"', 1);
      if (end == llvm::StringRef::npos || (!angled && !operand.starts_with("\""))) return;
      all_.push_back(inclusion(line, operand.slice(1, end), angled));
    });
  }
  return all_;
}

clang::FileID Inclusions::entered_at(const DirectiveLine& line) const {
  const auto first = entered_.lower_bound({line.file, line.offset});
  const bool here =
      first != entered_.end() && first->first.first == line.file && first->first.second <= line.offset + line.length;
  return here ? first->second : clang::FileID();
}

Inclusions::Inclusion Inclusions::inclusion(const DirectiveLine& line, llvm::StringRef name, bool angled) const {
  Inclusion made{.line = line, .entered = entered_at(line)};
  const clang::OptionalFileEntryRef includer = manager_.getFileEntryRefForID(line.file);
  if (!includer) return made;
  const auto path = std::filesystem::path(includer->getDir().getName().str()) / name.str();
  made.beside = !angled && manager_.getFileManager().getOptionalFileRef(path.string()).has_value();
  if (made.entered.isValid()) return made;
  const std::pair<clang::OptionalFileEntryRef, clang::DirectoryEntryRef> includers[] = {{includer, includer->getDir()}};
  clang::ConstSearchDirIterator directory = nullptr;
  const auto header = unit_.getPreprocessor().getHeaderSearchInfo().LookupFile(
      name, {}, angled, nullptr, &directory, includers, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
  if (header) made.skipped = &header->getFileEntry();
  return made;
}

std::vector<DirectiveLine> Inclusions::needless_after(clang::FileID header) {
  const clang::OptionalFileEntryRef entry = manager_.getFileEntryRefForID(header);
  auto& headers = unit_.getPreprocessor().getHeaderSearchInfo();
  if (!entry || !headers.getFileInfo(*entry).isPragmaOnce) return {};
  std::vector<DirectiveLine> lines;
  each_directive(manager_, header, "pragma", [&](const DirectiveLine& line, llvm::StringRef operand) {
    if (operand.starts_with("once")) lines.push_back(line);
  });
  for (const Inclusion& inclusion : all())
    if (inclusion.skipped == &entry->getFileEntry()) lines.push_back(inclusion.line);
  return lines;
}

/// By places beside each other.
bool Inclusions::leads_from_main_file(clang::FileID file) {
  while (file != manager_.getMainFileID()) {
    const auto its = std::ranges::find(all(), file, &Inclusion::entered);
    if (its == all_.end() || !its->beside) return false;
    file = its->line.file;
  }
  return true;
}

std::string Inclusions::name_of(clang::FileID file) {
  llvm::StringRef name = manager_.getFilename(manager_.getLocForStartOfFile(file));
  const llvm::StringRef main = manager_.getFilename(manager_.getLocForStartOfFile(manager_.getMainFileID()));
  if (!main.starts_with("./") && leads_from_main_file(file)) name.consume_front("./");
  return name.str();
}

std::vector<DirectiveLine> Inclusions::neighbours(clang::FileID header) {
  std::vector<DirectiveLine> lines;
  for (const Inclusion& inclusion : all())
    if (inclusion.line.file == header && inclusion.beside) lines.push_back(inclusion.line);
  return lines;
}

}  // namespace cppc::rewrite
