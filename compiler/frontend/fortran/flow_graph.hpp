/// Procedures as graphs of what they do with variables, step by step. For flow*.cpp only.
#pragma once

#include <cstdint>
#include <deque>

#include "flow.hpp"

namespace cppc::fortran {

struct Flow::Step {
  enum class Kind : std::uint8_t { read, change, assign, overwrite, call, outside, everything, marker, stop };
  Kind kind;
  Index symbol = none;
  ExprPtr value;
  const Region* region = nullptr;
  const Expr* call = nullptr;
  const Statement* loop = nullptr;
  std::set<Index> skipped;        ///< of a call: arrays whose reads do no harm there
  const Expr* element = nullptr;  ///< of a read: what is read of the array; null: perhaps all
};

/// A counted loop that is left at its end only.
struct Flow::Sweep {
  const Statement* loop;
  std::size_t entry, inside;  ///< blocks: before the first pass, and where a pass begins
  std::size_t first, last;    ///< blocks of the body, `inside` besides; `last` is not one of them
};

struct Flow::Graph {
  struct Block {
    std::vector<Step> steps;
    std::vector<std::size_t> successors, predecessors;
    ExprPtr condition;             ///< that decides between two of them; null: that is not known
    const Sweep* sweep = nullptr;  ///< that it is the entry of
  };
  std::deque<Block> blocks;
  std::deque<Region> regions;
  std::deque<Sweep> sweeps;
  std::set<Index> sizes;  ///< variables that arrays' bounds depend on, which keep the values that these had at entry
  static constexpr std::size_t entry = 0, exit = 1;

  /// From where neither the end nor a STOP can be reached, as if the end could.
  void link_endless();
  void find_predecessors();
};

bool intersect(const std::set<Index>& one, const std::set<Index>& other);

/// Adds all to which `next` leads from them.
void follow(const std::vector<std::vector<Index>>& next, std::set<Index>& symbols);

}  // namespace cppc::fortran
