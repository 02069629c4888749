/// Why messages may be in flight at the start of a loop, in the user's words, as a walk from main() comes to know what
/// is active where functions start.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "traffic.hpp"

namespace cppc::analysis {

class InFlight {
 public:
  InFlight(const ir::Program& program, const Traffic& traffic) : program_(program), traffic_(traffic) {}

  /// Why the loop's start is no safe point; empty: it is one. `before`: the same for the start of its function.
  std::string unsafe(ir::Index loop, const std::string& before);

  /// Of that, what requests have no part in: a message of which only one end is there, so that other ranks are
  /// elsewhere in the program.
  std::string one_sided(ir::Index loop, const std::string& before) const;

  /// Messages of what comes before `order` in the same loop (or function, for none) that have no counterpart there.
  std::string unmatched_before(ir::Index function, ir::Index parent, unsigned order) const;

  /// Requests that may be active at the call, as far as it is known yet what is where its function starts.
  const Objects& active_before(ir::Index call);

  /// These, too, may be active where the function starts.
  void enter(ir::Index function, const Objects& active) { active_at_entry_[function] |= active; }

 private:
  std::string active_requests(ir::Index marker);
  bool may_be_request(ir::Node object) const;
  std::string name(const Objects& objects) const;
  std::string at(ir::Index call) const;

  const ir::Program& program_;
  const Traffic& traffic_;
  std::map<ir::Index, Objects> active_at_entry_;
  std::map<ir::Index, std::pair<Objects, Objects>> active_before_;  ///< by call: and what was active at entry
};

}  // namespace cppc::analysis
