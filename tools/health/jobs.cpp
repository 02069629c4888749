#include "jobs.hpp"

#include <algorithm>
#include <charconv>

#include "job_client.hpp"

namespace cppc::health {
namespace {

using migrate::Answer;
using migrate::JobClient;
using migrate::list;
using migrate::number;
using migrate::whole_number;
using nlohmann::json;
using tools::error_answer;
using tools::HttpAnswer;
using namespace std::chrono_literals;

constexpr auto jobs_timeout = 5s;
constexpr auto good_for = 1s;

json texts_of(const json& object, std::initializer_list<const char*> fields) {
  json texts = json::object();
  for (const char* field : fields)
    if (std::string text = migrate::text(object, field); !text.empty()) texts[field] = std::move(text);
  return texts;
}

json whole_numbers_in(const json& values) {
  json numbers = json::array();
  for (const json& one : values)
    if (one.is_number_unsigned()) numbers.push_back(one);
  return numbers;
}

json node_of(const json& reply) {
  json node = texts_of(reply, {"node", "host", "state", "release", "release_text"});
  node["ranks"] = whole_numbers_in(list(reply, "ranks"));
  node["slots"] = whole_number(reply, "slots");
  return node;
}

json moves_of(const json& reply) {
  json moves = json::array();
  for (const json& one : list(reply, "moves")) {
    json move = texts_of(one, {"from", "to"});
    move["rank"] = whole_number(one, "rank");
    moves.push_back(std::move(move));
  }
  return moves;
}

json migration_of(const json& reply) {
  json migration = texts_of(reply, {"state", "kind", "evacuate", "requested_at", "release", "release_text"});
  migration["reason"] = migrate::text(reply, "reason");
  migration["moves"] = moves_of(reply);
  for (const char* field : {"id", "bytes_done", "bytes_total", "image_bytes"})
    migration[field] = whole_number(reply, field);
  for (const char* field : {"seconds", "frozen_ms", "response_ms", "evacuation_ms", "rebuild_ms"})
    migration[field] = number(reply, field);
  for (const char* field : {"bytes_per_second", "seconds_left"})
    if (reply.contains(field)) migration[field] = number(reply, field);
  json& messages = migration["messages"] = json::array();
  for (const json& one : list(reply, "messages")) messages.push_back(migrate::text({{"text", one}}, "text"));
  return migration;
}

json job_of(const migrate::RunningJob& running) {
  json job = texts_of(running.description, {"program", "state", "controller", "allocation"});
  job["job"] = running.id;
  job["user"] = running.user;
  json& nodes = job["nodes"] = json::array();
  for (const json& one : list(running.description, "nodes")) nodes.push_back(node_of(one));
  json& history = job["history"] = json::array();
  const Answer migrations = running.client.migrations();
  for (const json& one : list(migrations.body, "migrations")) history.push_back(migration_of(one));
  return job;
}

HttpAnswer answer(int status, const json& body) {
  return {status, body.dump(-1, ' ', false, json::error_handler_t::replace) + "\n"};
}

HttpAnswer passed(const Answer& reply, bool whole = false) {
  if (reply.status == 0) return error_answer(503, "the job does not answer");
  if (reply.status >= 400) return error_answer(reply.status, reply.error());
  if (whole) return answer(reply.status, reply.body);
  return answer(reply.status,
                reply.body.contains("id") ? migration_of(reply.body) : json{{"moves", moves_of(reply.body)}});
}

}  // namespace

json Jobs::all() {
  const std::scoped_lock lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (!known_.is_null() && now - looked_ < good_for) return known_;
  known_ = {{"jobs", json::array()}, {"silent", json::array()}};
  const auto running = migrate::running_jobs(/*everybody=*/true, now + jobs_timeout);
  if (running) {
    for (const migrate::RunningJob& job : running->jobs) known_["jobs"].push_back(job_of(job));
    for (const std::string& one : running->silent) known_["silent"].push_back(one);
  } else {
    known_["silent"].push_back(running.error());
  }
  looked_ = std::chrono::steady_clock::now();
  return known_;
}

HttpAnswer Jobs::pass_on(const std::string& job, const tools::HttpRequest& request, const std::string& rest) {
  const auto running = migrate::running_jobs(/*everybody=*/true, std::chrono::steady_clock::now() + jobs_timeout);
  if (!running) return error_answer(503, running.error());
  const auto found = std::ranges::find(running->jobs, job, &migrate::RunningJob::id);
  if (found == running->jobs.end()) return error_answer(404, "there is no job " + job + ", or it does not answer");
  {
    const std::scoped_lock lock(mutex_);
    known_ = nullptr;
  }
  const JobClient& client = found->client;
  if (rest.empty() && request.method == "POST") {
    const json body = json::parse(request.body, nullptr, /*allow_exceptions=*/false);
    return body.is_object() ? passed(client.post_migration(body)) : error_answer(400, "the request is no JSON object");
  }
  std::uint64_t id = 0;
  const char* const end = rest.data() + rest.size();
  const auto [after, failure] = std::from_chars(rest.data() + (rest.starts_with('/') ? 1 : 0), end, id);
  const std::string what(after, end);
  const bool names_one = rest.starts_with('/') && failure == std::errc{};
  if (names_one && what.empty() && request.method == "DELETE") return passed(client.cancel(id));
  if (names_one && what == "/trace" && request.method == "GET") return passed(client.trace(id), /*whole=*/true);
  return error_answer(404, request.method + " " + request.path + " is not served");
}

}  // namespace cppc::health
