/// Decides which node is emptied, and when: rules, holds, deadlines, brakes, retries. It does nothing itself and looks
/// at no clock: the time is handed in, and must never go back. Not thread-safe.
#pragma once

#include <deque>
#include <set>
#include <vector>

#include "rule.hpp"

namespace cppc::health {

/// Since when does not matter, as long as it is always the same.
using Time = std::chrono::milliseconds;

/// A wrong alert must not empty the cluster.
struct Brakes {
  int at_once = 1;     ///< nodes that are being emptied
  int per_hour = 4;    ///< nodes whose evacuation begins
  int keep_nodes = 1;  ///< that have to be left
};

struct Retries {
  int attempts = 3;
  Time pause{10'000};
};

/// How one attempt to empty a node ended.
enum class Outcome { emptied, failed, hopeless };

/// What has happened, for the log, the audit log, metrics and those who watch.
struct Event {
  enum class Kind {
    noticed,
    unknown_node,
    no_rule,
    too_many,
    cleared,
    requested,
    held,
    begun,
    emptied,
    retried,
    given_up,
    expired,
    taken_back,
    usable
  };
  Kind kind;
  std::string node, text;
  std::string source, action;  ///< of the notice, if it is about one
};

const char* text(Event::Kind kind);

/// Something that is wrong, or was until a short time ago.
struct Condition {
  Notice notice;
  Rule rule;
  Time since{};
  Time deadline{};                  ///< of an evacuation
  std::optional<Time> resolved_at;  ///< and it fires no more
};

struct Evacuation {
  enum class Stage { waiting, running, emptied, failed, expired };
  Stage stage = Stage::waiting;
  Time deadline{};
  Time not_before{};
  int attempts = 0;
  std::string cause;    ///< notices, for people
  std::string trigger;  ///< source of the first of them
  std::string summary;  ///< why it waits, or how it ended
};

const char* text(Evacuation::Stage stage);

class Engine {
 public:
  Engine(std::vector<Rule> rules, Brakes brakes, Retries retries)
      : rules_(std::move(rules)), brakes_(brakes), retries_(retries) {}

  /// Those of the cluster. Notices of others are not for it.
  void set_nodes(std::set<std::string> nodes) { nodes_ = std::move(nodes); }

  /// With the node's name as the cluster has it, if it is known without its domain.
  Notice named(Notice notice) const;

  /// Whether that has changed anything: the same said again does not. The notice is as named() returns it.
  bool take(const Notice& notice, Time now);

  struct Start {
    std::string node;
    Time left{};  ///< until the deadline
    std::string cause;
    std::string trigger;  ///< source of the first notice
    int attempt = 1;
  };
  /// The evacuations to begin now, which count as begun.
  std::vector<Start> advance(Time now);
  /// Of one that advance() has begun.
  void ended(const std::string& node, Outcome outcome, const std::string& summary, Time now);

  /// Takes what was recorded in another life: a notice that changed something, an evacuation that began or ended.
  void replay_notice(const Notice& notice, Time at);
  void replay_start(const std::string& node, Time at);
  void replay_end(const std::string& node, Outcome outcome, const std::string& summary, Time at);
  /// After that: what was under way is to be begun again.
  void go_on(Time now);

  /// When advance() may have something to do, if nothing happens before.
  std::optional<Time> next(Time now) const;

  /// Nodes that no rank is to be moved to.
  std::set<std::string> avoided() const;
  const std::set<std::string>& nodes() const { return nodes_; }
  const std::map<std::string, Condition>& conditions() const { return conditions_; }     ///< by source and key
  const std::map<std::string, Evacuation>& evacuations() const { return evacuations_; }  ///< by node
  /// What has happened since the last call.
  std::vector<Event> events() { return std::exchange(events_, {}); }

 private:
  bool add(const Notice& notice, const Rule& rule, Time now);
  bool resolve(Condition& condition, Time now);
  void settle(Time now);
  void drop_cleared(Time now);
  void take_back();
  void request(Time now);
  void request_for(const Condition& condition, const std::string& key);
  void expire(Time now);
  std::string brake(const std::string& node, Time now) const;
  std::vector<std::string> waiting(Time now) const;
  bool is_condemned(const std::string& node, bool still) const;  // still: leaving out what is resolved for a short time
  void announce(Event::Kind kind, const std::string& node, const std::string& text, const Condition* about = nullptr);

  std::vector<Rule> rules_;
  Brakes brakes_;
  Retries retries_;
  std::set<std::string> nodes_;
  std::map<std::string, Condition> conditions_;
  std::map<std::string, Evacuation> evacuations_;
  std::set<std::string> joined_;   // conditions that have asked for an evacuation
  std::set<std::string> unknown_;  // nodes of which that has been said
  std::deque<Time> starts_;        // of the last hour
  std::vector<Event> events_;
};

}  // namespace cppc::health
