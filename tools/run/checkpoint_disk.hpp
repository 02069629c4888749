/// What has to be done for checkpoints in a file system, which may take long: one after the other, on a thread.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <string>

#include "job.hpp"

namespace cppc::run {

class CheckpointDisk {
 public:
  ~CheckpointDisk();

  /// Makes what the job's agents have written a checkpoint, and tells: on the thread.
  void store(const Job::Description& job, const Migration& migration, std::function<void(const Result<void>&)> tell);
  void discard(const checkpoint::Draft& draft);
  /// Waits for all that has been asked for. From another thread.
  void settle();

 private:
  boost::asio::thread_pool thread_{1};
};

/// The directory of a new checkpoint of the job. Waits for the file system. `to` is empty for what cppc-run was told.
Result<checkpoint::Draft> begin_checkpoint(const Job& job, const std::string& to);

/// The directory of a new checkpoint of the job; then it is the job's. Waits for the file system. `to` is empty for
/// what cppc-run was told.
tl::expected<Migration, Job::Refusal> request_checkpoint(Job& job, const std::string& to, double timeout_s,
                                                         const Origin& origin = {});

}  // namespace cppc::run
