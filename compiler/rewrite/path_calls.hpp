/// Calls on the path: each is a place, from which a process that takes over goes on into the function that was called.
#pragma once

#include "shadow.hpp"

namespace cppc::rewrite {

class PathCalls {
 public:
  PathCalls(const PathFunction& function, Shadow& shadow);

  void run() const;

  /// The place of a call in the loop's condition, and the condition as a statement of the body; 0: there is none.
  [[nodiscard]] int place_in_condition(const clang::Stmt* loop) const;
  [[nodiscard]] std::string condition_code(int number, const Range& condition) const;

 private:
  struct Replacement {
    Range range;
    std::string text;
  };

  [[nodiscard]] std::string code(int number, bool guarded) const;
  void write(int number) const;
  void write_apart(const std::vector<int>& numbers) const;
  [[nodiscard]] std::vector<Range> guarded_arguments(int number, const std::set<const clang::Stmt*>& made) const;
  [[nodiscard]] bool kept(const clang::Expr* e) const;
  [[nodiscard]] bool changes_kept(const clang::Stmt* s) const;
  [[nodiscard]] bool constant(const clang::Stmt* s, const std::set<const clang::Stmt*>& made) const;
  [[nodiscard]] bool repeatable(const clang::Stmt* s, const std::set<const clang::Stmt*>& made) const;
  [[nodiscard]] std::string guard(int number) const { return "cppc_again_" + std::to_string(number); }
  [[nodiscard]] bool can_be_apart(int number) const;
  [[nodiscard]] bool always_evaluated(const clang::Expr* call, const clang::Stmt* statement) const;
  [[nodiscard]] static std::vector<Replacement> outermost(const std::vector<Replacement>& all);
  [[nodiscard]] std::string text_of(const Range& range, const std::vector<Replacement>& replacements) const;

  const PathFunction& function_;
  const Context& context_;
  const Shadow& shadow_;
  std::map<ir::Index, std::vector<int>> apart_;  ///< calls that share their statement, by its marker
};

}  // namespace cppc::rewrite
