/// The #include lines of a unit, for headers that are changed: the text of such a one takes the place of its #include,
/// so that the compiler sees no file. Where it would be included again, if only `#pragma once` or the file's directory
/// said so, nothing may come, or its text.
#pragma once

#include <clang/Frontend/ASTUnit.h>
#include <llvm/ADT/StringRef.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace cppc::rewrite {

/// A line of a file of the unit.
struct DirectiveLine {
  clang::FileID file;
  unsigned offset, length;  ///< without the end of the line
};

class Inclusions {
 public:
  explicit Inclusions(clang::ASTUnit& unit);

  /// The header whose text came in at this line; an invalid one when none did, as it had been there or is left out.
  [[nodiscard]] clang::FileID entered_at(const DirectiveLine& line) const;

  /// Once the text of the header is in the place of an #include: its `#pragma once`, and the #include lines of others
  /// that led to it and into which its text did not come. None when it has no such pragma.
  [[nodiscard]] std::vector<DirectiveLine> needless_after(clang::FileID header);

  /// Lines that include files by their place beside the header: elsewhere they lead to others, or to none.
  [[nodiscard]] std::vector<DirectiveLine> neighbours(clang::FileID header);

  /// Of a file, as GNU's compiler says it in __FILE__: Clang has "./" in front of what lies beside the main file.
  [[nodiscard]] std::string name_of(clang::FileID file);

 private:
  struct Inclusion {
    DirectiveLine line;
    clang::FileID entered;                      ///< as entered_at() has it
    const clang::FileEntry* skipped = nullptr;  ///< when none was entered: the header that the line leads to, or null
    bool beside = false;                        ///< by its place beside the file that the line is in
  };
  const std::vector<Inclusion>& all();
  [[nodiscard]] Inclusion inclusion(const DirectiveLine& line, llvm::StringRef name, bool angled) const;
  [[nodiscard]] bool leads_from_main_file(clang::FileID file);

  clang::ASTUnit& unit_;
  const clang::SourceManager& manager_;
  std::map<std::pair<clang::FileID, unsigned>, clang::FileID> entered_;  ///< where, in which file, others come in
  std::vector<Inclusion> all_;  ///< but those in headers of the system; read when they are asked for
};

}  // namespace cppc::rewrite
