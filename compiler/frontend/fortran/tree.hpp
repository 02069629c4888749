/// A program in Fortran, as far as the analyses care: what flang says of its symbols, statements and expressions,
/// without flang's types. Whatever is not understood is there as what it mentions.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frontend/left_out.hpp"

namespace cppc::fortran {

using Index = std::uint32_t;
inline constexpr Index none = std::numeric_limits<Index>::max();

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;

/// `parts` depends on the kind.
struct Expr {
  enum class Kind : std::uint8_t {
    constant,  ///< an integer: `value`
    name,      ///< a variable: `symbol`
    element,   ///< of what parts[0] is; the others are subscripts, some of them perhaps ranges
    range,     ///< lower, upper and stride, perhaps null
    member,    ///< `word` of parts[0]
    bound,     ///< of dimension `value`, from 0, of the array `symbol`, as its descriptor has it: lower or upper
    call,      ///< of `procedure`, or of the intrinsic `word`; arguments
    operate,   ///< of integers, also those that logical values are: `word` is as in C, or min or max; two operands
    other,     ///< anything that reads its parts
  };
  Kind kind = Kind::other;
  std::int64_t value = 0;
  Index symbol = none;
  Index view = none;  ///< of a name in a COMMON block: the symbol with the bounds that it has here, when not `symbol`
  Index procedure = none;  ///< in Program::procedures
  std::string word;
  std::vector<ExprPtr> parts;
};

/// Null: not known here (`*`, `:`).
struct Bounds {
  ExprPtr lower, upper;
};

struct Symbol {
  enum class Storage : std::uint8_t { local, fixed, dummy, common, module };
  enum class Descriptor : std::uint8_t { none, allocatable, pointer, assumed };
  std::string name;
  Storage storage = Storage::local;
  Index procedure = none;     ///< whose local or dummy it is
  std::string linker_name;    ///< of a module's variable or a COMMON block; empty when it has none that is known
  std::uint64_t offset = 0;   ///< in the COMMON block, or of a component in its variable
  bool placed = false;        ///< of a component: its offset is known
  std::uint64_t bytes = 0;    ///< of all of it; 0 when not known
  std::uint64_t element = 0;  ///< bytes of an element; 0 when not known
  bool integer = false;       ///< or logical, which is an integer that is 0 or 1
  bool array = false;
  bool constant = false;       ///< PARAMETER
  std::vector<Bounds> bounds;  ///< of an array of explicit shape, or of assumed size (the last one without an upper)
  std::string unclear;         ///< why nothing can be said of its memory; empty when it can
  bool aliased = false;        ///< it may change by another name
  std::string type;            ///< in Fortran, of numbers
  Descriptor descriptor = Descriptor::none;  ///< of an array whose block, or bounds, are known at run time
  Index shape = none;                        ///< the symbol that stands for what the descriptor says
  Index shape_of = none;                     ///< of such a symbol: the array
  Index part_of = none;                      ///< of a component: the variable
  Index view_of = none;                      ///< the same memory with other bounds
  std::vector<Index> parts;                  ///< components that are symbols of their own
  bool whole = false;                        ///< it is mentioned not only by its components
  bool shared = false;          ///< perhaps other names lead to where this pointer leads, or it does not lead anywhere
  bool anywhere = false;        ///< it is not known which other names lead there
  bool doubtful = false;        ///< a pointer of which something can be said only where all ways lead to an overwrite
  std::vector<Index> mates;     ///< of such a one: names that perhaps lead to the same memory
  std::vector<Index> pointers;  ///< such ones that perhaps lead to the same memory as this name
};

struct Place {
  std::string file;  ///< as flang names it
  unsigned line = 0, column = 0;
  unsigned text_line = 0;  ///< counted in the file's text, whatever a marker of the preprocessor in it says
  bool in_source = false;  ///< in the file itself, neither included nor from a macro
};

struct Statement;
using Statements = std::list<Statement>;

struct Case {
  ExprPtr condition;  ///< null: otherwise
  Statements body;
};

struct Statement {
  enum class Kind : std::uint8_t {
    assign,  ///< target = value
    call,    ///< expressions[0] is the call
    branch,  ///< the first of `cases` whose condition holds; `choose`: at most one of them, in any order
    loop,    ///< `variable` from low to high by step; without a variable: while `value` holds, or for ever
    leave,   ///< EXIT: of loop or construct `label`
    cycle,   ///< of loop `label`
    jump,    ///< to any of `labels`
    end,     ///< RETURN
    stop,    ///< STOP
    touch,   ///< reads `expressions`, and may change what they name when `changes`
    label,   ///< nothing but the place of `label`
  };
  Kind kind = Kind::touch;
  Place place;
  ExprPtr target, value;
  std::vector<ExprPtr> expressions;
  std::vector<Case> cases;
  bool complete = false;  ///< of a branch: one of the cases is taken
  bool team = false;      ///< of a branch: several threads may run it, or parts of it, in any order
  bool copies = false;    ///< of an assignment: perhaps pointers
  bool changes = false;
  bool falls_through = false;  ///< of a jump: perhaps none is taken
  Index variable = none;
  ExprPtr low, high, step;
  Statements body;
  Index construct = none;  ///< number of a loop or construct, in its procedure
  Index label = none;      ///< number of the construct that is left, or a label
  std::vector<Index> labels;
  Place inside;           ///< of a loop, or of a label that stands at a CONTINUE: the last character of that line; of
                          ///< another label, and a loop that begins with it: the first character behind it
  bool labelled = false;  ///< that is so; `label` is that of the loop's first statement
  std::string obstacle;   ///< of a loop: why no line can be put into its body
};

struct Procedure {
  std::string name;         ///< for the user
  std::string linker_name;  ///< of externals and of modules' procedures
  bool is_main = false;
  bool pure = false;
  bool takes_pointers = false;  ///< as it is declared, when it is not defined
  bool shadows = false;         ///< it has constructs in which a name may be another variable than elsewhere
  Index host = none;
  std::set<std::string> names;  ///< that it declares: they hide a host's
  std::vector<Index> dummies;   ///< symbols; none for alternate returns
  bool defined = false;
  Statements body;
  std::vector<ExprPtr> sizes;  ///< expressions of the specification part, read at entry
  std::string unclear;         ///< why it may do more than its statements say; empty when it does not
  Place place;
  Index file = none;  ///< number of its command
};

struct Program {
  std::vector<Symbol> symbols;
  std::vector<Procedure> procedures;
  std::vector<frontend::LeftOut> left_out;
  std::vector<Index> read_files;    ///< numbers of the commands that are in it
  std::set<Index> with_submodules;  ///< of these, those that have submodules, whose procedures are not in it
  std::string unclear;              ///< why nothing can be said of any memory; empty when it can
  std::vector<Index> bound;         ///< procedures that types, or pointers from the start, have
  std::set<Index> finals;           ///< FINAL procedures
  bool has_entries = false;         ///< ENTRY: a procedure that is not among these is perhaps in one of them
  std::vector<std::pair<ExprPtr, ExprPtr>> associations;  ///< pointers, and what assignments lead them to
  std::set<Index> freed;                                  ///< variables that DEALLOCATE names
  bool incomplete = false;                                ///< there is code in Fortran that is not in it
  bool pointers_unclear = false;                          ///< some are made in a way that is not followed
  std::optional<std::set<std::string>> outside;  ///< names for the linker that other code may use; nothing: any

  /// Sources of the program have code that is not in it.
  [[nodiscard]] bool lacks_code() const { return !left_out.empty() || !with_submodules.empty(); }
};

struct Command {
  std::string directory, file;
  std::vector<std::string> arguments;
  std::shared_ptr<const std::map<std::string, std::string>> macros;  ///< that the compiler has then; null: not known
};

/// Reads the whole program. What cannot be read is in Program::left_out. `module_sources` are no part of the program
/// but for their modules; those that cannot be read are passed over. `intrinsics`: where flang's intrinsic modules are;
/// `modules`: an empty directory, for modules that flang writes and such as stand for MPI's.
Program read(const std::vector<Command>& commands, const std::vector<Command>& module_sources,
             const std::string& intrinsics, const std::string& modules);

/// Shows all expressions of the statement, and of those inside it, but for their parts.
void visit_expressions(const Statement& s, const std::function<void(const Expr&)>& show);

/// In a form to compare; empty when it has calls or is not understood.
std::string text(const Program& program, const Expr& e);

/// The variable that a designator begins with, or none.
Index root(const Expr& e);

/// Whether the word is that of an intrinsic that gives an address: LOC, C_LOC, C_FUNLOC.
bool gives_address(const std::string& word);

/// The symbol with the bounds of an array that is named.
Index view(const Expr& name);

/// What changes besides a variable that is changed as a whole: its descriptor, its components.
std::vector<Index> besides(const Program& program, Index symbol);

/// What lies in a variable together with one of its components: who is given the address of one may know the others.
std::vector<Index> neighbours(const Program& program, Index symbol);

/// What follows a variable in its COMMON block.
std::vector<Index> following(const Program& program, Index symbol);

}  // namespace cppc::fortran
