/// What has to be done for checkpoints in a file system or in keepers' memory, which may take long: one after the
/// other, on a thread.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <string>

#include "job.hpp"

namespace cppc::run {

class CheckpointStorage {
 public:
  ~CheckpointStorage();

  /// Makes what the job's agents have written a checkpoint, and tells: on the thread.
  void store(const Job::Description& job, const Migration& migration,
             std::function<void(const Result<void>&)> on_stored);
  void discard(const Job::Description& job, const checkpoint::Draft& draft);
  /// Has something else done on it, after what has been asked for.
  void then(std::function<void()> function);
  /// Waits for all that has been asked for. From another thread.
  void settle();

 private:
  boost::asio::thread_pool thread_{1};
};

/// Begins a new checkpoint of the job. Waits for the file system, or keepers. `to` is empty for where cppc-run was
/// told.
Result<checkpoint::Draft> begin_checkpoint(const Job& job, const std::string& to);
/// Images to be relocated with. `to` is empty for the nodes' memory where the job has keepers, else for where cppc-run
/// was told.
Result<checkpoint::Draft> begin_relocation(const Job& job, const std::string& to);
/// One that has been begun and that the job does not have.
void discard_checkpoint(const Job& job, const checkpoint::Draft& draft);

/// Begins a new checkpoint of the job; then it is the job's. Waits for the file system, or keepers. `to` is empty for
/// where cppc-run was told.
tl::expected<Migration, Job::Refusal> request_checkpoint(Job& job, const std::string& to, double timeout_s,
                                                         const Origin& origin = {});

}  // namespace cppc::run
