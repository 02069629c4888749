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

  /// What the other may do, this may do, too. Whether that is new.
  bool grow(const Effect& other);
  /// Of either this or the other; `first`: there is no other yet.
  void add_choice(const Effect& other, bool first);
};

/// What matters of it for what is live: of several instructions, what they read before they replace it.
struct LiveEffect {
  Objects reads, kills;
  bool ends = false;
};

class Effects {
 public:
  /// What a call reaches, of whatever callees matter for what it does.
  struct Reached {
    ir::Index several = ir::none;   ///< the number of a set of functions of the program
    std::vector<ir::Index> others;  ///< functions, besides those
  };

  Effects(const ir::Program& program, const models::Models& models, const PointsTo& points_to);

  /// Of one instruction of `function`; a call includes what it calls.
  [[nodiscard]] Effect of(ir::Index function, const ir::Instruction& instruction) const;

  /// Of an instruction and those after it, given that of those after it.
  void before(ir::Index function, const ir::Instruction& instruction, LiveEffect& live) const;

  /// Of a whole call of a function, on objects that outlive it: `reads` those that it may read before it replaces them.
  [[nodiscard]] const Effect& of(ir::Index function) const { return functions_[function]; }

  [[nodiscard]] const Reached& reached(ir::Index call) const { return reached_[call]; }

  /// The sets that a function is in, and the number of all.
  [[nodiscard]] const std::vector<ir::Index>& several_of(ir::Index function) const { return several_of_[function]; }
  [[nodiscard]] std::size_t several() const { return several_.size(); }

  /// The arguments whose targets a function outside the program reads, if that is all that it reads.
  [[nodiscard]] std::optional<std::vector<ir::Node>> read_arguments(const ir::Call& call,
                                                                    const ir::Function& callee) const;

  /// Of functions that code outside the program has been given and may call at any time: user operations, handlers;
  /// and of other processes on what the program shows them: windows. With state by address, also of libraries on what
  /// they have been given.
  [[nodiscard]] Effect by_others() const;

  /// Whether the call fills what its model says it fills, whatever was there before.
  [[nodiscard]] bool fills(const ir::Call& call) const;

 private:
  /// Several functions of the program that calls may reach, and what a call of any of them may do.
  struct Several {
    std::vector<ir::Index> functions;
    Effect effect;
    bool due = true;  ///< one has changed what it replaces, or whether it ends
  };

  [[nodiscard]] std::optional<Objects> read_with_elements(const ir::Call& call, const models::Model& model) const;
  void find_kept_callbacks();
  void find_held();
  void fill_opaque();
  void find_reached();
  void add_to_several(ir::Index function);
  void find_kills(Several& several);
  /// Of a call that reaches one function of the program, or one set of them, and nothing else; else null. Summaries of
  /// large programs are large: it saves a copy.
  [[nodiscard]] const Effect* summary_of_call(ir::Index call) const;
  [[nodiscard]] Effect of_call(ir::Index function, const ir::Call& call, ir::Index index) const;
  void add_outside(const ir::Call& call, const ir::Function& callee, ir::Index caller, Effect& effect) const;
  [[nodiscard]] bool is_number_builtin(const ir::Call& call, const ir::Function& callee) const;
  void add_changes(const Objects& objects, Effect& effect) const;
  void add_buffers(const Objects& requests, Effect& effect) const;
  void summarise_kills(ir::Index function);
  bool summarise_reads(ir::Index function);
  bool summarise_changes(ir::Index function);
  [[nodiscard]] Objects outliving(ir::Index function, const Objects& objects) const;

  const ir::Program& program_;
  const models::Models& models_;
  const PointsTo& points_to_;
  std::vector<Effect> functions_;
  std::vector<Objects> locals_;  ///< by function
  std::vector<Several> several_;
  std::vector<Reached> reached_;                    ///< by call
  std::vector<std::vector<ir::Index>> several_of_;  ///< by function: those that it is one of
  std::vector<ir::Index> kept_callbacks_;
  Objects for_callbacks_;        ///< what code outside the program may call them with
  bool handles_errors_ = false;  ///< a call of MPI that fails may return
  Objects held_;                 ///< what libraries may use at any time
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
