/// A running job's interface (see tools/run/api.hpp), from outside.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "../common/result.hpp"

namespace cppc::migrate {

using tools::Result;

struct Answer {
  int status = 0;  ///< of HTTP; 0: nobody answered
  nlohmann::json body;

  /// The job's own words, if it refused.
  std::string error() const;
};

class JobClient {
 public:
  explicit JobClient(std::filesystem::path socket) : socket_(std::move(socket)) {}

  Answer job() const;
  Answer post_migration(const nlohmann::json& request) const;
  Answer migration(std::uint64_t id) const;
  Answer cancel(std::uint64_t id) const;
  /// Whether the job has ended, rather than not answered in time.
  bool gone() const;

 private:
  Answer get(const std::string& path) const;
  std::filesystem::path socket_;
};

struct RunningJob {
  std::string id;
  JobClient client;
  nlohmann::json description;  ///< as GET /v1/job has it
};

/// This user's jobs whose cppc-run runs on this machine. What jobs that died have left is removed.
Result<std::vector<RunningJob>> running_jobs();

// Fields of answers; a default when the field is missing or of another type.
std::string text(const nlohmann::json& object, const char* field);
double number(const nlohmann::json& object, const char* field);
std::uint64_t whole_number(const nlohmann::json& object, const char* field);
const nlohmann::json& list(const nlohmann::json& object, const char* field);

}  // namespace cppc::migrate
