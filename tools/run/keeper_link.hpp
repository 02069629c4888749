/// cppc-run's connection to the keeper of a node: the standard input and output of the process that it has started
/// there, as tools/keeper/keeper.hpp says. Any thread of a process that ignores SIGPIPE.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "../common/result.hpp"
#include "cppc/unique_fd.hpp"

namespace cppc::run {

using tools::Result;

class KeeperLink {
 public:
  /// Runs the command, a remote shell's with the keeper's or the keeper's alone, and tells it the settings. It is no
  /// part of this process's session, so that signals of a terminal do not reach it.
  static Result<std::unique_ptr<KeeperLink>> start(const std::vector<std::string>& command,
                                                   const nlohmann::json& settings, std::chrono::milliseconds timeout);
  ~KeeperLink();
  KeeperLink(const KeeperLink&) = delete;
  KeeperLink& operator=(const KeeperLink&) = delete;

  /// Where other keepers reach it.
  const std::string& addresses() const { return addresses_; }
  bool alive() const;

  /// The keeper's answer, without waiting longer, or when `wanted` says no.
  Result<nlohmann::json> ask(nlohmann::json request, std::chrono::milliseconds timeout,
                             const std::function<bool()>& wanted = nullptr);

  /// The keeper is lost, or its node: whoever waits for it is told so.
  void lose();
  /// The keeper is to end. Waits a little for that.
  void quit();

 private:
  KeeperLink(pid_t process, UniqueFd input, UniqueFd output, UniqueFd errors, UniqueFd given_up);
  Result<nlohmann::json> await(std::uint64_t id, std::chrono::milliseconds timeout,
                               const std::function<bool()>& wanted);
  Result<void> send(const nlohmann::json& object);
  void read();
  bool read_answers(std::string& text);
  void take(const std::string& line);

  const pid_t process_;
  UniqueFd input_, output_, errors_;  // the keeper's
  const UniqueFd given_up_;           // an event that wakes the reader
  std::string addresses_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool alive_ = true;
  std::uint64_t last_id_ = 0;                        // 0 is that of the first line
  std::map<std::uint64_t, nlohmann::json> answers_;  // that nobody has taken yet
  std::map<std::uint64_t, bool> awaited_;
  std::mutex writing_;
  std::thread reader_;
};

}  // namespace cppc::run
