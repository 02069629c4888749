/// Functions with an instance for each of their calls: the nodes of the function itself have what those of any instance
/// have, and nothing follows from them.
#include "points_to.hpp"

namespace cppc::analysis {

using ir::Index;
using ir::Node;

void PointsTo::find_instances() {
  has_instances_.resize(program_.functions.size());
  own_nodes_.resize(program_.instances.size());
  for (Index i = 0; i < program_.instances.size(); ++i) {
    const ir::Instance& instance = program_.instances[i];
    instance_of_[{instance.within, instance.call}] = i;
    has_instances_[instance.function] = true;
  }
}

/// The instance's own node for one of the function's.
Node PointsTo::node_in(Index instance, Node node) {
  if (instance == ir::none || node == ir::nothing) return node;
  const ir::Instance& made = program_.instances[instance];
  if (const auto block = made.blocks.find(node); block != made.blocks.end()) return block->second;
  const ir::Object& o = program_.objects[node];
  const bool variable = o.storage == ir::Storage::local && o.function == made.function && !o.address_taken;
  if (o.storage != ir::Storage::temporary && !variable) return node;
  const auto [entry, fresh_one] = own_nodes_[instance].try_emplace(node, ir::nothing);
  if (fresh_one) {
    const Node own = fresh();
    own_nodes_[instance][node] = own;
    add_copy(anywhere(node), own);
    return own;
  }
  return entry->second;
}

void PointsTo::add_function(const ir::Function& function, Index instance) {
  for (const auto& block : function.blocks)
    for (const auto& instruction : block.instructions) {
      if (instruction.op == ir::Op::call) {
        add_call(instruction.index, instance);
      } else {
        ir::Instruction here = instruction;
        here.a = node_in(instance, instruction.a);
        here.b = node_in(instance, instruction.b);
        add_instruction(here);
      }
    }
}

ir::Call PointsTo::call_in(Index instance, const ir::Call& call) {
  ir::Call here;
  here.name = call.name;
  for (const Node argument : call.arguments) here.arguments.push_back(node_in(instance, argument));
  here.result = node_in(instance, call.result);
  here.block = node_in(instance, call.block);
  return here;
}

/// What goes to the callee and comes from it, in an instance of the caller or in the caller itself.
void PointsTo::connect(Index call, const ir::Call& here, Index instance, const ir::Function& callee) {
  Index inner = ir::none;
  if (const auto found = instance_of_.find({instance, call}); found != instance_of_.end()) {
    inner = found->second;
    add_function(callee, inner);
  }
  for (std::size_t i = 0; i < here.arguments.size(); ++i) {
    const bool named = i < callee.parameters.size();
    add_copy(anywhere(node_in(inner, named ? callee.parameters[i] : callee.rest)), here.arguments[i]);
  }
  if (here.block != ir::nothing) return add_object(here.result, here.block);
  add_copy(here.result, node_in(inner, callee.result));
}

}  // namespace cppc::analysis
