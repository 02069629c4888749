#include "traffic.hpp"

#include <algorithm>
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

/// What is known of the requests on the way: those that may be active, and the condition under which each was started,
/// as long as nothing changes that says whether it holds.
struct analysis::Traffic::OnTheWay {
  Objects active;
  std::map<unsigned, ir::Index> under;

  bool add(const OnTheWay& other) {
    bool changed = false;
    for (const unsigned request : other.active) {
      const auto there = other.under.find(request);
      const ir::Index condition = there != other.under.end() ? there->second : ir::none;
      if (!active.test(request)) {
        if (condition != ir::none) under[request] = condition;
        active.set(request);
        changed = true;
      } else if (const auto here = under.find(request); here != under.end() && here->second != condition) {
        under.erase(here);
        changed = true;
      }
    }
    return changed;
  }
};

void analysis::Traffic::step(const ir::Instruction& instruction, OnTheWay& way) const {
  if (instruction.op == ir::Op::write || instruction.op == ir::Op::change)
    std::erase_if(way.under, [&](const auto& one) {
      const auto& reads = program_.conditions[one.second].reads;
      return std::ranges::find(reads, instruction.a) != reads.end();
    });
  if (instruction.op != ir::Op::call) return;
  const Objects before = way.active;
  step(instruction.index, way.active);
  Objects started = way.active;
  started.intersectWithComplement(before);
  const ir::Index condition = program_.calls[instruction.index].condition;
  if (condition == ir::none || program_.conditions[condition].text.empty()) return;
  for (const unsigned request : started) way.under[request] = condition;
}

/// What is left on the way to one of a block's successors. Calls of MPI do not fail: if one does, and its program goes
/// on, the runtime sees that a request is still active.
std::optional<analysis::Traffic::OnTheWay> analysis::Traffic::along(const ir::Block& block, std::size_t successor,
                                                                    const OnTheWay& way) const {
  using Says = ir::Condition::Says;
  if (block.condition == ir::none) return way;
  const ir::Condition& condition = program_.conditions[block.condition];
  const bool holds = successor == 0;
  if (condition.says != Says::something) {
    if ((condition.says == Says::success) == holds) return way;
    return std::nullopt;
  }
  OnTheWay left = way;
  if (holds || condition.text.empty()) return left;
  std::erase_if(left.under, [&](const auto& one) {
    if (program_.conditions[one.second].text != condition.text) return false;
    left.active.reset(one.first);
    return true;
  });
  return left;
}

std::vector<Objects> analysis::Traffic::flow(ir::Index index, const Objects& before) const {
  const ir::Function& function = program_.functions[index];
  std::vector<OnTheWay> in(function.blocks.size());
  std::vector<bool> seen(function.blocks.size());
  in[ir::entry_block].active = before;
  std::vector<ir::Index> work{ir::entry_block};
  while (!work.empty()) {
    const ir::Index b = work.back();
    work.pop_back();
    seen[b] = true;
    const ir::Block& block = function.blocks[b];
    OnTheWay way = in[b];
    for (const auto& instruction : block.instructions) step(instruction, way);
    for (std::size_t i = 0; i < block.successors.size(); ++i) {
      const auto left = along(block, i, way);
      const ir::Index next = block.successors[i];
      if (left && (in[next].add(*left) || !seen[next])) work.push_back(next);
    }
  }
  std::vector<Objects> active;
  for (OnTheWay& way : in) active.push_back(std::move(way.active));
  return active;
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
