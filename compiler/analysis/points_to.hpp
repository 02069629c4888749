/// Which objects a pointer may lead to: inclusion-based, insensitive to flow, and to context but for Program::instances
/// (Andersen 1994). An address is that of a whole object; what was stored in a member by its name is told apart from
/// what was stored in the others.
#pragma once

#include <llvm/ADT/SparseBitVector.h>

#include <map>

#include "ir/program.hpp"
#include "models/models.hpp"

namespace cppc::analysis {

using Objects = llvm::SparseBitVector<>;

class PointsTo {
 public:
  PointsTo(const ir::Program& program, const models::Models& models);

  /// Of a temporary: what it may point to. Of an object: what the pointers in it may point to.
  [[nodiscard]] const Objects& operator[](ir::Node node) const { return sets_[representative(node)]; }

  /// The node of a member's contents in an object, or the object when they are not told apart from the rest.
  [[nodiscard]] ir::Node part(ir::Part of) const;

  /// The functions that a call may reach, known by name or through a pointer; those of the program only when defined.
  [[nodiscard]] const std::vector<ir::Index>& callees(ir::Index call) const { return callees_[call]; }

  /// Functions that the library may call back during it.
  [[nodiscard]] const std::vector<ir::Index>& callbacks(ir::Index call) const { return callbacks_[call]; }

  /// Nodes that hold the same pointers, because each flows into the others, have one representative.
  [[nodiscard]] ir::Node representative(ir::Node node) const {
    while (merged_[node] != node) node = merged_[node];
    return node;
  }

  /// What the program shows to other processes, which read and write it at any time.
  [[nodiscard]] const Objects& shown() const { return (*this)[shown_]; }

  /// Representatives that hold, perhaps, a pointer converted to a number.
  [[nodiscard]] Objects hidden() const;

  /// Everything that `from` leads to, through any number of pointers.
  [[nodiscard]] Objects reachable(const Objects& from) const;

 private:
  void add_instruction(const ir::Instruction& instruction);
  void add_call(ir::Index call, ir::Index instance);
  void find_instances();
  void add_function(const ir::Function& function, ir::Index instance);
  ir::Node node_in(ir::Index instance, ir::Node node);
  ir::Call call_in(ir::Index instance, const ir::Call& call);
  void connect(ir::Index call, const ir::Call& here, ir::Index instance, const ir::Function& callee);
  void reach(ir::Index call, const ir::Call& here, ir::Index instance, ir::Index callee);
  void bind(ir::Index call, ir::Index callee);
  void apply_model(ir::Index index, const ir::Call& call, const models::Model& model);
  void apply_unknown(const ir::Call& call);
  void add_copy(ir::Node to, ir::Node from);
  [[nodiscard]] bool has_parts(ir::Node object) const;
  [[nodiscard]] ir::Node anywhere(ir::Node object) const;
  ir::Node contents(ir::Part of);
  ir::Node filled(ir::Part of);
  void blur(ir::Node object);
  void add_object(ir::Node to, ir::Node object);
  void solve();
  void merge_cycles();
  void merge(ir::Node into, ir::Node node);
  void visit(ir::Node node);
  void enqueue(ir::Node node);
  void look_again(ir::Node node);
  ir::Node fresh();
  void call_back(ir::Index call, ir::Index callee);

  const ir::Program& program_;
  const models::Models& models_;
  std::vector<ir::Node> merged_;      ///< by node: the one it has been merged into, or itself
  std::vector<Objects> sets_, done_;  ///< of each node; what of it has been looked at
  std::vector<Objects> copies_;       ///< by source: nodes
  /// By pointer: where to, where from (`object` is no object here), and the member.
  std::vector<std::vector<ir::Part>> loads_, stores_;
  std::vector<ir::Node> anywhere_;                           ///< by object: what may be in any part of it
  std::map<ir::Node, std::map<ir::Index, ir::Node>> parts_;  ///< by object and member
  Objects blurred_;                                          ///< objects whose parts are not told apart
  std::vector<std::vector<ir::Index>> calls_;                ///< by pointer
  std::vector<std::vector<ir::Index>> callbacks_by_pointer_;
  std::map<std::pair<ir::Index, ir::Index>, ir::Index> instance_of_;  ///< by the caller's instance and the call
  std::vector<bool> has_instances_;                                   ///< functions
  std::vector<std::map<ir::Node, ir::Node>> own_nodes_;               ///< of each instance
  std::vector<ir::Node> work_;
  std::vector<bool> queued_;
  std::vector<std::vector<ir::Index>> callees_, callbacks_;
  ir::Node shown_ = ir::nothing;  ///< leads to what other processes may read and write
};

}  // namespace cppc::analysis
