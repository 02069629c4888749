/// Type descriptors (cppc_type) of one translation unit, written as C that the program's own compiler evaluates.
#pragma once

#include <clang/AST/ASTContext.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cppc::rewrite {

/// An object as a number of elements of a described type.
struct Shape {
  std::string type;   ///< expression of type const cppc_type*
  std::string count;  ///< expression; empty for a variable-length array
};

class Types {
 public:
  Types(const clang::ASTContext& context, std::string prefix) : context_(context), prefix_(std::move(prefix)) {}

  /// `spelling` names a type that has no name, as __typeof__ of a variable, say.
  Shape shape(clang::QualType type, const std::string& spelling = {});

  /// Why objects of the type cannot be carried over; nothing when they can.
  [[nodiscard]] std::optional<std::string> obstacle(clang::QualType type) const;

  /// Declarations that go before the first use, definitions that go to the end of the file.
  [[nodiscard]] const std::string& declarations() const { return declarations_; }
  [[nodiscard]] const std::string& definitions() const { return definitions_; }

  /// The structures described, for the runtime: references to their descriptors.
  [[nodiscard]] std::string list() const;

 private:
  std::string element(clang::QualType type, const std::string& spelling);
  std::string integer(clang::QualType type);
  std::string scalar(const std::string& named, const std::string& kind, const std::string& bytes);
  std::string record(const clang::RecordDecl* record, clang::QualType type, const std::string& spelling);
  void add_fields(const clang::RecordDecl* record, const std::string& spelling, std::uint64_t base,
                  std::string& fields);
  std::string raw(clang::CharUnits bytes);

  const clang::ASTContext& context_;
  std::string prefix_;
  std::map<std::string, std::string> known_;  ///< by spelling
  std::string declarations_, definitions_;
};

/// Whether values of the type are handles of MPI, and the name of their predefined descriptor.
const char* handle(clang::QualType type);

/// Whether something in the type refers to other objects.
bool has_references(const clang::ASTContext& context, clang::QualType type);

/// A variable or member of the type, unqualified, as C declares it.
std::string declaration(const clang::ASTContext& context, clang::QualType type, const std::string& name);

/// Whether the type can be named outside of functions.
bool is_local(clang::QualType type);

}  // namespace cppc::rewrite
