#include "daemon.hpp"

#include <spdlog/spdlog.h>

#include "clock.hpp"
#include "state_lock.hpp"

namespace cppc::health {
namespace {

using nlohmann::json;
using tools::error;
using namespace std::chrono_literals;

constexpr auto between_beats = 10s;
constexpr int most_watchers = 32;

bool is_bad(Event::Kind kind) {
  return kind == Event::Kind::unknown_node || kind == Event::Kind::too_many || kind == Event::Kind::given_up ||
         kind == Event::Kind::expired || kind == Event::Kind::held || kind == Event::Kind::no_rule;
}

std::string as_line(const json& object) { return object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n"; }

}  // namespace

Result<std::unique_ptr<Daemon>> Daemon::start(const Configuration& configuration, Evacuate evacuate,
                                              const std::string& version) {
  auto lock = lock_state(configuration.site.state);
  if (!lock) return error(std::move(lock).error());
  std::unique_ptr<Daemon> daemon(new Daemon(configuration, std::move(evacuate), version, *std::move(lock)));
  if (const auto opened = daemon->open_files(configuration.site.state); !opened) return error(opened.error());
  daemon->loop_ = std::jthread([self = daemon.get()](const std::stop_token& stop) { self->loop(stop); });
  return daemon;
}

Daemon::Daemon(const Configuration& configuration, Evacuate evacuate, const std::string& version, UniqueFd lock)
    : site_(configuration.site),
      evacuate_(std::move(evacuate)),
      lock_(std::move(lock)),
      metrics_(version, configuration.site.dry_run),
      event_log_(std::to_string(time_since_boot().count()), most_watchers),
      engine_(configuration.rules, configuration.site.brakes, configuration.site.retries) {}

Daemon::~Daemon() {
  loop_ = {};
  runs_.clear();
}

Result<void> Daemon::open_files(const std::filesystem::path& directory) {
  auto audit = AppendFile::open(directory / "audit.log");
  if (!audit) return error(audit.error());
  audit_ = *std::move(audit);
  engine_.set_nodes(site_.nodes);
  auto journal = Journal::open(directory / "journal", engine_, time_since_boot(), boot_id());
  if (!journal) return error(journal.error());
  journal_ = *std::move(journal);
  engine_.set_nodes(site_.nodes);
  publish(engine_.events());
  return {};
}

Result<void> Daemon::take(const std::vector<Notice>& notices) {
  const std::scoped_lock lock(mutex_);
  const Time now = time_since_boot();
  std::vector<json> records;
  std::vector<Event> all;
  for (const Notice& received : notices) {
    const Notice notice = engine_.named(received);
    const bool changed = engine_.take(notice, now);
    if (changed) records.push_back(Journal::notice(notice));
    const auto events = engine_.events();
    count(notice, events, changed);
    all.insert(all.end(), events.begin(), events.end());
  }
  auto recorded = record(records, now);
  publish(all);
  ++wakes_;
  wake_.notify_all();
  return recorded;
}

void Daemon::count(const Notice& notice, const std::vector<Event>& events, bool changed) {
  const bool silent = events.empty();
  const std::string became = !silent && !events.front().action.empty() ? events.front().action
                             : !silent                                 ? text(events.front().kind)
                             : !notice.firing                          ? "resolved"
                             : changed                                 ? "resumed"
                                                                       : "joined";
  metrics_.notice(notice.source, became);
}

void Daemon::asked(const std::string& text) {
  const std::scoped_lock lock(mutex_);
  announce("asked", "", text);
}

void Daemon::set_nodes(std::set<std::string> nodes) {
  const std::scoped_lock lock(mutex_);
  if (nodes != engine_.nodes()) engine_.set_nodes(std::move(nodes));
}

std::vector<Notice> Daemon::firing(const std::string& source) {
  const std::scoped_lock lock(mutex_);
  std::vector<Notice> notices;
  for (const auto& [key, condition] : engine_.conditions())
    if (condition.notice.source == source && !condition.resolved_at) notices.push_back(condition.notice);
  return notices;
}

void Daemon::polled(const std::string& source, const std::string& failure) {
  metrics_.polled(source, failure.empty());
  const std::scoped_lock lock(mutex_);
  Poll& poll = polls_[source];
  if (failure.empty()) poll.last_answer = wall_time();
  const bool was_well = poll.failure.empty();
  if (was_well != failure.empty())
    announce(
        failure.empty() ? "source-answers" : "source-silent", "",
        "source " + source + (failure.empty() ? " answers again" : ": " + failure + "; nothing is done about that"));
  poll.failure = failure;
}

void Daemon::loop(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  auto last_beat = std::chrono::steady_clock::now();
  while (!stop.stop_requested()) {
    const Time now = time_since_boot();
    const auto starts = engine_.advance(now);
    publish(engine_.events());
    for (const Engine::Start& start : starts) begin(start);
    if (journal_->is_behind()) record({}, now);
    if (journal_->is_long()) check(journal_->compact(engine_, now));
    const auto soon = engine_.next(now);
    if (std::chrono::steady_clock::now() - last_beat >= between_beats) {
      event_log_.beat();
      last_beat = std::chrono::steady_clock::now();
    }
    const Time pause = std::min<Time>(between_beats, soon ? *soon - now + 1ms : Time(between_beats));
    wake_.wait_for(lock, stop, pause, [&, seen = wakes_] { return wakes_ != seen; });
  }
}

void Daemon::begin(const Engine::Start& start) {
  record({Journal::start(start.node)}, time_since_boot());
  std::set<std::string> avoid = engine_.avoided();
  avoid.erase(start.node);
  runs_[start.node] = std::jthread([this, start, avoid](const std::stop_token& stop) { empty(start, avoid, stop); });
}

void Daemon::empty(const Engine::Start& start, std::set<std::string> avoid, const std::stop_token& stop) {
  const auto began = std::chrono::steady_clock::now();
  const auto report_progress = [&](const std::string& text) {
    const std::scoped_lock lock(mutex_);
    announce("progress", start.node, text);
  };
  const Report report = evacuate_({start, std::move(avoid), report_progress, stop});
  if (stop.stop_requested()) return;  // the journal has that it began
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  metrics_.evacuation(start.trigger, report.result, took.count());
  const std::scoped_lock lock(mutex_);
  const Time now = time_since_boot();
  if (report.outcome != Outcome::emptied && now >= engine_.evacuations().at(start.node).deadline)
    metrics_.deadline_missed();
  engine_.ended(start.node, report.outcome, report.summary, now);
  record({Journal::end(start.node, report.outcome, report.summary)}, now);
  publish(engine_.events());
  ++wakes_;
  wake_.notify_all();
}

void Daemon::publish(const std::vector<Event>& events) {
  std::string lines;
  for (const Event& event : events) {
    if (event.kind == Event::Kind::expired) metrics_.deadline_missed();
    if (event.text.empty()) continue;
    spdlog::log(is_bad(event.kind) ? spdlog::level::warn : spdlog::level::info, "{}: {}", event.node, event.text);
    lines += show(text(event.kind), event.node, event.text);
  }
  if (!lines.empty()) check(audit_->append(lines));
}

void Daemon::announce(const std::string& kind, const std::string& node, const std::string& text) {
  spdlog::info("{}{}{}", node, node.empty() ? "" : ": ", text);
  check(audit_->append(show(kind, node, text)));
}

/// To those who watch; the line for the audit log.
std::string Daemon::show(const std::string& kind, const std::string& node, const std::string& text) {
  json object{{"time", wall_time()}, {"event", kind}, {"text", text}};
  if (!node.empty()) object["node"] = node;
  if (site_.dry_run) object["dry_run"] = true;
  event_log_.add(kind, object);
  return as_line(object);
}

Result<void> Daemon::record(const std::vector<json>& records, Time now) {
  auto written = journal_->write(records, now);
  check(written);
  return written;
}

// A full disk keeps no node from being emptied.
void Daemon::check(const Result<void>& written) {
  if (written) {
    write_failed_ = false;
    return;
  }
  metrics_.write_failed();
  if (!std::exchange(write_failed_, true))
    spdlog::error("{}; work goes on, but will not be remembered: make room", written.error());
}

std::string Daemon::metrics_text() {
  {
    const std::scoped_lock lock(mutex_);
    std::map<std::string, int> states{{"usable", 0}, {"avoided", 0}};
    for (int stage = 0; stage <= static_cast<int>(Evacuation::Stage::expired); ++stage)
      states[text(static_cast<Evacuation::Stage>(stage))] = 0;
    const auto avoided = engine_.avoided();
    for (const std::string& node : engine_.nodes()) {
      const auto found = engine_.evacuations().find(node);
      ++states[found != engine_.evacuations().end() ? text(found->second.stage)
               : avoided.contains(node)             ? "avoided"
                                                    : "usable"];
    }
    metrics_.nodes(states);
  }
  return metrics_.text();
}

json Daemon::state() {
  const std::scoped_lock lock(mutex_);
  const Time now = time_since_boot();
  const auto seconds = [&](Time time) { return static_cast<double>((time - now).count()) / 1000; };
  json nodes = json::array(), notices = json::array(), sources = json::array();
  const auto avoided = engine_.avoided();
  for (const std::string& node : engine_.nodes()) {
    json one{{"node", node}, {"avoid", avoided.contains(node)}};
    if (const auto found = engine_.evacuations().find(node); found != engine_.evacuations().end()) {
      const Evacuation& evacuation = found->second;
      one["evacuation"] = {{"stage", text(evacuation.stage)},
                           {"deadline", seconds(evacuation.deadline)},
                           {"attempts", evacuation.attempts},
                           {"cause", evacuation.cause},
                           {"said", evacuation.summary}};
    }
    nodes.push_back(one);
  }
  for (const auto& [key, condition] : engine_.conditions()) {
    json one = to_json(condition.notice);
    one["state"] = condition.resolved_at ? "resolved" : "firing";
    one["action"] = text(condition.rule.action);
    one["age"] = -seconds(condition.since);
    notices.push_back(one);
  }
  for (const auto& [name, poll] : polls_)
    sources.push_back({{"source", name}, {"last_answer", poll.last_answer}, {"failure", poll.failure}});
  return {{"time", wall_time()},
          {"dry_run", site_.dry_run},
          {"brakes",
           {{"evacuate_at_once", site_.brakes.at_once},
            {"per_hour", site_.brakes.per_hour},
            {"keep_nodes", site_.brakes.keep_nodes}}},
          {"nodes", nodes},
          {"notices", notices},
          {"sources", sources}};
}

}  // namespace cppc::health
