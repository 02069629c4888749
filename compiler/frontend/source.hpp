/// The C program as Clang parsed it, and what the handles of its representation (ir/program.hpp) mean.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/AST/Stmt.h>
#include <clang/Frontend/ASTUnit.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tl/expected.hpp>
#include <unordered_map>
#include <vector>

#include "ir/program.hpp"
#include "left_out.hpp"
#include "macros.hpp"
#include "models/models.hpp"

namespace cppc::frontend {

/// How one file is compiled.
struct Command {
  std::string directory;
  std::string file;
  std::vector<std::string> arguments;
  std::shared_ptr<const Macros> macros;  ///< that the compiler predefines with these; null: they are not known
};

/// A `#pragma cppc WORD ...` line.
struct Pragma {
  unsigned offset = 0, length = 0;  ///< of the line in the file
  unsigned line = 0;
  std::string word;
  bool used = false;
};

/// One translation unit.
struct Unit {
  ir::Index number;  ///< of its command
  Command command;
  std::unique_ptr<clang::ASTUnit> ast;
  std::vector<Pragma> pragmas;
  std::string unknown_attribute;  ///< one that Clang does not know; empty when there is none that matters
};

/// Where in a statement a marker is.
enum class Part { statement, body, condition, increment };

struct MarkerSite {
  ir::Index unit;
  const clang::Stmt* statement;
  Part part;
};

struct CallSite {
  ir::Index unit;
  const clang::CallExpr* call;
  clang::QualType type;  ///< pointee that the result is used as; null when it is not known here
};

struct FunctionSite {
  ir::Index unit;
  const clang::FunctionDecl* declaration;
};

struct VariableSite {
  ir::Index unit;
  const clang::VarDecl* declaration;
};

/// One loop of a nest that writes an array: `variable` goes from `low` up to and without `high`, or refers to one
/// element of `container` after the other.
struct Level {
  const clang::VarDecl* variable = nullptr;
  const clang::Expr* low = nullptr;
  const clang::Expr* high = nullptr;
  bool inclusive = false;  ///< up to and with `high`
  const clang::Expr* container = nullptr;
};

/// Variables that stand for the value they are declared with, references for what they refer to.
using Locals = std::map<const clang::VarDecl*, const clang::Expr*>;

/// A nest of loops that writes elements, a call that fills memory, or one that replaces all that a vector holds.
struct OverwriteSite {
  ir::Index unit;
  std::vector<Level> levels;             ///< outermost first; the elements of the last one lie side by side
  const clang::Expr* element = nullptr;  ///< of a nest
  const clang::Expr* pointer = nullptr;  ///< of a call: to `count` elements of `size` bytes
  const clang::Expr* count = nullptr;
  const clang::Expr* first = nullptr;   ///< or to as many elements as there are from `first`
  const clang::Expr* last = nullptr;    ///< up to and without `last`
  std::uint64_t size = 0;               ///< of an element that `count` counts; 0: what the pointer leads to says it
  const clang::Expr* vector = nullptr;  ///< or a pointer to it
  Locals nest, function;                ///< of the nest; and those around it, too
  std::vector<const clang::VarDecl*> behind;  ///< those of `nest` that are declared outside it
};

struct Source {
  std::vector<Unit> units;
  std::vector<MarkerSite> markers;
  std::vector<CallSite> calls;
  std::vector<OverwriteSite> overwrites;
  std::vector<FunctionSite> functions;
  std::vector<VariableSite> variables;
  std::unordered_map<const clang::VarDecl*, ir::Node> nodes;  ///< by canonical declaration
  std::vector<LeftOut> left_out;                              ///< files that Clang cannot parse
  /// By unit and place of a template's function: the functions that are made of it.
  std::map<std::pair<ir::Index, unsigned>, std::set<const clang::FunctionDecl*>> instantiations;
};

/// Parses all files. The error names the first that Clang cannot parse, and why. `most_bytes`: those are left out, and
/// named in Source::left_out; the error is that all would take more memory than that, as far as the first ones tell.
tl::expected<Source, std::string> parse(const std::vector<Command>& commands, const std::string& resources,
                                        std::optional<std::uint64_t> most_bytes);

/// The program's representation, for state that is kept by address or not (ir::Program::by_address).
ir::Program lower(Source& source, const models::Models& models, bool by_address);

/// Whether there are other functions of the same text as this one in the unit, made from one template.
bool is_one_of_several(const Source& source, ir::Index unit, const clang::FunctionDecl* function);

ir::Position position(const clang::SourceManager& manager, clang::SourceLocation where, ir::Program& program);

}  // namespace cppc::frontend
