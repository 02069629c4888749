#include "request.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "cppc/status.h"
#include "progress.hpp"

namespace cppc::migrate {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr auto patience_with_cancel = 30s;

json to_json(const Request& request) {
  json body = json::object();
  if (!request.ranks.empty()) body["ranks"] = request.ranks;
  if (!request.evacuate.empty()) body["evacuate"] = request.evacuate;
  if (!request.to.empty()) body["to"] = request.to;
  if (request.dry_run) body["dry_run"] = true;
  if (request.timeout_s) body["timeout_s"] = *request.timeout_s;
  return body;
}

void complain(const std::string& what) { std::fprintf(stderr, "migrate: %s\n", what.c_str()); }

void print(const json& body) { std::printf("%s\n", body.dump(-1, ' ', false, json::error_handler_t::replace).c_str()); }

bool is_over(const std::string& state) {
  return state == "done" || state == "failed" || state == "refused" || state == "damaged";
}

// One migration, from the request to its end.
class Errand {
 public:
  Errand(const RunningJob& job, const Request& request) : job_(job), request_(request) {
    if (request.timeout_s)
      deadline_ =
          Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*request.timeout_s));
  }

  Exit run() {
    Answer answer = job_.client.post_migration(to_json(request_));
    while (answer.status == 503 && !late()) {  // a dry run has to wait until the job has started
      std::this_thread::sleep_for(job_.client.pause());
      answer = job_.client.post_migration(to_json(request_));
    }
    switch (answer.status) {
      case 200:
        return show_plan(answer.body);
      case 202:
        announce(answer.body);
        return report(watch(whole_number(answer.body, "id"), answer));
      case 503:
        return give_up("the job is still starting", Exit::timeout);
      case 400:
        return give_up(answer.error(), Exit::wrong_usage);
      case 0:
        return job_.client.gone()
                   ? give_up("job " + job_.id + " has ended", Exit::refused)
                   : give_up("cppc-run of job " + job_.id + " does not answer; see migrate status", Exit::failed);
      default:
        return give_up("refused: " + answer.error(), Exit::refused);
    }
  }

 private:
  bool late() const { return deadline_ && Clock::now() >= *deadline_; }

  Exit give_up(const std::string& reason, Exit how) const {
    if (request_.json) print({{"error", reason}});
    complain(reason);
    return how;
  }

  Exit show_plan(const json& body) const {
    if (request_.json) {
      print(body);
    } else if (list(body, "moves").empty()) {
      std::printf("would move nothing: no rank is on %s\n", request_.evacuate.c_str());
    } else {
      std::printf("would move %s\n", moves_text(list(body, "moves")).c_str());
    }
    return Exit::done;
  }

  void announce(const json& migration) const {
    if (request_.json) return;
    const std::string moves = moves_text(list(migration, "moves"));
    const char* nothing = request_.evacuate.empty() ? "waits until the job has started" : "no rank to move so far";
    std::printf("migration %llu of job %s: %s\n", static_cast<unsigned long long>(whole_number(migration, "id")),
                job_.id.c_str(), moves.empty() ? nothing : moves.c_str());
    std::fflush(stdout);
  }

  // Until it is over; the last answer. Cancels it when time is up.
  Answer watch(std::uint64_t id, Answer answer) {
    std::optional<Progress> progress;
    if (!request_.json) progress.emplace(stdout, isatty(STDOUT_FILENO) != 0);
    std::optional<Clock::time_point> cancelled;
    while (!is_over(text(answer.body, "state"))) {
      if (progress) progress->show(answer.body, Clock::now());
      if (late() && !cancelled) {
        job_.client.cancel(id);
        cancelled = Clock::now();
      }
      if (cancelled && Clock::now() > *cancelled + patience_with_cancel) return answer;
      std::this_thread::sleep_for(job_.client.pause());
      Answer next = job_.client.migration(id);
      if (next.status == 0 && !job_.client.gone()) continue;  // too busy to answer in time
      answer = std::move(next);
      if (answer.status != 200) return answer;
    }
    return answer;
  }

  Exit report(const Answer& last) const {
    const json& migration = last.body;
    if (last.status != 200 && last.status != 202) {
      return give_up("job " + job_.id + " has ended without a word about the migration", Exit::damaged);
    }
    if (request_.json) print(migration);
    const std::string state = text(migration, "state"), reason = text(migration, "reason");
    if (state == "done") return report_done(migration);
    if (state == "refused") return complain_as("refused: " + reason, Exit::refused);
    if (state == "damaged") return complain_as("the job is damaged: " + reason, Exit::damaged);
    if (state != "failed") return complain_as("cancelled, but the job has not confirmed it: " + state, Exit::timeout);
    const auto status = static_cast<cppc_status>(whole_number(migration, "status"));
    if (request_.timeout_s && (status == CPPC_ERR_TIMEOUT || (status == CPPC_ERR_CANCELLED && late()))) {
      return complain_as("not done in time; the job goes on as before: " + reason, Exit::timeout);
    }
    return complain_as("failed; the job goes on as before: " + reason, Exit::failed);
  }

  Exit report_done(const json& migration) const {
    if (request_.json) return Exit::done;
    std::printf("done in %.2f s: %s moved, ranks stood still for %.0f ms\n", number(migration, "seconds"),
                megabytes(number(migration, "image_bytes")).c_str(), number(migration, "frozen_ms"));
    for (const json& message : list(migration, "messages")) {
      if (message.is_string()) std::printf("%s\n", message.get_ref<const std::string&>().c_str());
    }
    return Exit::done;
  }

  static Exit complain_as(const std::string& what, Exit how) {
    complain(what);
    return how;
  }

  const RunningJob& job_;
  const Request& request_;
  std::optional<Clock::time_point> deadline_;
};

}  // namespace

Exit carry_out(const RunningJob& job, const Request& request) { return Errand(job, request).run(); }

}  // namespace cppc::migrate
