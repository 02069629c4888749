/// What cppc-run --resume needs of a job whose cppc-run has ended without a word: a file for the user alone in the
/// directory of his jobs (job_directory.hpp), as long as the job runs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "allocation.hpp"

namespace cppc::run {

struct ResumeRecord {
  std::string job;
  std::string key;                     ///< of its keepers
  std::string directory;               ///< in which it was started
  std::vector<std::string> arguments;  ///< of cppc-run
  std::vector<AllocatedNode> nodes;    ///< as of its last start
};

/// The error names the jobs that can be resumed, if there are some.
Result<ResumeRecord> read_resume_record(const std::filesystem::path& directory, const std::string& job);

/// The file, removed at the end.
class ResumeFile {
 public:
  ResumeFile(std::filesystem::path directory, ResumeRecord record);
  ResumeFile(const ResumeFile&) = delete;
  ResumeFile& operator=(const ResumeFile&) = delete;
  ~ResumeFile();

  /// The job is about to be started on these. A file that cannot be written is only warned of: the job goes on.
  void write(const std::vector<AllocatedNode>& nodes);

  /// It stays when this goes: the job can be resumed.
  void keep() { kept_ = true; }

 private:
  const std::filesystem::path directory_;
  ResumeRecord record_;
  bool kept_ = false;
};

}  // namespace cppc::run
