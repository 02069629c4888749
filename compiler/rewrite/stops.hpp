/// Safe points: where a process may stop for another one to go on.
#pragma once

#include "shadow.hpp"

namespace cppc::rewrite {

class Stops {
 public:
  Stops(const PathFunction& function, const Shadow& shadow)
      : function_(function), context_(function.context), shadow_(shadow) {}

  /// What the loop's body starts with.
  [[nodiscard]] std::string code(const clang::Stmt* loop) const;

 private:
  [[nodiscard]] std::string dead_objects(ir::Index point, const clang::Stmt* loop) const;
  [[nodiscard]] std::string dead_ranges(ir::Index point, const clang::Stmt* loop) const;

  const PathFunction& function_;
  const Context& context_;
  const Shadow& shadow_;
};

}  // namespace cppc::rewrite
