/// A running job's interface (see tools/run/api.hpp), from outside.
#pragma once

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "route.hpp"

namespace cppc::migrate {

struct Answer {
  int status = 0;  ///< of HTTP; 0: nobody answered
  nlohmann::json body;
  std::string failure;  ///< why nobody answered

  /// The job's own words, if it refused.
  std::string error() const;
};

using Clock = std::chrono::steady_clock;

/// When what was asked for has to be done, if the user has said so.
using Deadline = std::optional<Clock::time_point>;

/// How much later the user is told, at the latest: until then a job may confirm that it has cancelled a migration.
constexpr std::chrono::milliseconds cancel_timeout{900};

constexpr std::chrono::milliseconds slurm_timeout{30'000};

/// `longest`, or less where that would be later than `cancel_timeout` after the deadline; never nothing.
std::chrono::milliseconds left_until(Deadline deadline, std::chrono::milliseconds longest);

/// No function waits longer than until the deadline and `cancel_timeout`.
class JobClient {
 public:
  explicit JobClient(std::shared_ptr<const Route> route, Deadline deadline = {})
      : route_(std::move(route)), deadline_(deadline) {}
  explicit JobClient(std::filesystem::path socket, Deadline deadline = {})
      : JobClient(by_socket(std::move(socket)), deadline) {}

  Answer job() const;
  Answer post_migration(const nlohmann::json& request) const;
  /// Before the deadline it waits until then only: there has to be time to cancel.
  Answer migration(std::uint64_t id) const;
  Answer cancel(std::uint64_t id) const;
  /// In Chrome's trace format.
  Answer trace(std::uint64_t id) const;
  /// All that there have been.
  Answer migrations() const;
  /// Whether the deadline has passed.
  bool late() const { return deadline_ && Clock::now() >= *deadline_; }
  /// And no time is left for a confirmation.
  bool too_late() const { return deadline_ && Clock::now() >= *deadline_ + cancel_timeout; }
  /// Whether the job has ended, rather than not answered in time.
  bool gone() const;
  /// Between requests that ask how things are.
  std::chrono::milliseconds pause() const { return route_->pause(); }

 private:
  Answer ask(const std::string& method, const std::string& path, const std::string& body,
             std::chrono::milliseconds longest) const;
  std::shared_ptr<const Route> route_;
  Deadline deadline_;
};

struct RunningJob {
  std::string id;
  JobClient client;
  nlohmann::json description;  ///< as GET /v1/job has it
  std::string user;            ///< whose it is; empty: not known
};

struct RunningJobs {
  std::vector<RunningJob> jobs;
  std::vector<std::string> silent;  ///< others that run, but do not answer: for people
  bool starting = false;            ///< one of these has just been started, perhaps
};

/// The jobs whose cppc-run runs on this machine: the caller's; with `everybody`, if the caller is root, those of all
/// users. What the caller's jobs that died have left is removed.
Result<RunningJobs> running_jobs(bool everybody, Deadline deadline);

struct Unanswered {
  int status = 0;  ///< of HTTP; 0: nobody answered
  std::string reason;
};

/// The job at the other end of the route.
tl::expected<RunningJob, Unanswered> job_at(const std::shared_ptr<const Route>& route, Deadline deadline);

// Fields of answers; a default when the field is missing or of another type. Texts are without control characters: jobs
// of other users may say anything, to the terminal of root, too.
std::string text(const nlohmann::json& object, const char* field);
double number(const nlohmann::json& object, const char* field);
std::uint64_t whole_number(const nlohmann::json& object, const char* field);
const nlohmann::json& list(const nlohmann::json& object, const char* field);

}  // namespace cppc::migrate
