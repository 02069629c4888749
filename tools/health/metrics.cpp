#include "metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <mutex>
#include <set>

namespace cppc::health {
namespace {

using namespace prometheus;

constexpr std::size_t most_sources = 100;

Family<Counter>& counters(Registry& registry, const char* name, const char* help) {
  return BuildCounter().Name(name).Help(help).Register(registry);
}

Family<Gauge>& gauges(Registry& registry, const char* name, const char* help) {
  return BuildGauge().Name(name).Help(help).Register(registry);
}

}  // namespace

struct Metrics::Families {
  Registry registry;
  Family<Counter>& notices =
      counters(registry, "cppc_health_notices_total", "Notices by source and what became of them.");
  Family<Counter>& evacuations = counters(registry, "cppc_health_evacuations_total",
                                          "Attempts to empty a node, by what caused them and how they ended.");
  Counter& missed = counters(registry, "cppc_health_evacuation_deadline_missed_total",
                             "Nodes that were not empty when their time was over.")
                        .Add({});
  Family<Counter>& poll_failures =
      counters(registry, "cppc_health_poll_failures_total", "Polls of a source that brought no answer.");
  Family<Gauge>& last_poll =
      gauges(registry, "cppc_health_last_poll_timestamp_seconds", "When a source last answered.");
  Counter& write_failures =
      counters(registry, "cppc_health_write_failures_total", "Lines that the journal or the audit log did not take.")
          .Add({});
  Family<Counter>& requests = counters(registry, "cppc_health_requests_total", "Requests of HTTP by status.");
  Family<Gauge>& nodes = gauges(registry, "cppc_health_nodes", "Nodes by what is done about them.");
  Histogram& duration = BuildHistogram()
                            .Name("cppc_health_evacuation_seconds")
                            .Help("How long attempts to empty a node took.")
                            .Register(registry)
                            .Add({}, Histogram::BucketBoundaries{.1, .2, .5, 1, 2, 5, 10, 20, 60, 120, 300, 600});

  // Sources come from requests: there is an end to how many series they make.
  std::string bounded(const std::string& source) {
    const std::scoped_lock lock(mutex);
    if (sources.contains(source)) return source;
    if (sources.size() >= most_sources) return "other";
    sources.insert(source);
    return source;
  }

  std::mutex mutex;
  std::set<std::string> sources;
};

Metrics::Metrics(const std::string& version, bool dry_run) : families_(std::make_unique<Families>()) {
  Registry& registry = families_->registry;
  gauges(registry, "cppc_build_info", "1; the label has the version.").Add({{"version", version}}).Set(1);
  gauges(registry, "cppc_health_dry_run", "1 when nodes are not emptied, but it is only said.")
      .Add({})
      .Set(dry_run ? 1 : 0);
}

Metrics::~Metrics() = default;

void Metrics::notice(const std::string& source, const std::string& action) {
  families_->notices.Add({{"source", families_->bounded(source)}, {"action", action}}).Increment();
}

void Metrics::evacuation(const std::string& trigger, const std::string& result, double seconds) {
  families_->evacuations.Add({{"trigger", families_->bounded(trigger)}, {"result", result}}).Increment();
  families_->duration.Observe(seconds);
}

void Metrics::deadline_missed() { families_->missed.Increment(); }

void Metrics::polled(const std::string& source, bool answered) {
  families_->poll_failures.Add({{"source", source}}).Increment(answered ? 0 : 1);
  if (answered) families_->last_poll.Add({{"source", source}}).SetToCurrentTime();
}

void Metrics::write_failed() { families_->write_failures.Increment(); }

void Metrics::request(int status) { families_->requests.Add({{"status", std::to_string(status)}}).Increment(); }

void Metrics::nodes(const std::map<std::string, int>& by_state) {
  for (const auto& [state, count] : by_state) families_->nodes.Add({{"state", state}}).Set(count);
}

std::string Metrics::text() const { return TextSerializer().Serialize(families_->registry.Collect()); }

}  // namespace cppc::health
