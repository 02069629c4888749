#include "heap.hpp"

#include "points_to.hpp"

namespace cppc::analysis {

void add_heap_objects(ir::Program& program, const models::Models& models) {
  for (ir::Call& call : program.calls) {
    if (call.callee == ir::none || program.functions[call.callee].defined) continue;
    const models::Model* model = models.find(call.name);
    if (model == nullptr || (model->heap != models::Heap::allocates && model->heap != models::Heap::reallocates))
      continue;
    call.block = program.add({.storage = ir::Storage::heap, .address_taken = true, .function = call.caller},
                             "block of " + call.name + "()", call.where);
  }
}

namespace {

using ir::Op;

/// Whether the function only makes and returns `blocks`: it puts no pointer into them and keeps none to them.
bool only_allocates(const ir::Program& program, const models::Models& models, const PointsTo& points_to,
                    const ir::Function& function, const Objects& blocks) {
  for (const auto& block : function.blocks)
    for (const auto& [op, a, b, index, member] : block.instructions) {
      if (op == Op::store && (points_to[a].intersects(blocks) || points_to[b].intersects(blocks)) && b != ir::nothing &&
          !points_to[b].empty())
        return false;
      if ((op == Op::write || op == Op::change) && program.objects[a].storage == ir::Storage::global &&
          points_to[b].intersects(blocks))
        return false;
      if (op != Op::call) continue;
      const ir::Call& call = program.calls[index];
      for (const ir::Node argument : call.arguments) {
        if (!points_to[argument].intersects(blocks)) continue;
        const models::Model* model = models.find(call.name);
        if (model == nullptr || !model->copies.empty() || !model->keeps.empty() || !model->imports.empty())
          return false;
      }
    }
  return true;
}

}  // namespace

bool add_wrapper_objects(ir::Program& program, const models::Models& models, const PointsTo& points_to) {
  std::vector<bool> wraps(program.functions.size());
  for (ir::Index f = 0; f < program.functions.size(); ++f) {
    const ir::Function& function = program.functions[f];
    if (!function.defined || points_to[function.result].empty()) continue;
    const Objects& blocks = points_to[function.result];
    bool heap = true;
    for (const unsigned object : blocks) heap = heap && program.objects[object].storage == ir::Storage::heap;
    wraps[f] = heap && only_allocates(program, models, points_to, function, blocks);
    for (const unsigned object : blocks)  // made in it, not handed on from elsewhere
      wraps[f] = wraps[f] && program.objects[object].function == f;
  }
  bool added = false;
  for (ir::Call& call : program.calls) {
    if (call.callee == ir::none || !wraps[call.callee] || call.block != ir::nothing) continue;
    call.block = program.add({.storage = ir::Storage::heap, .address_taken = true, .function = call.caller},
                             "block of " + call.name + "()", call.where);
    added = true;
  }
  return added;
}

}  // namespace cppc::analysis
