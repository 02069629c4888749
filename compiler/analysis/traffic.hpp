/// Where messages may be in flight: requests that are active, and sends and receives of a region that have no
/// counterpart in it. What cannot be decided here the runtime decides, by counting messages at the migration point.
#pragma once

#include <optional>
#include <set>

#include "points_to.hpp"

namespace cppc::analysis {

/// Sends and receives of a region by tag; "*" is a tag that is not a constant, or any.
struct Messages {
  std::map<std::string, ir::Index> sends, receives;  ///< one call of each tag
  bool collective = false;

  void add(const Messages& other);
  [[nodiscard]] bool any() const { return collective || !sends.empty() || !receives.empty(); }

  /// A call whose counterpart is not here, or none.
  [[nodiscard]] ir::Index unmatched() const;
};

/// Whether a program communicates at all.
bool calls_mpi(const ir::Program& program);

class Traffic {
 public:
  Traffic(const ir::Program& program, const models::Models& models, const PointsTo& points_to);

  /// Of the calls of a function, its callees included, with orders from `begin` up to and without `end`, directly in
  /// `loop` or at any depth.
  [[nodiscard]] Messages within(ir::Index function, unsigned begin, unsigned end) const;
  [[nodiscard]] const Messages& of(ir::Index function) const { return functions_[function]; }

  /// Requests that may be active at a marker, by their objects, when `before` may be at the function's start.
  [[nodiscard]] Objects active_at(ir::Index marker, const Objects& before) const;
  [[nodiscard]] Objects active_before(ir::Index call, const Objects& before) const;

 private:
  struct OnTheWay;
  struct Requests {
    Objects started, completed;
  };

  void find_completed_under();
  void until_nothing_grows(bool (Traffic::*summarise)(ir::Index));
  bool summarise_messages(ir::Index function);
  bool summarise_completed(ir::Index function);
  bool summarise_started(ir::Index function);
  [[nodiscard]] Messages of_call(ir::Index call) const;
  [[nodiscard]] const Objects* requests_of(const ir::Call& call, const models::Model& model) const;
  [[nodiscard]] Requests requests_of(ir::Index call) const;
  [[nodiscard]] bool starts_any(ir::Index function) const;
  void step(ir::Index call, Objects& active) const;
  void step(const ir::Instruction& instruction, OnTheWay& way) const;
  [[nodiscard]] std::optional<OnTheWay> along(const ir::Block& block, std::size_t successor, const OnTheWay& way) const;
  [[nodiscard]] std::vector<Objects> flow(ir::Index function, const Objects& before) const;
  [[nodiscard]] const std::vector<Objects>& known_flow(ir::Index function, const Objects& before) const;
  template <typename Is>
  [[nodiscard]] Objects active_until(ir::Index function, ir::Index block, const Objects& before, Is is) const;

  const ir::Program& program_;
  const models::Models& models_;
  const PointsTo& points_to_;
  std::vector<Messages> functions_;
  std::vector<Objects> starts_, completes_;  ///< by function
  std::vector<std::vector<ir::Index>> calls_of_;
  std::vector<ir::Index> block_of_;  ///< by call
  /// By condition: requests that there are none of where it does not hold, since it says of their number that it is not
  /// zero.
  std::map<ir::Index, Objects> completed_under_;
  /// By function: what was active at its start, and then is at its blocks.
  mutable std::map<ir::Index, std::pair<Objects, std::vector<Objects>>> known_;
};

}  // namespace cppc::analysis
