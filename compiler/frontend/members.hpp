/// Which members of structures may be told apart by their names.
#pragma once

#include <clang/AST/Decl.h>

#include <map>
#include <set>
#include <string>

#include "source.hpp"

namespace cppc::frontend {

/// Structures that contain each other are a family: one object is of one family, unless the program reuses its memory.
/// Families with unions, or whose pointers are converted to others', may give the same memory several names: their
/// members are not told apart.
class Members {
 public:
  explicit Members(const Source& source);

  /// The family of a member that may be told apart; empty for any other.
  [[nodiscard]] std::string family(const clang::FieldDecl* member);

  void see(const clang::RecordDecl* record);
  void see_conversion(clang::QualType from, clang::QualType to);

 private:
  [[nodiscard]] std::string leader(std::string record) const;

  std::map<std::string, std::string> joined_;  ///< a structure to another one of its family
  std::set<std::string> blurred_, blurred_families_;
  std::map<const clang::RecordDecl*, std::string> families_;  ///< that have been asked for
};

}  // namespace cppc::frontend
