/// One function on the path to a safe point: its shadow, its frame, its places and the ways to them.
///
/// A process that takes over enters the function, jumps to the outermost loop (or variable-length array) around its
/// place, through the loop's header into the body, from there on to the next, and so to the place: no loop gets a
/// second entry, so that compilers optimise as before.
#pragma once

#include "path_calls.hpp"
#include "shadow.hpp"
#include "ways.hpp"

namespace cppc::rewrite {

class RoutineRewriter {
 public:
  RoutineRewriter(const Context& context, const analysis::Routine& routine)
      : function_(context, routine),
        context_(context),
        shadow_(function_),
        calls_(function_, shadow_),
        ways_(function_, shadow_, calls_) {}
  RoutineRewriter(const RoutineRewriter&) = delete;  // its parts refer to each other
  RoutineRewriter& operator=(const RoutineRewriter&) = delete;

  void run();

  /// Tables for the end of the file.
  [[nodiscard]] const std::string& tables() const { return tables_; }

 private:
  void collect_place(int number);
  void write_shadow(Offset begin);
  void write_entry(Offset body);

  const PathFunction function_;
  const Context& context_;
  Shadow shadow_;
  const PathCalls calls_;
  Ways ways_;
  std::string tables_;
};

}  // namespace cppc::rewrite
