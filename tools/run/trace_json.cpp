#include "trace_json.hpp"

#include <algorithm>

#include "api_json.hpp"

namespace cppc::run {
namespace {

using nlohmann::json;
using Clock = Migration::Clock;

constexpr int controller_lanes = 1, agent_lanes = 2, rank_lanes = 3;

class Trace {
 public:
  Trace(const Job::Description& description, const Migration& migration)
      : description_(description), migration_(migration), end_(migration.ended.value_or(Clock::now())) {}

  json::array_t events() {
    add_controller();
    for (const auto& [agent, phases] : migration_.timeline.phases()) add_agent(agent, phases);
    for (const auto& [rank, shipping] : migration_.timeline.shipping()) add_shipping(rank, shipping);
    const auto& downtimes = migration_.outcome.downtime_ms;
    for (std::size_t rank = 0; rank < downtimes.size(); ++rank) add_downtime(static_cast<int>(rank), downtimes[rank]);
    return std::move(events_);
  }

 private:
  double microseconds(Clock::time_point at) const {
    return std::chrono::duration<double, std::micro>(at - migration_.requested).count();
  }

  void name(int process, int lane, const char* what, const std::string& name) {
    events_.push_back({{"ph", "M"}, {"pid", process}, {"tid", lane}, {"name", what}, {"args", {{"name", name}}}});
  }

  void span(int process, int lane, const std::string& name, Clock::time_point from, Clock::time_point to,
            json args = json::object()) {
    events_.push_back({{"ph", "X"},
                       {"pid", process},
                       {"tid", lane},
                       {"name", name},
                       {"ts", microseconds(from)},
                       {"dur", std::max(0.0, microseconds(to) - microseconds(from))},
                       {"args", std::move(args)}});
  }

  void add_controller() {
    name(controller_lanes, 0, "process_name", "cppc-run: job " + description_.id);
    name(agent_lanes, 0, "process_name", "agents");
    name(rank_lanes, 0, "process_name", "ranks");
    const Clock::time_point started = migration_.started.value_or(end_);
    const Clock::time_point carried_out = migration_.carried_out.value_or(end_);
    span(controller_lanes, 0, "queued", migration_.requested, started);
    if (started == end_) return;
    span(controller_lanes, 0, "migration " + std::to_string(migration_.id), started, carried_out, summary(migration_));
    const std::string rest = what_follows();
    if (carried_out < end_ && !rest.empty()) span(controller_lanes, 0, rest, carried_out, end_);
  }

  // What cppc-run does once the agents have reported the end.
  [[nodiscard]] std::string what_follows() const {
    if (migration_.relocation) return "start the job again";
    if (migration_.draft) return "complete the checkpoint";
    return migration_.request.evacuate.empty() ? "" : "give up " + migration_.request.evacuate;
  }

  void add_agent(int agent, const std::vector<Timeline::Phase>& phases) {
    name(agent_lanes, agent, "thread_name", "agent of " + description_.nodes[static_cast<std::size_t>(agent)].name);
    const Clock::time_point last = migration_.carried_out.value_or(end_);
    for (std::size_t i = 0; i < phases.size(); ++i)
      span(agent_lanes, agent, phases[i].name, phases[i].began, i + 1 < phases.size() ? phases[i + 1].began : last);
  }

  void name_rank(int rank) {
    const auto move = std::ranges::find(migration_.moves, rank, &NamedMove::rank);
    const std::string way = move == migration_.moves.end() ? "" : ": " + move->from + " to " + move->to;
    name(rank_lanes, rank, "thread_name", "rank " + std::to_string(rank) + way);
  }

  void add_shipping(int rank, const Timeline::Shipping& shipping) {
    name_rank(rank);
    if (shipping.samples.empty()) return;
    span(rank_lanes, rank, "ship", shipping.samples.front().at, shipping.samples.back().at,
         {{"bytes", shipping.done}, {"bytes_total", shipping.total}, {"chunks_again", shipping.chunks_again}});
    for (const Timeline::Sample& sample : shipping.samples)
      events_.push_back({{"ph", "C"},
                         {"pid", rank_lanes},
                         {"name", "bytes sent by rank " + std::to_string(rank)},
                         {"ts", microseconds(sample.at)},
                         {"args", {{"bytes", sample.bytes}}}});
  }

  // How long is what the rank has measured; that it ended when all worked again is not more than about true.
  void add_downtime(int rank, double milliseconds) {
    if (milliseconds <= 0) return;
    if (!migration_.timeline.shipping().contains(rank)) name_rank(rank);
    const auto after = [&](double ms) {
      return *migration_.started +
             std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double, std::milli>(ms));
    };
    const double end = migration_.outcome.response_ms;
    span(rank_lanes, rank, "stands still", after(std::max(0.0, end - milliseconds)), after(end),
         {{"downtime_ms", milliseconds}});
  }

  const Job::Description& description_;
  const Migration& migration_;
  const Clock::time_point end_;
  json::array_t events_;
};

}  // namespace

json trace(const Job::Description& description, const Migration& migration) {
  return {{"displayTimeUnit", "ms"},
          {"otherData",
           {{"job", description.id},
            {"program", description.program},
            {"migration", std::to_string(migration.id)},
            {"requested_at", time_text(migration.requested_at)},
            {"state", text(migration.state)},
            {"reason", migration.outcome.reason}}},
          {"traceEvents", Trace(description, migration).events()}};
}

}  // namespace cppc::run
