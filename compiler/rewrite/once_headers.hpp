/// Headers with `#pragma once`, of which the compiler knows by their files that it has seen them. The text of a changed
/// one takes the place of its #include, so that the file is not seen: where others include it again, nothing may come.
#pragma once

#include <clang/Frontend/ASTUnit.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace cppc::rewrite {

/// A line of a file of the unit.
struct DirectiveLine {
  clang::FileID file;
  unsigned offset, length;  ///< without the end of the line
};

class OnceHeaders {
 public:
  explicit OnceHeaders(clang::ASTUnit& unit);

  /// The #include lines that led to this header, and into which its text did not come, and its own `#pragma once`.
  /// None when it has no such pragma.
  [[nodiscard]] std::vector<DirectiveLine> needless_after(clang::FileID header) const;

 private:
  struct Inclusion {
    DirectiveLine line;
    const clang::FileEntry* header;
  };
  void read(clang::FileID file);
  [[nodiscard]] const clang::FileEntry* found(clang::FileID from, const std::string& name, bool angled) const;
  [[nodiscard]] bool is_entered(const DirectiveLine& line) const;

  clang::ASTUnit& unit_;
  const clang::SourceManager& manager_;
  std::set<std::pair<clang::FileID, unsigned>> entered_;  ///< where, in which file, others come in
  std::vector<Inclusion> skipped_;
};

}  // namespace cppc::rewrite
