#include "traffic.hpp"

#include <limits>

namespace cppc::analysis {

using Kind = models::Traffic;

void Messages::add(const Messages& other) {
  sends.insert(other.sends.begin(), other.sends.end());
  receives.insert(other.receives.begin(), other.receives.end());
  collective |= other.collective;
}

ir::Index Messages::unmatched() const {
  const auto missing = [](const auto& these, const auto& others) {
    if (others.contains("*") || (these.contains("*") && !others.empty())) return ir::none;
    for (const auto& [tag, call] : these)
      if (!others.contains(tag)) return call;
    return ir::none;
  };
  const ir::Index send = missing(sends, receives);
  return send != ir::none ? send : missing(receives, sends);
}

analysis::Traffic::Traffic(const ir::Program& program, const models::Models& models, const PointsTo& points_to)
    : program_(program),
      models_(models),
      points_to_(points_to),
      functions_(program.functions.size()),
      starts_(program.functions.size()),
      completes_(program.functions.size()),
      calls_of_(program.functions.size()) {
  for (ir::Index c = 0; c < program.calls.size(); ++c)
    if (program.calls[c].caller != ir::none) calls_of_[program.calls[c].caller].push_back(c);
  for (bool changed = true; changed;) {
    changed = false;
    for (ir::Index f = 0; f < program.functions.size(); ++f) {
      if (!program.functions[f].defined) continue;
      const Messages all = within(f, 0, std::numeric_limits<unsigned>::max());
      changed |= all.sends.size() != functions_[f].sends.size() ||
                 all.receives.size() != functions_[f].receives.size() || all.collective != functions_[f].collective;
      functions_[f] = all;
      Objects completed;
      for (const ir::Index c : calls_of_[f]) {
        for (const ir::Index callee : points_to.callees(c)) completed |= completes_[callee];
        const models::Model* model = models.find(program.calls[c].name);
        if (model == nullptr) continue;
        const auto& [traffic, peer, tag, communicator, request] = model->communication;
        if ((traffic == Kind::complete || traffic == Kind::test) &&
            request < static_cast<int>(program.calls[c].arguments.size()))
          completed |= points_to[program.calls[c].arguments[static_cast<std::size_t>(request)]];
      }
      changed |= completes_[f] |= completed;
      changed |= starts_[f] |= flow(f, {})[ir::exit_block];
    }
  }
}

Messages analysis::Traffic::of_call(ir::Index index) const {
  const ir::Call& call = program_.calls[index];
  Messages messages;
  for (const ir::Index callee : points_to_.callees(index)) {
    if (program_.functions[callee].defined) {
      messages.add(functions_[callee]);
      continue;
    }
    const models::Model* model = models_.find(program_.functions[callee].name);
    if (model == nullptr) continue;
    const auto& [traffic, peer, tag, communicator, request] = model->communication;
    std::string text = "*";
    if (tag >= 0 && tag < static_cast<int>(call.texts.size())) {
      text = call.texts[static_cast<std::size_t>(tag)];
      if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos) text = "*";
    }
    if (traffic == Kind::send || traffic == Kind::start_send) messages.sends.emplace(text, index);
    if (traffic == Kind::receive || traffic == Kind::start_receive) messages.receives.emplace(text, index);
    if (traffic != Kind::none)
      messages.collective |= traffic == Kind::collective || traffic == Kind::exchange || traffic == Kind::start ||
                             traffic == Kind::complete;
  }
  return messages;
}

Messages analysis::Traffic::within(ir::Index function, unsigned begin, unsigned end) const {
  Messages all;
  for (const ir::Index c : calls_of_[function])
    if (program_.calls[c].order >= begin && program_.calls[c].order < end) all.add(of_call(c));
  return all;
}

void analysis::Traffic::step(ir::Index index, Objects& active) const {
  const ir::Call& call = program_.calls[index];
  for (const ir::Index callee : points_to_.callees(index)) {
    if (program_.functions[callee].defined) {
      active.intersectWithComplement(completes_[callee]);
      active |= starts_[callee];
      continue;
    }
    const models::Model* model = models_.find(program_.functions[callee].name);
    if (model == nullptr) continue;
    const auto& [traffic, peer, tag, communicator, request] = model->communication;
    if (request < 0 || request >= static_cast<int>(call.arguments.size())) continue;
    const Objects& requests = points_to_[call.arguments[static_cast<std::size_t>(request)]];
    if (traffic == Kind::complete || traffic == Kind::test)
      active.intersectWithComplement(requests);
    else
      active |= requests;
  }
}

std::vector<Objects> analysis::Traffic::flow(ir::Index index, const Objects& before) const {
  const ir::Function& function = program_.functions[index];
  std::vector<Objects> in(function.blocks.size());
  std::vector<bool> seen(function.blocks.size());
  in[ir::entry_block] = before;
  std::vector<ir::Index> work{ir::entry_block};
  while (!work.empty()) {
    const ir::Index b = work.back();
    work.pop_back();
    seen[b] = true;
    Objects active = in[b];
    for (const auto& instruction : function.blocks[b].instructions)
      if (instruction.op == ir::Op::call) step(instruction.index, active);
    for (const ir::Index next : function.blocks[b].successors)
      if ((in[next] |= active) || !seen[next]) work.push_back(next);
  }
  return in;
}

namespace {

template <typename Is, typename Step>
Objects until(const ir::Function& function, const std::vector<Objects>& in, Is is, Step step) {
  for (std::size_t b = 0; b < function.blocks.size(); ++b) {
    Objects active = in[b];
    for (const auto& instruction : function.blocks[b].instructions) {
      if (is(instruction)) return active;
      if (instruction.op == ir::Op::call) step(instruction.index, active);
    }
  }
  return {};
}

}  // namespace

Objects analysis::Traffic::active_at(ir::Index marker, const Objects& before) const {
  const ir::Index f = program_.markers[marker].function;
  return until(
      program_.functions[f], flow(f, before),
      [&](const ir::Instruction& i) { return i.op == ir::Op::marker && i.index == marker; },
      [&](ir::Index c, Objects& active) { step(c, active); });
}

Objects analysis::Traffic::active_before(ir::Index call, const Objects& before) const {
  const ir::Index f = program_.calls[call].caller;
  return until(
      program_.functions[f], flow(f, before),
      [&](const ir::Instruction& i) { return i.op == ir::Op::call && i.index == call; },
      [&](ir::Index c, Objects& active) { step(c, active); });
}

}  // namespace cppc::analysis
