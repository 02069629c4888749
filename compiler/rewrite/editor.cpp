#include "editor.hpp"

#include <clang/AST/Expr.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>

namespace cppc::rewrite {

namespace {

clang::SourceLocation location(Offset offset) { return clang::SourceLocation::getFromRawEncoding(offset); }

}  // namespace

std::string quoted(const std::string& text) {
  std::string made;
  for (const char c : text) made += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return made;
}

std::optional<Offset> Editor::begin(clang::SourceLocation where) const {
  const clang::SourceLocation here = manager_.getExpansionLoc(where);
  if (here.isInvalid() || manager_.isInSystemHeader(here) || manager_.isWrittenInBuiltinFile(here)) return {};
  return here.getRawEncoding();
}

std::optional<Offset> Editor::end(clang::SourceLocation last_token) const {
  if (last_token.isInvalid()) return {};
  const clang::SourceLocation last =
      last_token.isMacroID() ? manager_.getExpansionRange(last_token).getEnd() : last_token;
  if (manager_.isInSystemHeader(last)) return {};
  return last.getRawEncoding() + clang::Lexer::MeasureTokenLength(last, manager_, context_.getLangOpts());
}

std::optional<Range> Editor::range(const clang::Expr* expression) const {
  const auto from = begin(expression->getBeginLoc()), to = end(expression->getEndLoc());
  if (!from || !to || manager_.getFileID(location(*from)) != manager_.getFileID(location(*to))) return {};
  return Range{*from, *to};
}

std::optional<Range> Editor::whole(const clang::Expr* expression) const {
  const auto from = expression->getBeginLoc(), to = expression->getEndLoc();
  const auto& options = context_.getLangOpts();
  if (from.isMacroID() && !clang::Lexer::isAtStartOfMacroExpansion(from, manager_, options)) return {};
  if (to.isMacroID() && !clang::Lexer::isAtEndOfMacroExpansion(to, manager_, options)) return {};
  return range(expression);
}

std::optional<Offset> Editor::end_of(const clang::Stmt* s) const {
  using clang::Stmt;
  switch (s->getStmtClass()) {
    case Stmt::CompoundStmtClass:
    case Stmt::DeclStmtClass:
    case Stmt::NullStmtClass:
      return end(s->getEndLoc());
    case Stmt::IfStmtClass: {
      const auto* branch = llvm::cast<clang::IfStmt>(s);
      return end_of(branch->getElse() != nullptr ? branch->getElse() : branch->getThen());
    }
    case Stmt::ForStmtClass:
      return end_of(llvm::cast<clang::ForStmt>(s)->getBody());
    case Stmt::WhileStmtClass:
      return end_of(llvm::cast<clang::WhileStmt>(s)->getBody());
    case Stmt::SwitchStmtClass:
      return end_of(llvm::cast<clang::SwitchStmt>(s)->getBody());
    case Stmt::LabelStmtClass:
      return end_of(llvm::cast<clang::LabelStmt>(s)->getSubStmt());
    case Stmt::CaseStmtClass:
    case Stmt::DefaultStmtClass:
      return end_of(llvm::cast<clang::SwitchCase>(s)->getSubStmt());
    case Stmt::AttributedStmtClass:
      return end_of(llvm::cast<clang::AttributedStmt>(s)->getSubStmt());
    default:
      break;
  }
  const auto last = end(s->getEndLoc());
  if (!last) return {};
  const clang::SourceLocation token =
      s->getEndLoc().isMacroID() ? manager_.getExpansionRange(s->getEndLoc()).getEnd() : s->getEndLoc();
  const auto next = clang::Lexer::findNextToken(token, manager_, context_.getLangOpts());
  if (next && next->is(clang::tok::semi)) return next->getLocation().getRawEncoding() + 1;
  return last;
}

Offset Editor::at(unsigned offset) const {
  return manager_.getLocForStartOfFile(manager_.getMainFileID()).getRawEncoding() + offset;
}

Offset Editor::end_of_file() const {
  return at(static_cast<unsigned>(manager_.getBufferData(manager_.getMainFileID()).size()));
}

unsigned Editor::line(Offset offset) const { return manager_.getSpellingLineNumber(location(offset)); }

std::string Editor::file(Offset offset) const { return manager_.getFilename(location(offset)).str(); }

std::string Editor::original(const Range& range) const {
  const auto [file, from] = manager_.getDecomposedLoc(location(range.begin));
  return manager_.getBufferData(file).substr(from, range.end - range.begin).str();
}

Offset Editor::in_main_file(Offset offset) const {
  for (;;) {
    const clang::FileID file = manager_.getFileID(location(offset));
    if (file == manager_.getMainFileID()) return offset;
    const auto [parent, name] = manager_.getDecomposedIncludedLoc(file);
    if (parent.isInvalid()) return at(0);  // an option includes it (-include)
    const llvm::StringRef text = manager_.getBufferData(parent);
    const std::size_t line = text.rfind('\n', name) == llvm::StringRef::npos ? 0 : text.rfind('\n', name) + 1;
    offset = manager_.getLocForStartOfFile(parent).getRawEncoding() + static_cast<Offset>(line);
  }
}

std::optional<Offset> Editor::first() const {
  std::optional<Offset> first;
  for (const Edit& edit : edits_) {
    const Offset here = in_main_file(edit.offset);
    if (!first || here < *first) first = here;
  }
  return first;
}

/// The edits, and for each header that is changed those that put its text in the place of the #include, innermost
/// first, and keep the #include lines right that it and others have.
std::vector<Editor::Edit> Editor::with_headers(Inclusions& inclusions) const {
  std::vector<Edit> edits = edits_;
  std::vector<clang::FileID> done;
  const auto add = [&](const DirectiveLine& line) {
    const Offset start = manager_.getLocForStartOfFile(line.file).getRawEncoding() + line.offset;
    edits.push_back({start, line.length, {}, true, edits.size() + 1});
  };
  for (std::size_t i = 0; i < edits.size(); ++i) {
    const clang::FileID file = manager_.getFileID(location(edits[i].offset));
    if (file == manager_.getMainFileID() || std::ranges::find(done, file) != done.end()) continue;
    done.push_back(file);
    add(line_around(manager_.getDecomposedIncludedLoc(file)));
    for (const DirectiveLine& line : inclusions.needless_after(file)) add(line);
    for (const DirectiveLine& line : inclusions.neighbours(file)) {
      const clang::FileID header = inclusions.entered_at(line);
      add(header.isValid() ? DirectiveLine{header, 0, 0} : line);  // its text comes in its turn
    }
  }
  return edits;
}

DirectiveLine Editor::line_around(const std::pair<clang::FileID, unsigned>& place) const {
  const llvm::StringRef text = manager_.getBufferData(place.first);
  const std::size_t end_before = text.rfind('\n', place.second);
  const std::size_t begin = end_before == llvm::StringRef::npos ? 0 : end_before + 1;
  const std::size_t end = std::min(text.find('\n', place.second), text.size());
  return {place.first, static_cast<unsigned>(begin), static_cast<unsigned>(end - begin)};
}

std::string Editor::text_of(clang::FileID file, const std::vector<Edit>& all, Inclusions& inclusions) const {
  const Offset start = manager_.getLocForStartOfFile(file).getRawEncoding();
  const llvm::StringRef source = manager_.getBufferData(file);
  std::vector<Edit> edits;
  std::ranges::copy_if(all, std::back_inserter(edits),
                       [&](const Edit& edit) { return manager_.getFileID(location(edit.offset)) == file; });
  std::ranges::sort(edits, [](const Edit& a, const Edit& b) {
    if (a.offset != b.offset) return a.offset < b.offset;
    if (a.opens != b.opens) return !a.opens;
    if ((a.length == 0) != (b.length == 0)) return a.length == 0;
    return a.opens ? a.order < b.order : a.order > b.order;
  });
  std::string made;
  unsigned done = 0;
  for (const Edit& edit : edits) {
    const unsigned offset = edit.offset - start;
    if (offset > done) {
      made += source.slice(done, offset).str();
      done = offset;
    }
    made += edit.text;
    if (edit.length > 0 && edit.text.empty()) made += included_text({file, offset, edit.length}, all, inclusions);
    done = std::max(done, offset + edit.length);
  }
  return made + source.substr(done).str();
}

/// Of the header that the line includes; nothing when none came in there.
std::string Editor::included_text(const DirectiveLine& line, const std::vector<Edit>& all,
                                  Inclusions& inclusions) const {
  const clang::FileID header = inclusions.entered_at(line);
  if (header.isInvalid()) return {};
  const unsigned number = manager_.getLineNumber(line.file, line.offset);
  return "#line 1 \"" + quoted(inclusions.name_of(header)) + "\"\n" + text_of(header, all, inclusions) + "\n#line " +
         std::to_string(number + 1) + " \"" + quoted(inclusions.name_of(line.file)) + "\"";
}

std::string Editor::text() const {
  Inclusions inclusions(unit_);
  return text_of(manager_.getMainFileID(), with_headers(inclusions), inclusions);
}

}  // namespace cppc::rewrite
