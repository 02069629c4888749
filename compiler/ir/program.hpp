/// A whole program as the analyses see it: objects, and functions as graphs of blocks whose instructions say what is
/// read, written, pointed to, called and communicated. Front ends lower their language to this; no analysis knows
/// another form. What has to be found again in the source (loops, calls, statements) carries a `handle`, an index into
/// tables of the front end.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cppc::ir {

/// An object or a temporary value. `nothing` is a value that can hold no reference.
using Node = std::uint32_t;
inline constexpr Node nothing = 0;

/// Index of a function, call, loop or marker.
using Index = std::uint32_t;
inline constexpr Index none = std::numeric_limits<Index>::max();

struct Position {
  Index file = none;  ///< in Program::files
  unsigned line = 0;
  unsigned column = 0;
};

enum class Storage : std::uint8_t {
  temporary,
  global,    ///< static storage, also of static locals
  local,     ///< parameters as well
  heap,      ///< all blocks of one allocation site
  text,      ///< constants
  function,  ///< code, for pointers to it
  unknown,   ///< whatever code outside the program keeps
};

struct Object {
  Storage storage = Storage::temporary;
  bool scalar = false;         ///< a write replaces all of it
  bool address_taken = false;  ///< besides reads and writes by its name
  bool number = false;         ///< an integer that has room for an address, or an array of them
  bool of_thread = false;      ///< each thread has its own
  bool constant = false;       ///< never changes
  bool defined = true;         ///< by the program; otherwise by a library
  Index function = none;       ///< of a local and a block its own, of Storage::function the function itself
  Index handle = none;
  std::uint64_t bytes = 0;  ///< of a variable, as far as it is known
};

enum class Op : std::uint8_t {
  read,             ///< a <- object b
  write,            ///< object a <- b; all of it when it is a scalar
  change,           ///< part of object a <- b
  load,             ///< a <- what b points to
  store,            ///< what a points to <- b
  address,          ///< a <- address of object b
  copy,             ///< a <- b
  call,             ///< Program::calls[index]
  marker,           ///< Program::markers[index]
  overwrite,        ///< Program::overwrites[index] is complete
  overwrite_begin,  ///< and here it starts
  arguments,        ///< of Program::calls[index], evaluated from here on
};

struct Instruction {
  Op op;
  Node a = nothing;
  Node b = nothing;
  Index index = none;   ///< of a read or load: where it stands, in Program::positions
  Index member = none;  ///< of a read, change, load or store: of only this one, in Program::members
};

/// A member of structures, by its name. Members of one family that have different names are different memory.
struct Member {
  std::string family, name;
};

/// Contents of an object: all, or of one member.
struct Part {
  Node object = nothing;
  Index member = none;
};

/// What decides a branch, as far as communication is concerned.
struct Condition {
  enum class MpiStatus : std::uint8_t {
    unrelated,
    success,  ///< that calls of MPI have not failed
    failure,
  };
  MpiStatus mpi_status = MpiStatus::unrelated;
  std::string text;         ///< in a canonical spelling, to compare; empty when it has effects
  std::string nonzero;      ///< likewise, a number that is zero when it does not hold; empty when there is none
  std::vector<Node> reads;  ///< objects that say whether it holds
};

struct Block {
  std::vector<Instruction> instructions;
  std::vector<Index> successors;
  Index condition =
      none;  ///< that the first successor needs to hold, and the others need not to, in Program::conditions
};

/// A call, in its function at `order` (source order, shared with loops).
struct Call {
  Index caller = none;
  Index callee = none;     ///< when it is known by name and part of the program
  Node pointer = nothing;  ///< when called through a pointer
  std::string name;        ///< when it is known by name
  std::vector<Node> arguments;
  std::vector<std::string> texts;  ///< arguments in a canonical spelling, to compare peers, tags and communicators
  std::vector<std::vector<Node>> argument_reads;  ///< objects that say what each argument is
  std::vector<bool> plain;  ///< arguments that variables, members and constants say, without effects
  Node result = nothing;
  Node block = nothing;    ///< heap object that it allocates
  Index loop = none;       ///< innermost loop around it
  Index marker = none;     ///< start of the statement that it is part of
  Index condition = none;  ///< innermost around it that says something
  bool fills = false;      ///< what its model says it fills, unless it reads it first (Effects::fills)
  bool in_team = false;    ///< made by several threads, perhaps
  unsigned order = 0;
  Position where;
  Index handle = none;
};

struct Loop {
  Index function = none;
  Index parent = none;
  Index marker = none;          ///< start of the body
  unsigned begin = 0, end = 0;  ///< orders that lie in it
  double trips = 0;             ///< 0: not known
  double statements = 0;        ///< directly in it
  bool forced = false;          ///< the user wants a safe point here
  bool forbidden = false;
  std::string obstacle;  ///< why the source cannot be changed here; empty when it can
  Position where;
};

/// A position in the code at which a process may go on: the start of a loop's body or of a statement with a call.
struct Marker {
  Index function = none;
  Index loop = none;  ///< whose body starts here
  Position where;
  Index handle = none;
};

/// Where some memory is.
struct Target {
  Node object = nothing;    ///< when it is named directly
  Node pointer = nothing;   ///< otherwise: to it
  std::vector<Part> reads;  ///< objects that say where it is
  std::vector<Part> loads;  ///< pointers through which such objects are read
  bool divides = false;     ///< to say where it is, something is divided by what may be 0 where it is not used
};

/// Memory that a nest of loops or a call has written, all of it, whatever was in it: from here on.
struct Overwrite {
  Target target;                   ///< nothing that says where it is has changed since the nest began
  std::optional<Target> at_entry;  ///< said by what the function starts with, if it can be
  Index call = none;               ///< that has written it, unless it reads it first (Effects::fills)
  Index handle = none;
};

struct Function {
  std::string name;
  Position where;
  std::vector<Node> parameters;
  Node result = nothing;
  Node rest = nothing;        ///< arguments after the named ones
  std::vector<Block> blocks;  ///< entry first, exit second
  double statements = 0;      ///< outside loops
  bool defined = false;
  bool computes = false;  ///< the compiler's own, which touches no memory
  std::string obstacle;   ///< why the source cannot be changed here; empty when it can
  std::string opaque;     ///< why it may do more than its graph says; empty when it does not
  Index handle = none;
};

inline constexpr Index entry_block = 0;
inline constexpr Index exit_block = 1;

/// A function as one call sees it.
struct Instance {
  Index function = none;
  Index call = none;
  Index within = none;          ///< of the caller, when that has some, too
  std::map<Node, Node> blocks;  ///< heap objects that the function allocates: those that it allocates then
};

/// Whether a program may begin in a function of this name: MAIN__() is what f2c makes of one in Fortran, and is called
/// by its library.
inline bool may_begin_in(std::string_view function) { return function == "main" || function == "MAIN__"; }

struct Program {
  /// State is kept by address: what the front end does not understand is lowered as what may do anything, and all that
  /// the analyses say is used to leave memory out, never to find it.
  bool by_address = false;
  std::string unclear;                    ///< why nothing can be said of the program's memory; empty when it can
  std::vector<Object> objects{Object{}};  ///< by Node; the first is `nothing`
  std::map<Node, std::string> names;      ///< of all but temporaries
  std::map<Node, Position> places;        ///< where they are declared
  std::vector<Function> functions;
  std::vector<Call> calls;
  std::vector<Loop> loops;
  std::vector<Marker> markers;
  std::vector<Overwrite> overwrites;
  std::vector<Condition> conditions;
  std::vector<Member> members;
  std::vector<Instance> instances;
  std::vector<std::string> files;
  std::vector<Position> positions;
  std::map<Node, std::string> types;         ///< of variables, as the source spells them
  std::map<Node, std::set<Index>> pointers;  ///< of structures and pointers to them: members that are one pointer each
  std::vector<Node>
      addresses_as_numbers;          ///< values of pointers that were converted to integers; the first stands for all
  std::vector<Instruction> initial;  ///< of static objects: addresses that they hold from the start
  Node unknown = nothing;            ///< the object of Storage::unknown
  Index elsewhere = none;            ///< stands for whatever function is called through a pointer from outside
  Node text = nothing;
  Node nowhere = nothing;  ///< what pointers that are constant numbers lead to, MPI_IN_PLACE say

  Node add(Object object) {
    objects.push_back(object);
    return static_cast<Node>(objects.size() - 1);
  }
  Node add(Object object, std::string name, Position where) {
    const Node node = add(object);
    names.emplace(node, std::move(name));
    places.emplace(node, where);
    return node;
  }
  /// Where the program begins.
  [[nodiscard]] Index entry() const {
    const Index main = function("main");
    return main != none ? main : function("MAIN__");
  }
  [[nodiscard]] Index function(std::string_view name) const {
    for (Index i = 0; i < functions.size(); ++i)
      if (functions[i].name == name && functions[i].defined) return i;
    return none;
  }
};

}  // namespace cppc::ir
