/// cppc-health at work: takes notices, decides, records, and has nodes emptied. Thread-safe.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>

#include "configuration.hpp"
#include "event_log.hpp"
#include "journal.hpp"
#include "metrics.hpp"

namespace cppc::health {

/// How an attempt to empty a node ended.
struct Report {
  Outcome outcome = Outcome::failed;
  std::string result;   ///< a word for metrics
  std::string summary;  ///< for people
};

struct Task {
  Engine::Start start;
  std::set<std::string> avoid;                       ///< nodes that no rank is to be moved to
  std::function<void(const std::string&)> announce;  ///< what is to be known before it has ended
  std::stop_token stop;                              ///< cppc-health ends
};
/// Tries to empty a node, and returns when that has ended. Called on a thread of its own.
using Evacuate = std::function<Report(const Task&)>;

class Daemon {
 public:
  /// Goes on from the journal. An error says what the operator has to do.
  static Result<std::unique_ptr<Daemon>> start(const Configuration& configuration, Evacuate evacuate,
                                               const std::string& version);
  /// What is being emptied goes on; whoever starts next looks after it.
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  /// On the disk when it returns without an error; evacuations begin afterwards, whether or not it is.
  Result<void> take(const std::vector<Notice>& notices);
  /// Something that an operator has asked of a job, for the audit log and those who watch.
  void asked(const std::string& text);
  void set_nodes(std::set<std::string> nodes);
  /// Notices of a source that fire.
  std::vector<Notice> firing(const std::string& source);
  /// Whether a source has answered; `failure` is logged when that has changed.
  void polled(const std::string& source, const std::string& failure);

  nlohmann::json state();
  Metrics& metrics() { return metrics_; }
  std::string metrics_text();
  tools::EventLog& events() { return event_log_; }

 private:
  Daemon(const Configuration& configuration, Evacuate evacuate, const std::string& version, UniqueFd lock);
  Result<void> open_files(const std::filesystem::path& directory);
  void loop(const std::stop_token& stop);
  void begin(const Engine::Start& start);
  void empty(const Engine::Start& start, std::set<std::string> avoid, const std::stop_token& stop);
  void count(const Notice& notice, const std::vector<Event>& events, bool changed);
  void publish(const std::vector<Event>& events);
  void announce(const std::string& kind, const std::string& node, const std::string& text);
  std::string show(const std::string& kind, const std::string& node, const std::string& text);
  Result<void> record(const std::vector<nlohmann::json>& records, Time now);
  void check(const Result<void>& written);

  struct Poll {
    std::string last_answer, failure;
  };

  const Site site_;
  const Evacuate evacuate_;
  const UniqueFd lock_;
  Metrics metrics_;
  tools::EventLog event_log_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::uint64_t wakes_ = 0;  // how often there was something new
  Engine engine_;
  std::optional<Journal> journal_;
  std::optional<AppendFile> audit_;
  bool write_failed_ = false;  // and that has been said
  std::map<std::string, Poll> polls_;
  std::map<std::string, std::jthread> runs_;  // by node
  std::jthread loop_;
};

}  // namespace cppc::health
