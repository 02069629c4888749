#include "engine.hpp"

#include <algorithm>

#include "../common/host_name.hpp"

namespace cppc::health {
namespace {

using Kind = Event::Kind;
using Stage = Evacuation::Stage;
using namespace std::chrono_literals;

constexpr std::size_t most_conditions = 10'000;
constexpr std::size_t most_unknown = 1'000;

std::string key_of(const Notice& notice) { return notice.source + "/" + notice.key; }

std::string in_words(const Notice& notice) {
  return notice.source + (notice.reason.empty() ? "" : ": " + notice.reason) + " (" + notice.key + ")";
}

Time milliseconds(double seconds) { return Time(static_cast<Time::rep>(seconds * 1000)); }

std::string seconds(Time time) { return std::to_string(time.count() / 1000) + " s"; }

}  // namespace

const char* text(Kind kind) {
  static const char* const names[] = {"noticed",   "unknown-node", "no-rule",    "too-many", "cleared",
                                      "requested", "held",         "begun",      "emptied",  "retried",
                                      "given-up",  "expired",      "taken-back", "usable"};
  return names[static_cast<int>(kind)];
}

const char* text(Stage stage) {
  static const char* const names[] = {"waiting", "running", "emptied", "failed", "expired"};
  return names[static_cast<int>(stage)];
}

void Engine::announce(Kind kind, const std::string& node, const std::string& text, const Condition* about) {
  events_.push_back({kind, node, text, about != nullptr ? about->notice.source : "",
                     about != nullptr ? health::text(about->rule.action) : ""});
}

Notice Engine::named(Notice notice) const {
  const std::string name = tools::without_domain(notice.node);
  if (!nodes_.contains(notice.node) && nodes_.contains(name)) notice.node = name;
  return notice;
}

bool Engine::take(const Notice& notice, Time now) {
  const auto known = conditions_.find(key_of(notice));
  if (!notice.firing) return known != conditions_.end() && resolve(known->second, now);
  if (known != conditions_.end()) {
    const bool resumed = known->second.resolved_at.has_value();
    known->second.resolved_at.reset();
    return resumed;
  }
  if (!nodes_.contains(notice.node)) {
    const bool first = unknown_.size() < most_unknown && unknown_.insert(notice.node).second;
    events_.push_back({Kind::unknown_node, notice.node,
                       first ? "no node of this cluster: nothing is done about " + in_words(notice) : "", notice.source,
                       ""});
    return false;
  }
  const Rule* const rule = rule_for(rules_, notice);
  if (rule == nullptr) {
    events_.push_back(
        {Kind::no_rule, notice.node, "no rule matches: nothing is done about " + in_words(notice), notice.source, ""});
    return false;
  }
  return add(notice, *rule, now);
}

bool Engine::add(const Notice& notice, const Rule& rule, Time now) {
  if (conditions_.size() >= most_conditions) {
    events_.push_back({Kind::too_many, notice.node,
                       "there are " + std::to_string(most_conditions) + " unresolved notices: nothing is done about " +
                           in_words(notice),
                       notice.source, ""});
    return false;
  }
  const bool own = rule.deadline_from_notice && notice.deadline_s;
  const Time deadline = now + (own ? milliseconds(*notice.deadline_s) : rule.deadline);
  Condition& condition = conditions_[key_of(notice)];
  condition = {notice, rule, now, deadline, {}};
  announce(Kind::noticed, notice.node,
           in_words(notice) + ": " + text(rule.action) + ", by the rule in line " + std::to_string(rule.line),
           &condition);
  return true;
}

bool Engine::resolve(Condition& condition, Time now) {
  if (condition.resolved_at) return false;
  condition.resolved_at = now;
  return true;
}

// What time alone brings about, but for beginning evacuations.
void Engine::settle(Time now) {
  drop_cleared(now);
  take_back();
  request(now);
}

void Engine::drop_cleared(Time now) {
  for (auto one = conditions_.begin(); one != conditions_.end();) {
    const Condition& condition = one->second;
    if (!condition.resolved_at || now < *condition.resolved_at + condition.rule.clear) {
      ++one;
      continue;
    }
    announce(Kind::cleared, condition.notice.node, in_words(condition.notice) + ": resolved", &condition);
    joined_.erase(one->first);
    one = conditions_.erase(one);
  }
}

bool Engine::is_condemned(const std::string& node, bool still) const {
  return std::ranges::any_of(conditions_, [&](const auto& one) {
    const Condition& condition = one.second;
    return condition.notice.node == node && condition.rule.action == Action::evacuate &&
           !(still && condition.resolved_at);
  });
}

// One that is under way goes on to its end.
void Engine::take_back() {
  std::erase_if(evacuations_, [&](const auto& one) {
    const auto& [node, evacuation] = one;
    if (evacuation.stage == Stage::running || is_condemned(node, /*still=*/false)) return false;
    if (evacuation.stage == Stage::waiting) {
      announce(Kind::taken_back, node, "resolved while it waited: it is not emptied");
    } else {
      announce(Kind::usable, node, "nothing is wrong with it any more");
    }
    return true;
  });
}

void Engine::request(Time now) {
  for (const auto& [key, condition] : conditions_) {
    if (condition.rule.action != Action::evacuate || condition.resolved_at || joined_.contains(key) ||
        now < condition.since + condition.rule.hold)
      continue;
    request_for(condition, key);
  }
}

void Engine::request_for(const Condition& condition, const std::string& key) {
  joined_.insert(key);
  const std::string& node = condition.notice.node;
  const auto [found, first] = evacuations_.try_emplace(node);
  Evacuation& evacuation = found->second;
  const std::string why = in_words(condition.notice);
  const bool again = evacuation.stage == Stage::failed || evacuation.stage == Stage::expired;
  if (first || again) {
    evacuation = {Stage::waiting, condition.deadline, {}, 0, why, condition.notice.source, ""};
    announce(Kind::requested, node, "is to be emptied: " + why, &condition);
  } else {
    evacuation.deadline = std::min(evacuation.deadline, condition.deadline);
    evacuation.cause += "; " + why;
  }
}

void Engine::expire(Time now) {
  for (auto& [node, evacuation] : evacuations_) {
    if (evacuation.stage != Stage::waiting || now < evacuation.deadline) continue;
    const std::string waited = evacuation.summary.empty() ? "" : "; it waited: " + evacuation.summary;
    evacuation.stage = Stage::expired;
    evacuation.summary = "its time was over before it was emptied" + waited;
    announce(Kind::expired, node, evacuation.summary + "; cause: " + evacuation.cause);
  }
}

/// Why the evacuation of this node must not begin now; empty: it may. One that has begun before has passed that.
std::string Engine::brake(const std::string& node, Time now) const {
  const auto running =
      std::ranges::count_if(evacuations_, [](const auto& one) { return one.second.stage == Stage::running; });
  if (running >= brakes_.at_once) return "evacuate_at_once = " + std::to_string(brakes_.at_once);
  if (evacuations_.at(node).attempts > 0) return "";
  const auto begun = std::ranges::count_if(starts_, [&](Time start) { return now < start + 1h; });
  if (begun >= brakes_.per_hour) return "per_hour = " + std::to_string(brakes_.per_hour);
  const auto left = std::ranges::count_if(nodes_, [&](const std::string& other) {
    const auto found = evacuations_.find(other);
    return other != node && (found == evacuations_.end() || found->second.attempts == 0);
  });
  if (left < brakes_.keep_nodes) return "keep_nodes = " + std::to_string(brakes_.keep_nodes);
  return "";
}

// The most urgent first.
std::vector<std::string> Engine::waiting(Time now) const {
  std::vector<std::string> nodes;
  for (const auto& [node, evacuation] : evacuations_) {
    if (evacuation.stage == Stage::waiting && now >= evacuation.not_before &&
        (evacuation.attempts > 0 || is_condemned(node, /*still=*/true)))
      nodes.push_back(node);
  }
  std::ranges::stable_sort(nodes, {}, [&](const std::string& node) { return evacuations_.at(node).deadline; });
  return nodes;
}

std::vector<Engine::Start> Engine::advance(Time now) {
  settle(now);
  expire(now);
  while (!starts_.empty() && now >= starts_.front() + 1h) starts_.pop_front();
  std::vector<Start> starts;
  for (const std::string& node : waiting(now)) {
    Evacuation& evacuation = evacuations_.at(node);
    const std::string held = brake(node, now);
    if (!held.empty()) {
      if (std::exchange(evacuation.summary, held) != held)
        announce(Kind::held, node, "waits because of the brake " + held);
      continue;
    }
    if (evacuation.attempts == 0) starts_.push_back(now);
    evacuation.stage = Stage::running;
    evacuation.summary.clear();
    starts.push_back({node, evacuation.deadline - now, evacuation.cause, evacuation.trigger, ++evacuation.attempts});
    announce(Kind::begun, node,
             "is being emptied within " + seconds(evacuation.deadline - now) + ", attempt " +
                 std::to_string(evacuation.attempts) + "; cause: " + evacuation.cause);
  }
  return starts;
}

void Engine::ended(const std::string& node, Outcome outcome, const std::string& summary, Time now) {
  const auto found = evacuations_.find(node);
  if (found == evacuations_.end() || found->second.stage != Stage::running) return;
  Evacuation& evacuation = found->second;
  evacuation.summary = summary;
  evacuation.not_before = now + retries_.pause;
  if (outcome == Outcome::emptied) {
    evacuation.stage = Stage::emptied;
    announce(Kind::emptied, node, summary + "; cause: " + evacuation.cause);
  } else if (outcome == Outcome::failed && evacuation.attempts < retries_.attempts &&
             evacuation.not_before < evacuation.deadline) {
    evacuation.stage = Stage::waiting;
    announce(Kind::retried, node, summary + "; again in " + seconds(retries_.pause));
  } else {
    evacuation.stage = Stage::failed;
    announce(Kind::given_up, node, summary + "; cause: " + evacuation.cause);
  }
}

void Engine::replay_notice(const Notice& notice, Time at) {
  settle(at);
  if (notice.firing) nodes_.insert(notice.node);  // it was known then
  take(notice, at);
  settle(at);
}

void Engine::replay_start(const std::string& node, Time at) {
  settle(at);
  const auto found = evacuations_.find(node);
  if (found == evacuations_.end() || found->second.stage == Stage::running) {
    starts_.push_back(at);  // its rule has gone, but it counts
    return;
  }
  if (found->second.attempts++ == 0) starts_.push_back(at);
  found->second.stage = Stage::running;
}

void Engine::replay_end(const std::string& node, Outcome outcome, const std::string& summary, Time at) {
  ended(node, outcome, summary, at);
  settle(at);
}

void Engine::go_on(Time now) {
  events_.clear();
  for (auto& [node, evacuation] : evacuations_) {
    if (evacuation.stage == Stage::running) {
      evacuation.stage = Stage::waiting;
      evacuation.not_before = now;
      evacuation.attempts = std::max(1, evacuation.attempts);
      announce(Kind::retried, node,
               "was being emptied when cppc-health ended: begins again; cause: " + evacuation.cause);
    }
  }
}

std::optional<Time> Engine::next(Time now) const {
  std::optional<Time> soonest;
  const auto consider = [&](Time time) {
    if (time > now && (!soonest || time < *soonest)) soonest = time;
  };
  for (const auto& [key, condition] : conditions_) {
    if (condition.resolved_at) consider(*condition.resolved_at + condition.rule.clear);
    if (!joined_.contains(key)) consider(condition.since + condition.rule.hold);
  }
  for (const auto& [node, evacuation] : evacuations_) {
    if (evacuation.stage != Stage::waiting) continue;
    consider(evacuation.not_before);
    consider(evacuation.deadline);
  }
  if (!starts_.empty()) consider(starts_.front() + 1h);
  return soonest;
}

std::set<std::string> Engine::avoided() const {
  std::set<std::string> nodes;
  for (const auto& [key, condition] : conditions_)
    if (condition.rule.action != Action::log) nodes.insert(condition.notice.node);
  for (const auto& [node, evacuation] : evacuations_) nodes.insert(node);
  return nodes;
}

}  // namespace cppc::health
