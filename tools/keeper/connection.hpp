/// The connection to cppc-run: its requests and the answers to them, one JSON object a line. That is standard input and
/// output; when cppc-run has ended without a word, a socket of another one that takes up the job.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cppc/unique_fd.hpp"
#include "image.hpp"

namespace cppc::keeper {

class Connection {
 public:
  /// One thread at a time. None: cppc-run has ended, or has not been heard of for so long.
  std::optional<nlohmann::json> next(std::chrono::seconds timeout);

  /// Whether it has ended, after a next() that had none.
  [[nodiscard]] bool ended() const { return ended_; }

  /// From any thread. Who does not read it has gone.
  void send(const nlohmann::json& object);

  /// The thread of next(), when cppc-run has ended. False: nobody has taken up the job.
  bool await_successor(std::chrono::seconds timeout);

  /// From any thread: the end for another cppc-run. An error while nobody waits for one.
  Result<UniqueFd> adopt();

 private:
  bool read_more(std::chrono::seconds timeout);

  int input_ = 0;
  std::string text_;
  bool ended_ = false;
  std::mutex sending_;
  int output_ = 1;
  std::mutex adopting_;
  std::condition_variable adopted_;
  bool waits_ = false;
  UniqueFd successor_;  ///< the present connection, or the next one
};

}  // namespace cppc::keeper
