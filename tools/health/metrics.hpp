/// What cppc-health counts, for Prometheus. Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <string>

namespace cppc::health {

class Metrics {
 public:
  Metrics(const std::string& version, bool dry_run);
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  /// `action`: what the rule says, or what else became of it: joined, resolved, no-rule, unknown-node, too-many.
  void notice(const std::string& source, const std::string& action);
  /// Of one attempt. `trigger` is the notice's source.
  void evacuation(const std::string& trigger, const std::string& result, double seconds);
  void deadline_missed();
  void polled(const std::string& source, bool answered);
  void write_failed();
  void request(int status);
  /// How many nodes are in each of these states.
  void nodes(const std::map<std::string, int>& by_state);

  /// In Prometheus's text format.
  std::string text() const;

 private:
  struct Families;
  std::unique_ptr<Families> families_;
};

}  // namespace cppc::health
