/// One function on the path to a safe point: its shadow, its frame, its places and the ways to them.
///
/// A process that takes over enters the function, jumps to the outermost loop (or variable-length array) around its
/// place, through the loop's header into the body, from there on to the next, and so to the place: no loop gets a
/// second entry, so that compilers optimise as before.
#pragma once

#include <deque>
#include <set>

#include "context.hpp"

namespace cppc::rewrite {

class RoutineRewriter {
 public:
  RoutineRewriter(const Context& context, const analysis::Routine& routine);

  void run();

  /// Tables for the end of the file.
  [[nodiscard]] const std::string& tables() const { return tables_; }

 private:
  /// A loop or a declaration of variably modified type on the way to a place.
  struct Waypoint {
    const clang::Stmt* statement;
    unsigned number;
    std::map<int, std::string> onward;  ///< by place: the label to go to from here
  };
  struct Value {  // of a call made apart
    Range range;
    std::string member;  ///< of the shadow
  };
  struct Member {  // of the shadow
    const clang::VarDecl* variable;
    std::string name;  ///< in the shadow
    bool in_memory;    ///< its address is kept, not its value
    bool variable_length;
  };

  void collect_place(int number, const analysis::Place& place);
  std::vector<const clang::Stmt*> waypoints_to(const clang::Stmt* statement) const;
  void add_member(int number, const clang::VarDecl* variable);
  bool visible(const clang::VarDecl* variable, const clang::Stmt* at, bool inside) const;
  void write_shadow(Offset begin);
  void write_entry(Offset body);
  void write_loop(const Waypoint& waypoint);
  void write_init(const clang::ForStmt* loop);
  bool write_condition(const clang::Stmt* loop, const Range& condition, const std::string& moved);
  void write_body(const clang::Stmt* loop, const std::string& code);
  void write_array(const Waypoint& waypoint);
  void write_extents(const clang::VarDecl* variable);
  std::string safe_points_of(const clang::Stmt* loop) const;
  void write_call(int number, const analysis::Place& place);
  void write_apart(const std::vector<int>& numbers);
  std::string call_code(int number) const;
  bool guard_arguments(int number, const analysis::Place& place);
  std::string condition_code(const clang::Stmt* loop, const Range& condition) const;
  bool always_evaluated(const clang::Expr* call, const clang::Stmt* statement) const;
  std::string text_of(const Range& range) const;
  std::string plain(clang::QualType type, const std::string& name) const;
  void write_tables();
  void drop_const(const clang::VarDecl* variable);
  std::string store(int number, bool addresses) const;
  std::string load(int number) const;
  std::string dispatch(const std::map<int, std::string>& onward, bool guarded) const;
  std::string dead_objects(ir::Index point) const;
  std::string dead_ranges(ir::Index point, const clang::Stmt* loop) const;
  std::string label(const char* kind, unsigned number) const;
  const std::vector<std::string>& extents(const clang::VarDecl* variable);

  const Context& context_;
  const analysis::Routine& routine_;
  const clang::FunctionDecl* function_;
  std::string name_;
  std::deque<Waypoint> waypoints_;    ///< stays in place as it grows
  std::map<int, std::string> first_;  ///< where to go from the function's start
  std::vector<Member> members_;
  std::map<const clang::VarDecl*, std::size_t> member_of_;
  std::map<int, std::vector<std::size_t>> live_;  ///< members by place
  std::map<int, std::set<std::string>> lengths_;  ///< extents of arrays around a place
  std::map<const clang::VarDecl*, std::vector<std::string>> extents_;
  std::vector<Value> values_;                           ///< of calls made apart
  std::map<int, std::set<std::string>> values_before_;  ///< by place
  std::string tables_;
};

}  // namespace cppc::rewrite
