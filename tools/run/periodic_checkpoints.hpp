/// Makes a checkpoint of a job again and again.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "job.hpp"

namespace cppc::run {

class PeriodicCheckpoints {
 public:
  /// Every `interval` from the moment the job runs on, unless the one before is not done yet. On a thread of its own;
  /// the job, which has a directory for checkpoints, has to outlive this.
  PeriodicCheckpoints(Job& job, std::chrono::milliseconds interval);
  ~PeriodicCheckpoints();

 private:
  void run(const std::stop_token& stop);
  bool rest(const std::stop_token& stop, std::chrono::milliseconds time);
  void save(const std::stop_token& stop);
  void warn(const std::string& reason);

  Job& job_;
  const std::chrono::milliseconds interval_;
  bool told_ = false;
  std::string reason_;  ///< why there was no checkpoint the last time; empty: there was one
  std::mutex mutex_;
  std::condition_variable_any stopped_;
  std::jthread thread_;
};

}  // namespace cppc::run
