/// Sessions of browsers: who has logged in with the token is known by a cookie afterwards. Thread-safe.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace cppc::tools {

class Sessions {
 public:
  using Time = std::chrono::steady_clock::time_point;

  struct Session {
    std::string id;    ///< the cookie's value
    std::string csrf;  ///< which the page's own requests show as well
    Time until;
  };

  /// Good for twelve hours. When there are too many, the oldest ends.
  Session open(Time now);
  /// Whether there is one with these two.
  bool is_open(const std::string& id, const std::string& csrf, Time now);
  void close(const std::string& id);

 private:
  std::mutex mutex_;
  std::deque<Session> sessions_;  // the oldest first
};

/// Addresses from which wrong tokens come. Thread-safe.
class FailedLogins {
 public:
  using Time = Sessions::Time;

  /// Whether more than ten came from there within a minute: nothing else is looked at until that is over.
  bool too_many(const std::string& address, Time now);
  void add(const std::string& address, Time now);

 private:
  void forget(Time now);

  std::mutex mutex_;
  std::map<std::string, std::deque<Time>> failures_;
};

}  // namespace cppc::tools
