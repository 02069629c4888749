/// The jobs whose cppc-run is on this machine: of everybody, when cppc-health is root. Their users may have them say
/// anything: only what is expected of an answer is passed on.
#pragma once

#include <chrono>
#include <mutex>
#include <nlohmann/json.hpp>

#include "http_message.hpp"

namespace cppc::health {

class Jobs {
 public:
  /// {"jobs":[{"job","program","state","user","allocation","controller","nodes":[...],"history":[...]}],"silent":[...]}:
  /// "history" are its migrations, "silent" says which jobs do not answer. Of a second ago at most. From any thread,
  /// may wait for some seconds.
  nlohmann::json all();

  /// Passes a request for migrations on to the job: `rest` is what follows "/v1/migrations" in its path.
  tools::HttpAnswer pass_on(const std::string& job, const tools::HttpRequest& request, const std::string& rest);

 private:
  std::mutex mutex_;
  std::chrono::steady_clock::time_point looked_{};
  nlohmann::json known_;
};

}  // namespace cppc::health
