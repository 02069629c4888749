/// Which objects a pointer may lead to: inclusion-based, insensitive to flow, and to context but for Program::instances
/// (Andersen 1994). An address is that of a whole object; what was stored in a member by its name is told apart from
/// what was stored in the others.
///
/// Solved in waves: cycles of copies are merged, what is new goes along the copies in topological order, then what it
/// means for loads, stores and calls is added (Pereira and Berlin, "Wave Propagation and Deep Propagation for Pointer
/// Analysis", CGO 2009). What code outside the program has may hold any of it in any place: it is one node, and other
/// sets have only a mark for all that is in that (Krogstie et al., "PIP: Making Andersen's Points-to Analysis Sound and
/// Practical for Incomplete C Programs", CGO 2026).
#pragma once

#include <llvm/ADT/SparseBitVector.h>

#include <deque>
#include <map>

#include "ir/program.hpp"
#include "models/models.hpp"

namespace cppc::analysis {

using Objects = llvm::SparseBitVector<>;

class PointsTo {
 public:
  enum class Precision : std::uint8_t {
    full,
    coarse,  ///< a pointer that leads anywhere may lead to all objects whose address is taken
  };

  /// `budget`: steps of at most so many; 0 is any number.
  PointsTo(const ir::Program& program, const models::Models& models, Precision precision = Precision::full,
           std::uint64_t budget = 0);

  /// Whether it was done within the budget; else nothing else may be asked.
  [[nodiscard]] bool complete() const { return complete_; }

  /// Of a temporary: what it may point to. Of an object: what the pointers in it may point to.
  [[nodiscard]] const Objects& operator[](ir::Node node) const { return *whole_[representative(node)]; }

  /// Stands for a member's contents in an object; the object itself when they are not told apart from the rest.
  [[nodiscard]] ir::Node part(ir::Part of) const;

  /// The same of a member in all objects that a pointer leads to.
  [[nodiscard]] const Objects& parts(ir::Node pointer, ir::Index member) const;

  /// The functions that a call may reach, known by name or through a pointer; those of the program only when defined.
  [[nodiscard]] const std::vector<ir::Index>& callees(ir::Index call) const {
    return by_pointer_[call] == ir::none ? callees_[call] : pointers_[by_pointer_[call]].callees;
  }

  /// Functions that the library may call back during it.
  [[nodiscard]] const std::vector<ir::Index>& callbacks(ir::Index call) const { return callbacks_[call]; }

  /// Nodes that hold the same pointers, because each flows into the others, have one representative.
  [[nodiscard]] ir::Node representative(ir::Node node) const {
    while (merged_[node] != node) node = merged_[node];
    return node;
  }

  /// What the program shows to other processes, which read and write it at any time.
  [[nodiscard]] const Objects& shown() const { return (*this)[shown_]; }

  /// What memory that messages are sent from leads to. A member that is sent counts as its whole structure.
  [[nodiscard]] const Objects& sent() const { return (*this)[in_messages_]; }

  /// Representatives that hold, perhaps, a pointer converted to a number.
  [[nodiscard]] Objects hidden() const;

  /// Everything that `from` leads to, through any number of pointers.
  [[nodiscard]] Objects reachable(const Objects& from) const;

 private:
  /// The calls through one pointer, a virtual function's say, reach the same functions: what any of them hands over,
  /// all get.
  struct Pointer {
    std::vector<ir::Index> calls;
    std::vector<ir::Node> arguments;  ///< of all calls
    ir::Node result;
    std::vector<ir::Index> callees;
    Objects known;  ///< the same functions
  };

  void add_instruction(const ir::Instruction& instruction);
  void add_call(ir::Index call, ir::Index instance);
  void add_call_through(ir::Node pointer, ir::Index call);
  void find_instances();
  void add_function(const ir::Function& function, ir::Index instance);
  ir::Node node_in(ir::Index instance, ir::Node node);
  ir::Call call_in(ir::Index instance, const ir::Call& call);
  void connect(ir::Index call, const ir::Call& here, ir::Index instance, const ir::Function& callee);
  void reach(ir::Index call, const ir::Call& here, ir::Index instance, ir::Index callee);
  void bind(ir::Index pointer, ir::Index callee);
  void reach_outside(ir::Index call, const ir::Call& here, const ir::Function& callee);
  void apply_model(ir::Index index, const ir::Call& call, const models::Model& model);
  void apply_unknown(const ir::Call& call);
  void call_back(ir::Index call, ir::Index callee);
  void add_copy(ir::Node to, ir::Node from);
  void add_object(ir::Node to, ir::Node object);
  ir::Node fresh();

  // Members (points_to_members.cpp).
  void find_families();
  [[nodiscard]] bool has_parts(ir::Node object) const;
  [[nodiscard]] ir::Node anywhere(ir::Node object) const;
  ir::Node contents(ir::Part of);
  ir::Node filled(ir::Part of);
  void note_family(ir::Node object, ir::Index member);
  void blur(ir::Node object);

  // The solution (points_to_solve.cpp).
  void solve();
  void enqueue(ir::Node node);
  void look_again(ir::Node node);
  std::vector<ir::Node> merge_cycles();
  void merge(ir::Node into, ir::Node node);
  void propagate(ir::Node node, const Objects& fresh);
  void add_what_follows(ir::Node node, const Objects& fresh);
  Objects take_fresh(ir::Node node);
  void visit_outside();
  void give_outside(ir::Node object);
  void finish();
  void add_outside_callees();
  [[nodiscard]] ir::Node outside() const { return representative(program_.unknown); }
  [[nodiscard]] bool leads_outside(ir::Node node) const { return sets_[node].test(program_.unknown); }

  const ir::Program& program_;
  const models::Models& models_;
  const Precision precision_;
  const std::uint64_t budget_;
  std::uint64_t steps_ = 0;
  bool complete_ = true;
  std::vector<ir::Node> merged_;  ///< by node: the one it has been merged into, or itself
  /// Of each node; what of it has been looked at. With `unknown` in it, all that is in the set of that belongs to it.
  std::vector<Objects> sets_, done_;
  std::vector<Objects> copies_;        ///< by source: nodes
  std::vector<const Objects*> whole_;  ///< of each node, in the end
  std::deque<Objects> joined_;         ///< those of them that are more than a set and the one of `unknown`
  /// By pointer: where to, where from (`object` is no object here), and the member.
  std::vector<std::vector<ir::Part>> loads_, stores_;
  std::vector<ir::Node> anywhere_;                                   ///< by object: what may be in any part of it
  mutable std::map<ir::Node, std::map<ir::Index, ir::Node>> parts_;  ///< by object and member
  mutable std::map<std::pair<const Objects*, ir::Index>, Objects> parts_led_to_;  ///< what parts() has said
  mutable ir::Node next_part_ = ir::nothing;   ///< for what part() adds, after all nodes
  std::vector<ir::Index> families_;            ///< of members
  std::vector<ir::Index> family_;              ///< by object: of the member that was used first
  Objects blurred_;                            ///< objects whose parts are not told apart
  std::vector<Pointer> pointers_;              ///< that are called
  std::map<ir::Node, ir::Index> pointer_of_;   ///< their numbers
  std::vector<ir::Index> by_pointer_;          ///< of each call: through which
  std::vector<std::vector<ir::Index>> calls_;  ///< by what leads there: pointers that are called
  std::vector<std::vector<ir::Index>> callbacks_by_pointer_;
  std::vector<std::pair<ir::Index, ir::Node>> callback_pointers_;     ///< calls that are given something to call back
  std::map<std::pair<ir::Index, ir::Index>, ir::Index> instance_of_;  ///< by the caller's instance and the call
  std::vector<bool> has_instances_;                                   ///< functions
  std::vector<std::map<ir::Node, ir::Node>> own_nodes_;               ///< of each instance
  std::vector<ir::Node> work_;
  std::vector<bool> queued_;
  std::vector<std::vector<ir::Index>> callees_;  ///< of each call by name
  std::vector<std::vector<ir::Index>> callbacks_;
  ir::Node shown_ = ir::nothing;        ///< leads to what other processes may read and write
  ir::Node in_messages_ = ir::nothing;  ///< holds the addresses that are sent, as pointers, and may come back
};

}  // namespace cppc::analysis
