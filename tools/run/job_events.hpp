/// What happens in a job, as server-sent events, for those who watch: "job" when its state changes, "node" for each
/// that has changed and "migration", all as the interface describes them (api_json.hpp).
#pragma once

#include <nlohmann/json.hpp>

#include "event_log.hpp"
#include "job.hpp"

namespace cppc::run {

class JobEvents {
 public:
  /// `job` has to outlive it.
  explicit JobEvents(const Job& job);

  /// Tells what is new since the last call. Not from two threads at a time.
  void publish();

  tools::EventLog& log() { return log_; }

 private:
  void publish_nodes(const Job::View& view);
  void publish_migrations();

  const Job& job_;
  tools::EventLog log_;
  std::string state_;
  nlohmann::json nodes_ = nlohmann::json::array();
  std::map<std::uint64_t, nlohmann::json> open_;  // migrations as they were told last
  std::uint64_t first_open_ = 1;                  // those before are over, and that has been told
};

}  // namespace cppc::run
