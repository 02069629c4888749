/// The ways of a process that takes over: from the function's start to its place, from waypoint to waypoint.
#pragma once

#include <deque>

#include "path_calls.hpp"
#include "stops.hpp"

namespace cppc::rewrite {

class Ways {
 public:
  Ways(const PathFunction& function, Shadow& shadow, const PathCalls& calls)
      : function_(function), context_(function.context), shadow_(shadow), calls_(calls), stops_(function, shadow) {}

  /// The way to a place; `inside`: into the loop that its statement is.
  void add(int place, bool inside);

  /// From the function's start.
  [[nodiscard]] std::string first() const { return dispatch(first_); }

  void run();

 private:
  using Onward = std::map<int, std::string>;  ///< by place: the label to go to

  /// A loop or a declaration of variably modified type on the way to a place.
  struct Waypoint {
    const clang::Stmt* statement;
    unsigned number;
    Onward onward;
  };

  [[nodiscard]] std::vector<const clang::Stmt*> around(const clang::Stmt* statement) const;
  Waypoint& waypoint(const clang::Stmt* statement);
  void write_loop(const Waypoint& waypoint) const;
  void write_init(const clang::ForStmt* loop) const;
  [[nodiscard]] bool write_condition(const clang::Stmt* loop, const Range& condition, const std::string& moved) const;
  void write_body(const clang::Stmt* loop, const std::string& code) const;
  void write_array(const Waypoint& waypoint) const;
  void write_extents(const clang::VarDecl* variable) const;
  [[nodiscard]] static std::string dispatch(const Onward& onward);

  const PathFunction& function_;
  const Context& context_;
  Shadow& shadow_;
  const PathCalls& calls_;
  const Stops stops_;
  std::deque<Waypoint> waypoints_;  ///< stays in place as it grows
  Onward first_;
};

}  // namespace cppc::rewrite
