#include "traffic.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace cppc::analysis {

using Kind = models::Traffic;

namespace {

bool completes(const models::Model& model) {
  const Kind traffic = model.communication.traffic;
  return traffic == Kind::complete || traffic == Kind::test;
}

}  // namespace

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

bool calls_mpi(const ir::Program& program) {
  return std::ranges::any_of(program.calls, [](const ir::Call& call) { return models::is_of_mpi(call.name); });
}

analysis::Traffic::Traffic(const ir::Program& program, const models::Models& models, const PointsTo& points_to)
    : program_(program),
      models_(models),
      points_to_(points_to),
      functions_(program.functions.size()),
      starts_(program.functions.size()),
      completes_(program.functions.size()),
      calls_of_(program.functions.size()),
      block_of_(program.calls.size(), ir::none) {
  for (ir::Index c = 0; c < program.calls.size(); ++c)
    if (program.calls[c].caller != ir::none) calls_of_[program.calls[c].caller].push_back(c);
  for (const ir::Function& function : program.functions)
    for (ir::Index b = 0; b < function.blocks.size(); ++b)
      for (const ir::Instruction& instruction : function.blocks[b].instructions)
        if (instruction.op == ir::Op::call) block_of_[instruction.index] = b;
  find_completed_under();
  until_nothing_grows(&Traffic::summarise_messages);
  until_nothing_grows(&Traffic::summarise_completed);
  until_nothing_grows(&Traffic::summarise_started);
}

/// `if (n > 0) MPI_Waitall(n, ...)` completes as much as the call alone.
void analysis::Traffic::find_completed_under() {
  for (const ir::Call& call : program_.calls) {
    if (call.condition == ir::none) continue;
    const std::string& number = program_.conditions[call.condition].nonzero;
    const models::Model* const model = models_.find(call.name);
    if (number.empty() || model == nullptr || !completes(*model)) continue;
    const int count = model->communication.request - 1;  // requests follow their number
    const bool all = count >= 0 && count < static_cast<int>(call.texts.size()) &&
                     call.texts[static_cast<std::size_t>(count)] == number;
    if (const Objects* const requests = requests_of(call, *model); all && requests != nullptr)
      completed_under_[call.condition] |= *requests;
  }
}

/// A function is looked at again when one that it calls has grown.
void analysis::Traffic::until_nothing_grows(bool (Traffic::*summarise)(ir::Index)) {
  const auto functions = static_cast<ir::Index>(program_.functions.size());
  std::vector<std::vector<ir::Index>> callers(functions);
  for (ir::Index c = 0; c < program_.calls.size(); ++c)
    if (program_.calls[c].caller != ir::none)
      for (const ir::Index callee : points_to_.callees(c)) callers[callee].push_back(program_.calls[c].caller);
  std::vector<bool> due(functions, true);
  for (bool changed = true; std::exchange(changed, false);)
    for (ir::Index f = 0; f < functions; ++f) {
      if (!due[f] || !program_.functions[f].defined) continue;
      due[f] = false;
      if (!(this->*summarise)(f)) continue;
      changed = true;
      for (const ir::Index caller : callers[f]) due[caller] = true;
    }
}

bool analysis::Traffic::summarise_messages(ir::Index f) {
  Messages all = within(f, 0, std::numeric_limits<unsigned>::max());
  const bool grew = all.sends.size() != functions_[f].sends.size() ||
                    all.receives.size() != functions_[f].receives.size() || all.collective != functions_[f].collective;
  functions_[f] = std::move(all);
  return grew;
}

bool analysis::Traffic::summarise_completed(ir::Index f) {
  Objects completed;
  for (const ir::Index c : calls_of_[f]) {
    for (const ir::Index callee : points_to_.callees(c)) completed |= completes_[callee];
    const models::Model* model = models_.find(program_.calls[c].name);
    if (model != nullptr && completes(*model))
      if (const Objects* requests = requests_of(program_.calls[c], *model)) completed |= *requests;
  }
  return completes_[f] |= completed;
}

bool analysis::Traffic::summarise_started(ir::Index f) { return starts_[f] |= flow(f, {})[ir::exit_block]; }

/// Where a call of one of MPI's functions has its requests; null when it has none.
const Objects* analysis::Traffic::requests_of(const ir::Call& call, const models::Model& model) const {
  const int request = model.communication.request;
  if (request < 0 || request >= static_cast<int>(call.arguments.size())) return nullptr;
  return &points_to_[call.arguments[static_cast<std::size_t>(request)]];
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

/// What a call may start and what it completes.
analysis::Traffic::Requests analysis::Traffic::requests_of(ir::Index index) const {
  const ir::Call& call = program_.calls[index];
  Requests all;
  for (const ir::Index callee : points_to_.callees(index)) {
    if (program_.functions[callee].defined) {
      all.completed |= completes_[callee];
      all.started |= starts_[callee];
      continue;
    }
    const models::Model* model = models_.find(program_.functions[callee].name);
    if (model == nullptr) continue;
    if (const Objects* requests = requests_of(call, *model))
      (completes(*model) ? all.completed : all.started) |= *requests;
  }
  return all;
}

void analysis::Traffic::step(ir::Index index, Objects& active) const {
  const Requests requests = requests_of(index);
  active.intersectWithComplement(requests.completed);
  active |= requests.started;
}

/// What is known of the requests on the way: those that may be active, and of each condition those that were started
/// under it, as long as nothing changes that says whether it holds. A program may have thousands of requests, which
/// have few conditions.
struct analysis::Traffic::OnTheWay {
  Objects active;
  std::map<ir::Index, Objects> under;

  void complete(const Objects& requests) {
    for (auto& [condition, started] : under) started.intersectWithComplement(requests);
    active.intersectWithComplement(requests);
  }

  bool add(const OnTheWay& other) {
    bool changed = false;
    for (auto& [condition, here] : under) {
      Objects unconditional = here;  // on the other way: active, but not under this condition
      unconditional &= other.active;
      if (const auto there = other.under.find(condition); there != other.under.end())
        unconditional.intersectWithComplement(there->second);
      if (unconditional.empty()) continue;
      here.intersectWithComplement(unconditional);
      changed = true;
    }
    for (const auto& [condition, there] : other.under) {
      Objects fresh = there;
      fresh.intersectWithComplement(active);
      if (!fresh.empty()) under[condition] |= fresh;
    }
    changed |= active |= other.active;
    return changed;
  }
};

void analysis::Traffic::step(const ir::Instruction& instruction, OnTheWay& way) const {
  if (instruction.op == ir::Op::write || instruction.op == ir::Op::change)
    std::erase_if(way.under, [&](const auto& one) {
      const auto& reads = program_.conditions[one.first].reads;
      return std::ranges::find(reads, instruction.a) != reads.end();
    });
  if (instruction.op != ir::Op::call) return;
  const Requests requests = requests_of(instruction.index);
  way.complete(requests.completed);
  for (auto& [condition, started] : way.under) started.intersectWithComplement(requests.started);
  const ir::Index condition = program_.calls[instruction.index].condition;
  if (condition != ir::none && !program_.conditions[condition].text.empty() && !requests.started.empty()) {
    Objects fresh = requests.started;
    fresh.intersectWithComplement(way.active);
    way.under[condition] |= fresh;
  }
  way.active |= requests.started;
}

/// What is left on the way to one of a block's successors. Calls of MPI do not fail: if one does, and its program goes
/// on, the runtime sees that a request is still active.
std::optional<analysis::Traffic::OnTheWay> analysis::Traffic::along(const ir::Block& block, std::size_t successor,
                                                                    const OnTheWay& way) const {
  using MpiStatus = ir::Condition::MpiStatus;
  if (block.condition == ir::none) return way;
  const ir::Condition& condition = program_.conditions[block.condition];
  const bool holds = successor == 0;
  if (condition.mpi_status != MpiStatus::unrelated) {
    if ((condition.mpi_status == MpiStatus::success) == holds) return way;
    return std::nullopt;
  }
  OnTheWay left = way;
  if (holds) return left;
  if (const auto none_to_complete = completed_under_.find(block.condition); none_to_complete != completed_under_.end())
    left.complete(none_to_complete->second);
  if (condition.text.empty()) return left;
  std::erase_if(left.under, [&](const auto& one) {
    if (program_.conditions[one.first].text != condition.text) return false;
    left.active.intersectWithComplement(one.second);
    return true;
  });
  return left;
}

/// Whether any call in the function may start a request.
bool analysis::Traffic::starts_any(ir::Index function) const {
  return std::ranges::any_of(calls_of_[function], [this](ir::Index c) { return !requests_of(c).started.empty(); });
}

std::vector<Objects> analysis::Traffic::flow(ir::Index index, const Objects& before) const {
  const ir::Function& function = program_.functions[index];
  if (before.empty() && !starts_any(index)) return std::vector<Objects>(function.blocks.size());
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

/// Of all calls of a function the same is asked.
const std::vector<Objects>& analysis::Traffic::known_flow(ir::Index function, const Objects& before) const {
  const auto [known, fresh] = known_.try_emplace(function);
  auto& [from, active] = known->second;
  if (fresh || from != before) {
    from = before;
    active = flow(function, before);
  }
  return active;
}

/// `is`: the instruction, which is in the block.
template <typename Is>
Objects analysis::Traffic::active_until(ir::Index function, ir::Index block, const Objects& before, Is is) const {
  Objects active = known_flow(function, before)[block];
  for (const auto& instruction : program_.functions[function].blocks[block].instructions) {
    if (is(instruction)) break;
    if (instruction.op == ir::Op::call) step(instruction.index, active);
  }
  return active;
}

Objects analysis::Traffic::active_at(ir::Index marker, const Objects& before) const {
  const ir::Index f = program_.markers[marker].function;
  const auto is = [marker](const ir::Instruction& i) { return i.op == ir::Op::marker && i.index == marker; };
  const auto& blocks = program_.functions[f].blocks;
  for (ir::Index b = 0; b < blocks.size(); ++b)
    if (std::ranges::any_of(blocks[b].instructions, is)) return active_until(f, b, before, is);
  return {};
}

Objects analysis::Traffic::active_before(ir::Index call, const Objects& before) const {
  if (block_of_[call] == ir::none) return {};
  return active_until(program_.calls[call].caller, block_of_[call], before,
                      [call](const ir::Instruction& i) { return i.op == ir::Op::call && i.index == call; });
}

}  // namespace cppc::analysis
