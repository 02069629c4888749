#include "migration_request.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "cppc/status.h"
#include "progress.hpp"

namespace cppc::migrate {
namespace {

using nlohmann::json;

json to_json(const Request& request) {
  json body = json::object();
  if (!request.ranks.empty()) body["ranks"] = request.ranks;
  if (!request.evacuate.empty()) body["evacuate"] = request.evacuate;
  if (!request.to.empty()) body["to"] = request.to;
  if (!request.avoid.empty()) body["avoid"] = request.avoid;
  if (!request.add.empty()) body["add"] = request.add;
  if (!request.restore.empty()) body["restore"] = request.restore;
  if (!request.images.empty()) body["images"] = request.images;
  if (request.checkpoint) body["checkpoint"] = *request.checkpoint;
  if (!request.why.empty()) body["why"] = request.why;
  if (request.dry_run) body["dry_run"] = true;
  if (request.keep_node) body["keep_node"] = true;
  if (request.timeout_s) body["timeout_s"] = *request.timeout_s;
  return body;
}

bool is_over(const std::string& state) {
  return state == "done" || state == "failed" || state == "refused" || state == "damaged";
}

}  // namespace

void MigrationRequest::poll() {
  if (ending_) return;
  accepted() ? follow() : ask();
}

void MigrationRequest::ask() {
  Answer answer = job_.client.post_migration(to_json(request_));
  switch (answer.status) {
    case 200:
      ending_ = Ending{Exit::done, "", std::move(answer.body)};
      return;
    case 202:
      id_ = whole_number(answer.body, "id");
      migration_ = std::move(answer.body);
      if (is_over(text(migration_, "state"))) conclude();
      return;
    case 503:  // a dry run has to wait until the job has started
      if (job_.client.late()) end(Exit::timeout, "the job is still starting");
      return;
    case 400:
      return end(Exit::wrong_usage, answer.error());
    case 0:
      return job_.client.gone() ? end(Exit::refused, "job " + job_.id + " has ended")
                                : end(job_.client.late() ? Exit::timeout : Exit::failed,
                                      "cppc-run of job " + job_.id + " does not answer; see migrate status");
    default:
      return end(Exit::refused, "refused: " + answer.error());
  }
}

void MigrationRequest::follow() {
  if (job_.client.late() && !std::exchange(cancelled_, true)) job_.client.cancel(id_);
  Answer answer = job_.client.migration(id_);
  const bool busy = answer.status == 0 && !job_.client.gone();
  if (!busy && answer.status != 200)
    return end(Exit::damaged, "job " + job_.id + " has ended without a word about the migration");
  if (!busy) migration_ = std::move(answer.body);
  if (is_over(text(migration_, "state"))) return conclude();
  if (!job_.client.too_late()) return;
  ending_ =
      Ending{Exit::timeout, "cancelled, but the job has not confirmed it: " + text(migration_, "state"), migration_};
}

void MigrationRequest::end(Exit how, const std::string& reason) { ending_ = Ending{how, reason, {{"error", reason}}}; }

void MigrationRequest::conclude() {
  const std::string state = text(migration_, "state"), reason = text(migration_, "reason");
  const auto status = static_cast<cppc_status>(whole_number(migration_, "status"));
  const bool in_time =
      !request_.timeout_s || (status != CPPC_ERR_TIMEOUT && (status != CPPC_ERR_CANCELLED || !job_.client.late()));
  ending_ = state == "done"      ? Ending{Exit::done, "", migration_}
            : state == "refused" ? Ending{Exit::refused, "refused: " + reason, migration_}
            : state == "damaged" ? Ending{Exit::damaged, "the job is damaged: " + reason, migration_}
            : in_time            ? Ending{Exit::failed,
                               (status == CPPC_ERR_PEER ? "failed: " : "failed; the job goes on as before: ") + reason,
                               migration_}
                      : Ending{Exit::timeout, "not done in time; the job goes on as before: " + reason, migration_};
}

void announce(MigrationRequest& one) {
  if (const std::string line = one.announcement(); !line.empty()) std::printf("%s\n", line.c_str());
}

void complain(const std::string& what) { std::fprintf(stderr, "migrate: %s\n", what.c_str()); }

void print_json(const json& body) {
  std::printf("%s\n", body.dump(-1, ' ', false, json::error_handler_t::replace).c_str());
}

namespace {

// "node7 comes; ", of a request for nodes.
std::string added(const json& migration) {
  std::string names;
  for (const json& node : list(migration, "add"))
    names += (names.empty() ? "" : ", ") + (node.is_string() ? node.get<std::string>() : "");
  return names.empty() ? "" : names + (list(migration, "add").size() == 1 ? " comes; " : " come; ");
}

// What the job has to say about it.
std::string remarks(const json& migration) {
  std::string sentences;
  for (const json& message : list(migration, "messages"))
    if (message.is_string()) sentences += "\n" + message.get<std::string>();
  return sentences;
}

}  // namespace

std::string MigrationRequest::announcement() {
  const std::string moves = moves_text(list(migration_, "moves"));
  const bool again = announced_.has_value();
  if (again && (moves.empty() || moves == *announced_)) return {};
  announced_ = moves;
  if (request_.checkpoint)
    return "checkpoint of job " + job_.id + ": " + text(migration_, "checkpoint") + remarks(migration_);
  const bool waits = request_.evacuate.empty() && request_.add.empty();
  const char* nothing = waits ? "waits until the job has started" : "no rank to move so far";
  return "migration " + std::to_string(whole_number(migration_, "id")) + " of job " + job_.id + ": " +
         (again ? "now " : added(migration_)) + (moves.empty() ? nothing : moves);
}

std::string result(const json& migration) {
  char text[128];
  if (migration.contains("checkpoint") && !migration.contains("add")) {
    std::snprintf(text, sizeof text, "done in %.2f s: %s written, ranks stood still for %.0f ms",
                  number(migration, "seconds"), megabytes(number(migration, "image_bytes")).c_str(),
                  number(migration, "frozen_ms"));
    return text;
  }
  const char* const how = migration.contains("add") ? "written, and the whole job started again" : "moved";
  std::snprintf(text, sizeof text, "done in %.2f s: %s %s, ranks stood still for %.0f ms", number(migration, "seconds"),
                megabytes(number(migration, "image_bytes")).c_str(), how, number(migration, "frozen_ms"));
  return text;
}

namespace {

std::string would_move(const json& answer) {
  const std::string moves = moves_text(list(answer, "moves"));
  return moves.empty() ? "would move no rank" : "would move " + moves;
}

void follow(MigrationRequest& one) {
  std::optional<Progress> progress;
  for (one.poll(); !one.ending(); one.poll()) {
    if (one.accepted() && !one.request().json) {
      announce(one);
      if (!progress) progress.emplace(stdout, isatty(STDOUT_FILENO) != 0);
      progress->show(one.migration(), std::chrono::steady_clock::now());
    }
    std::this_thread::sleep_for(one.job().client.pause());
  }
}

}  // namespace

Exit carry_out(const RunningJob& job, const Request& request) {
  MigrationRequest one(job, request);
  follow(one);
  const Ending& ending = *one.ending();
  if (request.json) {
    print_json(ending.answer);
  } else if (one.accepted()) {
    announce(one);
  }
  if (ending.how != Exit::done) {
    complain(ending.reason);
  } else if (!request.json) {
    std::printf("%s\n", (request.dry_run ? would_move(ending.answer) : result(ending.answer)).c_str());
  }
  return ending.how;
}

}  // namespace cppc::migrate
