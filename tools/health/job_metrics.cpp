#include "job_metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include "job_client.hpp"

namespace cppc::health {
namespace {

using migrate::list;
using migrate::number;
using nlohmann::json;
using namespace prometheus;

const Histogram::BucketBoundaries short_times{.005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10};
const Histogram::BucketBoundaries long_times{.1, .2, .5, 1, 2, 5, 10, 20, 60, 120, 300, 600};

class Exposition {
 public:
  explicit Exposition(const json& all) {
    gauge("cppc_jobs", "Jobs of this machine that answer.").Add({}).Set(static_cast<double>(list(all, "jobs").size()));
    gauge("cppc_jobs_silent", "Jobs of this machine that do not answer.")
        .Add({})
        .Set(static_cast<double>(list(all, "silent").size()));
    for (const json& job : list(all, "jobs")) add(job);
  }

  std::string text() const { return TextSerializer().Serialize(registry_.Collect()); }

 private:
  Family<Gauge>& gauge(const char* name, const char* help) {
    return BuildGauge().Name(name).Help(help).Register(registry_);
  }
  Family<Counter>& counter(const char* name, const char* help) {
    return BuildCounter().Name(name).Help(help).Register(registry_);
  }
  Family<Histogram>& histogram(const char* name, const char* help) {
    return BuildHistogram().Name(name).Help(help).Register(registry_);
  }

  void add(const json& job) {
    const std::string id = migrate::text(job, "job");
    infos_
        .Add({{"job", id},
              {"program", migrate::text(job, "program")},
              {"user", migrate::text(job, "user")},
              {"allocation", migrate::text(job, "allocation")}})
        .Set(1);
    for (const char* state : {"starting", "running", "ended"})
      states_.Add({{"job", id}, {"state", state}}).Set(migrate::text(job, "state") == state ? 1 : 0);
    for (const json& node : list(job, "nodes")) add_node(id, node);
    add_migrations(id, list(job, "history"));
  }

  void add_node(const std::string& job, const json& node) {
    const std::string name = migrate::text(node, "node");
    node_ranks_.Add({{"job", job}, {"node", name}}).Set(static_cast<double>(list(node, "ranks").size()));
    for (const char* state : {"up", "leave-only", "evacuated", "down"})
      node_states_.Add({{"job", job}, {"node", name}, {"state", state}})
          .Set(migrate::text(node, "state") == state ? 1 : 0);
  }

  // Series that are there from the beginning: Prometheus sees no increase of one that begins with 1.
  void add_migrations(const std::string& job, const json& history) {
    for (const char* kind : {"move", "evacuate"})
      for (const char* result : {"done", "failed", "refused", "damaged"})
        migrations_.Add({{"job", job}, {"kind", kind}, {"result", result}});
    Gauge& open = open_.Add({{"job", job}});
    Counter& bytes = bytes_.Add({{"job", job}});
    Histogram& frozen = frozen_.Add({{"job", job}}, short_times);
    Histogram& rebuild = rebuild_.Add({{"job", job}}, short_times);
    Histogram& response = response_.Add({{"job", job}}, long_times);
    Histogram& evacuation = evacuation_.Add({{"job", job}}, long_times);
    for (const json& one : history) {
      const std::string state = migrate::text(one, "state");
      const std::string kind = migrate::text(one, "kind") == "evacuate" ? "evacuate" : "move";
      if (state == "done" || state == "failed" || state == "refused" || state == "damaged") {
        migrations_.Add({{"job", job}, {"kind", kind}, {"result", state}}).Increment();
      } else {
        open.Increment();
      }
      if (state != "done") continue;
      bytes.Increment(number(one, "image_bytes"));
      frozen.Observe(number(one, "frozen_ms") / 1000);
      rebuild.Observe(number(one, "rebuild_ms") / 1000);
      response.Observe(number(one, "response_ms") / 1000);
      evacuation.Observe(number(one, "evacuation_ms") / 1000);
    }
  }

  Registry registry_;
  Family<Gauge>& infos_ = gauge("cppc_job_info", "1; the labels say what job it is.");
  Family<Gauge>& states_ = gauge("cppc_job_state", "1 for the state that the job is in.");
  Family<Gauge>& node_ranks_ = gauge("cppc_node_ranks", "Ranks of a job on a node.");
  Family<Gauge>& node_states_ = gauge("cppc_node_state", "1 for the state that a job's node is in.");
  Family<Gauge>& open_ = gauge("cppc_migrations_open", "Migrations that are queued or under way.");
  Family<Counter>& migrations_ =
      counter("cppc_migrations_total", "Migrations that are over, by what was asked for and how they ended.");
  Family<Counter>& bytes_ = counter("cppc_image_bytes_total", "Bytes of ranks that have moved.");
  Family<Histogram>& frozen_ =
      histogram("cppc_migration_frozen_seconds", "How long all ranks stood still for a migration.");
  Family<Histogram>& rebuild_ = histogram("cppc_migration_rebuild_seconds",
                                          "How long it took to rebuild all communicators, a part of the former.");
  Family<Histogram>& response_ =
      histogram("cppc_migration_response_seconds", "From the begin of a migration until the replacements worked.");
  Family<Histogram>& evacuation_ =
      histogram("cppc_migration_evacuation_seconds", "From the begin of a migration until the old processes had gone.");
};

}  // namespace

std::string job_metrics(const json& jobs) { return Exposition(jobs).text(); }

}  // namespace cppc::health
