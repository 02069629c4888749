#include "service.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/ssl/context.hpp>

#include "browser_access.hpp"
#include "job_metrics.hpp"
#include "jobs.hpp"
#include "network_access.hpp"
#include "token.hpp"

namespace cppc::health {
namespace {

using nlohmann::json;
using tools::error;
using tools::HttpAnswer;
using tools::HttpRequest;

constexpr std::size_t longest_request = 16 << 20;
constexpr std::size_t at_a_time = 64;
constexpr std::size_t longest_told = 500;
constexpr std::string_view jobs_path = "/v1/jobs/";
constexpr std::string_view migrations_path = "/migrations";

HttpAnswer answer(const json& body) { return {200, body.dump(-1, ' ', false, json::error_handler_t::replace) + "\n"}; }

HttpAnswer take(Daemon& daemon, const Result<std::vector<Notice>>& notices) {
  if (!notices) return tools::error_answer(400, notices.error());
  if (const auto taken = daemon.take(*notices); !taken)
    return tools::error_answer(503, taken.error() + "; what was said is acted on, but would not outlive cppc-health: " +
                                        "make room, and send it again");
  return answer({{"taken", notices->size()}});
}

HttpAnswer watch(Daemon& daemon, const std::string& last) {
  auto stream = daemon.events().watch(last);
  if (!stream) return tools::error_answer(503, "too many watch already");
  HttpAnswer endless;
  endless.content_type = "text/event-stream";
  endless.stream = std::move(stream);
  return endless;
}

HttpAnswer ask_job(Daemon& daemon, Jobs& jobs, const HttpRequest& request) {
  const std::string job =
      request.path.substr(jobs_path.size(), request.path.find('/', jobs_path.size()) - jobs_path.size());
  const std::string below = request.path.substr(std::min(request.path.size(), jobs_path.size() + job.size()));
  if (!below.starts_with(migrations_path))
    return tools::error_answer(404, request.method + " " + request.path + " is not served");
  HttpAnswer answer = jobs.pass_on(job, request, below.substr(migrations_path.size()));
  if (answer.status == 202)
    daemon.asked("job " + job + ": an operator asks by " + request.method + " " + below +
                 (request.body.empty() ? "" : ": " + request.body.substr(0, longest_told)));
  return answer;
}

HttpAnswer choose(Daemon& daemon, Jobs& jobs, const HttpRequest& request) {
  const bool get = request.method == "GET" || request.method == "HEAD", post = request.method == "POST";
  if (post && request.path == "/v1/notices") return take(daemon, notices_in(request.body));
  if (post && request.path == "/v1/alertmanager") return take(daemon, notices_of_alertmanager(request.body));
  if (get && request.path == "/v1/state") return answer(daemon.state());
  if (get && request.path == "/v1/events") return watch(daemon, request.last_event_id);
  if (get && request.path == "/v1/jobs") return answer(jobs.all());
  if (request.path.starts_with(jobs_path)) return ask_job(daemon, jobs, request);
  if (get && request.path == "/metrics")
    return {200, daemon.metrics_text() + job_metrics(jobs.all()), "text/plain; version=0.0.4; charset=utf-8"};
  return tools::error_answer(404, request.method + " " + request.path + " is not served");
}

HttpAnswer serve_request(Daemon& daemon, Jobs& jobs, const HttpRequest& request) {
  HttpAnswer chosen;
  try {
    chosen = choose(daemon, jobs, request);
  } catch (const std::exception& failure) {
    chosen = tools::error_answer(500, failure.what());
  }
  if (chosen.status >= 300)
    spdlog::warn("{} {}: status {}: {}", request.method, request.path, chosen.status, chosen.body.substr(0, 500));
  daemon.metrics().request(chosen.status);
  return chosen;
}

}  // namespace

Result<Service> serve(boost::asio::io_context& context, Daemon& daemon, const Listen& listen) {
  auto token = tools::read_token(listen.token_file);
  if (!token) return error(std::move(token).error());
  const tools::NetworkAccess access{{listen.address, listen.port}, listen.certificate, listen.key, listen.token_file};
  std::unique_ptr<boost::asio::ssl::context> tls;
  if (!listen.certificate.empty()) {
    auto made = tools::make_tls(access);
    if (!made) return error(std::move(made).error());
    tls = *std::move(made);
  }
  auto listener = tools::listen_for_requests(context, access.listen);
  if (!listener) return error(std::move(listener).error());
  const auto browsers = std::make_shared<tools::BrowserAccess>(
      *std::move(token), tools::BrowserAccess::Server{"cppc-health", listener->port, tls != nullptr});
  const auto answer_to_head = [&daemon, browsers](const HttpRequest& head) {
    auto answer = (*browsers)(head);
    if (answer) daemon.metrics().request(answer->status);
    return answer;
  };
  const auto answers = [&daemon, jobs = std::make_shared<Jobs>()](const HttpRequest& request) {
    return serve_request(daemon, *jobs, request);
  };
  return Service{
      std::make_unique<tools::HttpServer>(
          context, std::move(listener->socket),
          tools::HttpServer::Settings{"notices'", at_a_time, longest_request, answer_to_head, answers, std::move(tls)}),
      listener->port};
}

}  // namespace cppc::health
