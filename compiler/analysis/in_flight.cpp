#include "in_flight.hpp"

#include <utility>

namespace cppc::analysis {

std::string InFlight::at(ir::Index call) const {
  const ir::Call& c = program_.calls[call];
  return (c.name.empty() ? "the call" : c.name + "()") + " at " + program_.files[c.where.file] + ":" +
         std::to_string(c.where.line);
}

/// Where addresses are not followed exactly, other handles of MPI are among those that a call may be given.
bool InFlight::may_be_request(ir::Node object) const {
  const auto type = program_.types.find(object);
  return type == program_.types.end() || !type->second.starts_with("MPI_") || type->second.starts_with("MPI_Request");
}

std::string InFlight::name(const Objects& objects) const {
  for (const auto object : objects) {
    const auto found = program_.names.find(static_cast<ir::Node>(object));
    if (found == program_.names.end() || found->second.starts_with('(')) continue;  // not the program's: "(outside)"
    if (may_be_request(static_cast<ir::Node>(object))) return "the request '" + found->second + "'";
  }
  return "a request";
}

std::string InFlight::unmatched_before(ir::Index f, ir::Index parent, unsigned order) const {
  const unsigned begin = parent == ir::none ? 0 : program_.loops[parent].begin;
  const ir::Index call = traffic_.within(f, begin, order).unmatched();
  return call == ir::none ? std::string() : at(call) + " has no counterpart before the loop";
}

std::string InFlight::active_requests(ir::Index marker) {
  const Objects active = traffic_.active_at(marker, active_at_entry_[program_.markers[marker].function]);
  return active.empty() ? std::string() : name(active) + " may be active at its start";
}

/// A call may reach many functions: asked for each of them.
const Objects& InFlight::active_before(ir::Index call) {
  const Objects& at_entry = active_at_entry_[program_.calls[call].caller];
  const auto [known, fresh] = active_before_.try_emplace(call);
  auto& [before, active] = known->second;
  if (fresh || before != at_entry) {
    before = at_entry;
    active = traffic_.active_before(call, at_entry);
  }
  return active;
}

std::string InFlight::one_sided(ir::Index l, const std::string& before) const {
  const ir::Loop& loop = program_.loops[l];
  if (!before.empty()) return before;
  const ir::Index call = traffic_.within(loop.function, loop.begin, loop.end + 1).unmatched();
  if (call != ir::none) return at(call) + " has no counterpart in the loop";
  return unmatched_before(loop.function, loop.parent, loop.begin);
}

std::string InFlight::unsafe(ir::Index l, const std::string& before) {
  const std::string why = one_sided(l, before);
  return !why.empty() ? why : active_requests(program_.loops[l].marker);
}

}  // namespace cppc::analysis
