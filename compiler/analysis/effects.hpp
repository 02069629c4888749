/// What instructions and whole functions read, replace and change.
#pragma once

#include <optional>

#include "points_to.hpp"

namespace cppc::analysis {

struct Effect {
  Objects reads;
  Objects kills;         ///< replaced as a whole, whatever happens; what is read is read before
  Objects changes;       ///< may be written
  Objects parts;         ///< of these: objects that may be written anywhere, and parts of others (PointsTo::part())
  bool ends = false;     ///< control does not come back
  bool may_end = false;  ///< perhaps it does not
  bool outside = false;  ///< more than memory: communication, output, or an unknown function
};

class Effects {
 public:
  Effects(const ir::Program& program, const models::Models& models, const PointsTo& points_to);

  /// Of one instruction of `function`; a call includes what it calls.
  [[nodiscard]] Effect of(ir::Index function, const ir::Instruction& instruction) const;

  /// Of a whole call of a function, on objects that outlive it: `reads` those that it may read before it replaces them.
  [[nodiscard]] const Effect& of(ir::Index function) const { return functions_[function]; }

  /// The arguments whose targets a function outside the program reads, if that is all that it reads.
  [[nodiscard]] std::optional<std::vector<ir::Node>> read_arguments(const ir::Call& call,
                                                                    const ir::Function& callee) const;

  /// Of functions that code outside the program has been given and may call at any time: user operations, handlers;
  /// and of other processes on what the program shows them: windows. With state by address, also of libraries on what
  /// they have been given.
  [[nodiscard]] Effect by_others() const;

 private:
  void find_kept_callbacks();
  void find_held();
  void fill_opaque();
  [[nodiscard]] Effect of_call(ir::Index function, const ir::Call& call, ir::Index index) const;
  void add_outside(const ir::Call& call, const ir::Function& callee, ir::Index caller, Effect& effect) const;
  [[nodiscard]] bool is_number_builtin(const ir::Call& call, const ir::Function& callee) const;
  void add_changes(const Objects& objects, ir::Index member, Effect& effect) const;
  void add_buffers(const Objects& requests, Effect& effect) const;
  void summarise_kills(ir::Index function);
  bool summarise_reads(ir::Index function);
  bool summarise_changes(ir::Index function);
  [[nodiscard]] Objects outliving(ir::Index function, const Objects& objects) const;

  const ir::Program& program_;
  const models::Models& models_;
  const PointsTo& points_to_;
  std::vector<Effect> functions_;
  std::vector<ir::Index> kept_callbacks_;
  Objects for_callbacks_;  ///< what code outside the program may call them with
  Objects held_;           ///< what libraries may use at any time
};

/// All memory of a program, of whatever kind.
Objects all_memory(const ir::Program& program);

/// Live objects at the start of every block, given those after the function.
std::vector<Objects> live_at_blocks(const ir::Program& program, const Effects& effects, ir::Index function,
                                    const Objects& live_at_exit);

/// Goes backwards through a block from what is live at its end; `visit(i, live)` sees what is live before instruction
/// i, and after it as the third argument.
template <typename Visit>
void backwards(const ir::Program& program, const Effects& effects, ir::Index function, const ir::Block& block,
               Objects live, Visit visit) {
  (void)program;
  for (std::size_t i = block.instructions.size(); i-- > 0;) {
    const Effect effect = effects.of(function, block.instructions[i]);
    const Objects after = live;
    if (effect.ends) live.clear();
    live.intersectWithComplement(effect.kills);
    live |= effect.reads;
    visit(i, live, after);
  }
}

/// What is live after a block.
Objects live_after(const ir::Function& function, const std::vector<Objects>& at_blocks, ir::Index block,
                   const Objects& live_at_exit);

}  // namespace cppc::analysis
