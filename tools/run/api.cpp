#include "api.hpp"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>

#include "../access/credential.hpp"
#include "../common/user_name.hpp"
#include "api_json.hpp"
#include "checkpoint_storage.hpp"
#include "event_log.hpp"
#include "http_server.hpp"
#include "trace_json.hpp"

namespace cppc::run {
namespace {

using nlohmann::json;

constexpr std::size_t longest_request = 16 << 20;
constexpr std::size_t strangers_at_a_time = 16;  // they cannot take all descriptors of this process

HttpAnswer answer(int status, const json& body) {
  return {status, body.dump(-1, ' ', false, json::error_handler_t::replace) + "\n"};
}

HttpAnswer answer_refusal(const Job::Refusal& refusal) {
  switch (refusal.kind) {
    case Job::Refusal::Kind::plan:
      return error_answer(409, refusal.reason);
    case Job::Refusal::Kind::ended:
      return error_answer(410, refusal.reason);
    case Job::Refusal::Kind::starting:
      break;
  }
  return error_answer(503, refusal.reason);
}

HttpAnswer post_nodes(Job& job, const RelocationRules& rules, const MigrationRequest& request, const Origin& origin) {
  NodesRequest nodes = *request.nodes;
  nodes.origin = origin;
  const auto done = request_nodes(job, rules, nodes, request.dry_run);
  if (!done) return answer_refusal(done.error());
  if (const auto* moves = std::get_if<Moves>(&*done)) return answer(200, {{"moves", to_json(*moves)}});
  return answer(202, to_json(std::get<Migration>(*done)));
}

Origin origin_of(const HttpRequest& asked, const std::string& why) {
  if (!asked.user) return {"", why};
  return {tools::user_name(*asked.user), why, *asked.user != geteuid()};
}

// The owner sees what others do with his job.
HttpAnswer report_to_owner(const Origin& origin, HttpAnswer answer) {
  if (origin.foreign && answer.status == 202)
    spdlog::warn("{} moves ranks of this job{}{}", origin.by, origin.why.empty() ? "" : ": ", origin.why);
  return answer;
}

HttpAnswer post_migration(Job& job, const RequestRules& rules, const HttpRequest& asked) {
  const auto request = parse_request(asked.body);
  if (!request) return error_answer(400, request.error());
  const Origin origin = origin_of(asked, request->why);
  const std::string refusal = origin.foreign ? rules.site_moves.refusal(time_of_day()) : "";
  if (!refusal.empty()) return error_answer(409, refusal);
  job.refresh();
  if (request->nodes) return report_to_owner(origin, post_nodes(job, rules.relocations, *request, origin));
  if (request->checkpoint) {
    const auto checkpoint = request_checkpoint(job, *request->checkpoint, request->timeout_s, origin);
    return checkpoint ? answer(202, to_json(*checkpoint)) : answer_refusal(checkpoint.error());
  }
  if (request->dry_run) {
    const auto moves = job.plan(request->request);
    return moves ? answer(200, {{"moves", to_json(*moves)}}) : answer_refusal(moves.error());
  }
  const auto migration = job.submit(request->request, request->timeout_s, request->keep_node, origin);
  return report_to_owner(origin, migration ? answer(202, to_json(*migration)) : answer_refusal(migration.error()));
}

HttpAnswer no_migration(const std::string& digits) { return error_answer(404, "there is no migration " + digits); }

HttpAnswer describe_migration(Job& job, std::uint64_t id, const std::string& digits, int status) {
  const auto migration = job.migration(id);
  return migration ? answer(status, to_json(*migration)) : no_migration(digits);
}

// What is between these two; none when that is not digits alone.
std::optional<std::string> digits_between(const std::string& prefix, const std::string& path,
                                          const std::string& suffix) {
  if (!path.starts_with(prefix) || !path.ends_with(suffix) || path.size() <= prefix.size() + suffix.size())
    return std::nullopt;
  std::string digits = path.substr(prefix.size(), path.size() - prefix.size() - suffix.size());
  if (!std::ranges::all_of(digits, [](unsigned char c) { return std::isdigit(c) != 0; })) return std::nullopt;
  return digits;
}

// One that no number holds is nobody's.
std::uint64_t id_of(const std::string& digits) {
  std::uint64_t id = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), id);
  return failure == std::errc{} ? id : 0;
}

HttpAnswer list_migrations(const Job& job) {
  json list = json::array();
  for (const Migration& migration : job.migrations()) list.push_back(summary(migration));
  return answer(200, {{"migrations", std::move(list)}});
}

HttpAnswer describe_trace(const Job& job, const std::string& digits) {
  const std::uint64_t id = id_of(digits);
  const auto migrations = job.migrations(id);
  if (id == 0 || migrations.empty()) return no_migration(digits);
  if (!migrations.front().detailed)
    return error_answer(410, "the timeline of migration " + digits + " is not kept any more: those of the last " +
                                 std::to_string(Job::most_detailed) + " are");
  return answer(200, trace(job.description(), migrations.front()));
}

HttpAnswer watch(EventLog& events, const std::string& last) {
  auto stream = events.watch(last);
  if (!stream) return error_answer(503, "too many watch already");
  HttpAnswer endless;
  endless.content_type = "text/event-stream";
  endless.stream = std::move(stream);
  return endless;
}

HttpAnswer serve_request(Job& job, EventLog& events, const RequestRules& rules, const HttpRequest& request) {
  const bool get = request.method == "GET" || request.method == "HEAD";
  if (get && request.path == "/v1/job") return answer(200, to_json(job));
  if (get && request.path == "/v1/events") return watch(events, request.last_event_id);
  if (get && request.path == "/v1/migrations") return list_migrations(job);
  if (request.method == "POST" && request.path == "/v1/migrations") return post_migration(job, rules, request);
  const auto digits = digits_between("/v1/migrations/", request.path, "");
  const auto traced = digits_between("/v1/migrations/", request.path, "/trace");
  if (traced && get) return describe_trace(job, *traced);
  if (digits && get) return describe_migration(job, id_of(*digits), *digits, 200);
  if (digits && request.method == "DELETE") {
    job.cancel(id_of(*digits));
    return describe_migration(job, id_of(*digits), *digits, 202);
  }
  return error_answer(404, request.method + " " + request.path + " is not served");
}

}  // namespace

Result<std::unique_ptr<Api>> Api::serve(asio::io_context& context, Job& job, EventLog& events,
                                        const std::filesystem::path& socket,
                                        const std::optional<NetworkAccess>& network, RequestRules rules) {
  std::unique_ptr<Api> api(new Api(socket));
  const auto answer = [&job, &events, rules = std::move(rules)](const HttpRequest& request) {
    try {
      return serve_request(job, events, rules, request);
    } catch (const std::exception& failure) {
      spdlog::error("{} {} cannot be answered: {}", request.method, request.path, failure.what());
      return error_answer(500, failure.what());
    }
  };
  auto local = listen_on_unix(context, socket);
  if (!local) return tools::error(std::move(local).error());
  api->servers_.push_back(std::make_unique<HttpServer>(
      context, *std::move(local),
      HttpServer::Settings{
          "operators'", std::numeric_limits<std::size_t>::max(), longest_request, {}, answer, nullptr}));
  if (!network) return api;
  auto tls = make_tls(*network);
  if (!tls) return tools::error(std::move(tls).error());
  auto remote = listen_for_requests(context, network->listen);
  if (!remote) return tools::error(std::move(remote).error());
  api->port_ = remote->port;
  api->url_ = host_for_clients(*network, **tls, job.description().own_node).map([&](const std::string& host) {
    return "https://" + tools::authority(host, remote->port);
  });
  auto admission = choose_admission(*network, **tls, remote->port);
  if (!admission) return tools::error(std::move(admission).error());
  api->servers_.push_back(
      std::make_unique<HttpServer>(context, std::move(remote->socket),
                                   HttpServer::Settings{"remote operators'", strangers_at_a_time, longest_request,
                                                        *std::move(admission), answer, *std::move(tls)}));
  return api;
}

Api::Api(std::filesystem::path socket) : socket_(std::move(socket)) {}

Api::~Api() {
  servers_.clear();
  std::error_code ignored;  // somebody has removed it before
  std::filesystem::remove(socket_, ignored);
}

}  // namespace cppc::run
