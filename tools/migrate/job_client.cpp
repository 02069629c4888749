#include "job_client.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>

#include "../common/job_directory.hpp"
#include "../common/user_name.hpp"
#include "job_places.hpp"

namespace cppc::migrate {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

// Only a very busy one takes that long.
constexpr std::chrono::milliseconds timeout = 60s;
// A request that must not be made twice: the connection says so if cppc-run dies, so there is no harm in waiting.
constexpr std::chrono::milliseconds requests_timeout = 1h;

void remove_sockets(const std::filesystem::path& directory, const std::string& job) {
  std::error_code ignored;  // somebody else has removed them
  std::filesystem::remove(tools::api_socket(directory, job), ignored);
  std::filesystem::remove(tools::launch_socket(directory, job), ignored);
}

// A cppc-run that has no socket yet; or whose socket has been removed: nobody can ask for its job any more.
void add_silent(RunningJobs& running, const std::vector<Runner>& runners) {
  for (const Runner& runner : runners) {
    const std::string user = tools::user_name(runner.user);
    const bool answered = std::ranges::any_of(running.jobs, [&](const RunningJob& job) {
      return job.user == user && whole_number(job.description, "pid") == static_cast<std::uint64_t>(runner.own_process);
    });
    if (answered || !is_at_work(runner)) continue;
    running.silent.push_back("the job of process " + std::to_string(runner.process) + " of " + user);
    running.starting = running.starting || may_be_starting(runner);
  }
}

// To find out whether anybody listens at all.
constexpr std::chrono::milliseconds connection_timeout = 10s;

std::chrono::milliseconds until(Clock::time_point end, std::chrono::milliseconds longest) {
  return std::clamp(std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()), 1ms, longest);
}

std::string migration_path(std::uint64_t id) { return "/v1/migrations/" + std::to_string(id); }

}  // namespace

std::chrono::milliseconds left_until(Deadline deadline, std::chrono::milliseconds longest) {
  return deadline ? until(*deadline + cancel_timeout, longest) : longest;
}

std::string Answer::error() const { return text(body, "error"); }

Answer JobClient::ask(const std::string& method, const std::string& path, const std::string& body,
                      std::chrono::milliseconds longest) const {
  const auto authorization = route_->authorization(method, path);
  if (!authorization) return {0, {}, authorization.error()};
  HttpRequest request{method, path, {}, body};
  if (!authorization->empty()) request.headers.emplace_back("Authorization", *authorization);
  if (!body.empty()) request.headers.emplace_back("Content-Type", "application/json");
  const HttpReply reply = route_->ask(request, left_until(deadline_, longest));
  if (reply.status == 0) return {0, {}, reply.failure};
  return {reply.status, json::parse(reply.body, nullptr, /*allow_exceptions=*/false), ""};
}

bool JobClient::gone() const { return route_->gone(left_until(deadline_, connection_timeout)); }

// Twice: after a pause of the machine the time for an answer may be over before cppc-run had any.
Answer JobClient::job() const {
  Answer answer = ask("GET", "/v1/job", "", timeout);
  return answer.status != 0 || gone() ? answer : ask("GET", "/v1/job", "", timeout);
}

Answer JobClient::post_migration(const json& request) const {
  return ask("POST", "/v1/migrations", request.dump(), requests_timeout);
}

Answer JobClient::migration(std::uint64_t id) const {
  return ask("GET", migration_path(id), "", deadline_ && !late() ? until(*deadline_, timeout) : timeout);
}

Answer JobClient::cancel(std::uint64_t id) const { return ask("DELETE", migration_path(id), "", timeout); }

Answer JobClient::trace(std::uint64_t id) const { return ask("GET", migration_path(id) + "/trace", "", timeout); }

Answer JobClient::migrations() const { return ask("GET", "/v1/migrations", "", timeout); }

tl::expected<RunningJob, Unanswered> job_at(const std::shared_ptr<const Route>& route, Deadline deadline) {
  JobClient client(route, deadline);
  Answer answer = client.job();
  if (answer.status == 200) return RunningJob{text(answer.body, "job"), client, std::move(answer.body), ""};
  return tl::unexpected(Unanswered{answer.status, answer.status == 0 ? answer.failure : answer.error()});
}

Result<RunningJobs> running_jobs(bool everybody, Deadline deadline) {
  const auto found = job_places(everybody);
  if (!found) return tools::error(found.error());
  RunningJobs running;
  for (const JobPlace& place : found->places) {
    for (const std::string& id : tools::jobs_in(place.directory)) {
      JobClient client(tools::api_socket(place.directory, id), deadline);
      Answer answer = client.job();
      const std::string user = tools::user_name(place.user);
      if (answer.status == 200) {
        running.jobs.push_back({id, client, std::move(answer.body), user});
      } else if (!client.gone()) {
        running.silent.push_back("job " + id + " of " + user);
      } else if (place.user == geteuid()) {
        remove_sockets(place.directory, id);
      }
    }
  }
  add_silent(running, found->runners);
  return running;
}

std::string text(const json& object, const char* field) {
  const bool there = object.is_object() && object.contains(field) && object[field].is_string();
  std::string text = there ? object[field].get<std::string>() : "";
  std::ranges::replace_if(
      text, [](unsigned char c) { return std::iscntrl(c) != 0; }, '?');
  return text;
}

double number(const json& object, const char* field) {
  const bool there = object.is_object() && object.contains(field) && object[field].is_number();
  return there ? object[field].get<double>() : 0;
}

std::uint64_t whole_number(const json& object, const char* field) {
  const bool there = object.is_object() && object.contains(field) && object[field].is_number_unsigned();
  return there ? object[field].get<std::uint64_t>() : 0;
}

const json& list(const json& object, const char* field) {
  static const json none = json::array();
  const bool there = object.is_object() && object.contains(field) && object[field].is_array();
  return there ? object[field] : none;
}

}  // namespace cppc::migrate
