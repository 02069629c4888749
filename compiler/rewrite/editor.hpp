/// Insertions into the text of a translation unit, made all at once at the end: comments, macros and lines stay as they
/// are. A header that is changed takes the place of its #include.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/Frontend/ASTUnit.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inclusions.hpp"

namespace cppc::rewrite {

/// A place in one of the unit's files, ordered within a file.
using Offset = clang::SourceLocation::UIntTy;

/// A part of one of the unit's files.
struct Range {
  Offset begin, end;

  [[nodiscard]] bool contains(const Range& other) const { return begin <= other.begin && other.end <= end; }
};

class Editor {
 public:
  explicit Editor(clang::ASTUnit& unit)
      : unit_(unit), context_(unit.getASTContext()), manager_(unit.getSourceManager()) {}

  /// In front of what starts at `offset`; what is inserted first comes first.
  void open(Offset offset, std::string text) {
    edits_.push_back({offset, 0, std::move(text), true, edits_.size() + 1});
  }

  /// Behind what ends at `offset`; what is inserted first comes last.
  void close(Offset offset, std::string text) {
    edits_.push_back({offset, 0, std::move(text), false, edits_.size() + 1});
  }

  /// In front of everything else that is inserted there.
  void open_first(Offset offset, std::string text) { edits_.push_back({offset, 0, std::move(text), true, 0}); }

  void enclose(const Range& range, std::string before, std::string after) {
    open(range.begin, std::move(before));
    close(range.end, std::move(after));
  }

  void replace(Offset offset, unsigned length, std::string text) {
    edits_.push_back({offset, length, std::move(text), true, edits_.size() + 1});
  }
  void replace(const Range& range, std::string text) { replace(range.begin, range.end - range.begin, std::move(text)); }

  /// Where the source range starts and ends, macros taken as they stand in the file; nothing in a system header.
  [[nodiscard]] std::optional<Offset> begin(clang::SourceLocation where) const;
  [[nodiscard]] std::optional<Offset> end(clang::SourceLocation last_token) const;

  /// All of an expression; nothing when it reaches from one file into another, too.
  [[nodiscard]] std::optional<Range> range(const clang::Expr* expression) const;

  /// The same; nothing when the expression is only a part of a macro's expansion, too.
  [[nodiscard]] std::optional<Range> whole(const clang::Expr* expression) const;

  /// Behind a statement, its semicolon included.
  [[nodiscard]] std::optional<Offset> end_of(const clang::Stmt* statement) const;

  /// Of the main file.
  [[nodiscard]] Offset at(unsigned offset) const;
  [[nodiscard]] Offset end_of_file() const;

  /// The place in the main file where the offset's file is included; itself when it is in the main file.
  [[nodiscard]] Offset in_main_file(Offset offset) const;
  /// The first place in the main file that is changed.
  [[nodiscard]] std::optional<Offset> first() const;

  [[nodiscard]] unsigned line(Offset offset) const;
  [[nodiscard]] std::string file(Offset offset) const;
  [[nodiscard]] std::string original(const Range& range) const;
  [[nodiscard]] bool empty() const { return edits_.empty(); }

  /// The new text of the main file.
  [[nodiscard]] std::string text() const;

 private:
  struct Edit {
    Offset offset;
    unsigned length;
    std::string text;
    bool opens;
    std::size_t order;  ///< from 1; 0: first
  };
  [[nodiscard]] std::string text_of(clang::FileID file, const std::vector<Edit>& all, Inclusions& inclusions) const;
  [[nodiscard]] std::string included_text(const DirectiveLine& line, const std::vector<Edit>& all,
                                          Inclusions& inclusions) const;
  [[nodiscard]] std::vector<Edit> with_headers(Inclusions& inclusions) const;
  [[nodiscard]] DirectiveLine line_around(const std::pair<clang::FileID, unsigned>& place) const;

  clang::ASTUnit& unit_;
  const clang::ASTContext& context_;
  const clang::SourceManager& manager_;
  std::vector<Edit> edits_;
};

/// As a string literal's contents.
std::string quoted(const std::string& text);

}  // namespace cppc::rewrite
