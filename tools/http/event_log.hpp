/// What has happened last, for those who watch: server-sent events, which can be resumed. Thread-safe.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>

#include "http_message.hpp"

namespace cppc::tools {

class EventLog {
 public:
  /// `run` tells this process from another: its events have other ids. Not more than `most_watchers` may watch.
  EventLog(std::string run, int most_watchers);
  ~EventLog() { close(); }

  void add(const std::string& type, const nlohmann::json& data);

  /// From after the event with this id; all that is kept when it is empty or not known any more. Null: too many watch.
  std::shared_ptr<HttpStream> watch(const std::string& last_event_id);

  /// Has to be called every 15 s or so: those who wait hear that they are not forgotten, those who have gone are.
  void beat();

  /// No more will come.
  void close();

 private:
  class Watcher;
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace cppc::tools
