#include "api.hpp"

#include <sys/stat.h>

#include <charconv>

#include "api_json.hpp"
#include "own_user_server.hpp"

namespace cppc::run {
namespace {

using httplib::Request;
using httplib::Response;
using nlohmann::json;

constexpr std::size_t longest_request = 16 << 20;

void answer(Response& response, int status, const json& body) {
  response.status = status;
  response.set_content(body.dump(-1, ' ', false, json::error_handler_t::replace) + "\n", "application/json");
}

void answer_error(Response& response, int status, const std::string& text) {
  answer(response, status, {{"error", text}});
}

void answer_refusal(Response& response, const Job::Refusal& refusal) {
  switch (refusal.kind) {
    case Job::Refusal::Kind::plan:
      return answer_error(response, 409, refusal.reason);
    case Job::Refusal::Kind::ended:
      return answer_error(response, 410, refusal.reason);
    case Job::Refusal::Kind::starting:
      return answer_error(response, 503, refusal.reason);
  }
}

void post_migration(Job& job, const Request& http, Response& response) {
  const auto request = parse_request(http.body);
  if (!request) return answer_error(response, 400, request.error());
  job.refresh();
  if (request->dry_run) {
    const auto moves = job.plan(request->request);
    if (!moves) return answer_refusal(response, moves.error());
    return answer(response, 200, {{"moves", to_json(*moves)}});
  }
  const auto migration = job.submit(request->request, request->timeout_s);
  if (!migration) return answer_refusal(response, migration.error());
  answer(response, 202, to_json(*migration));
}

// The path has matched \d+; an id that no number holds is nobody's.
std::uint64_t id_in(const Request& http) {
  const std::string digits = http.matches[1];
  std::uint64_t id = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), id);
  return failure == std::errc{} ? id : 0;
}

void get_migration(Job& job, const Request& http, Response& response, int status) {
  const auto migration = job.migration(id_in(http));
  if (!migration) return answer_error(response, 404, "there is no migration " + std::string(http.matches[1]));
  answer(response, status, to_json(*migration));
}

void add_routes(httplib::Server& server, Job& job) {
  server.Get("/v1/job", [&job](const Request&, Response& response) { answer(response, 200, to_json(job)); });
  server.Post("/v1/migrations",
              [&job](const Request& http, Response& response) { post_migration(job, http, response); });
  server.Get(R"(/v1/migrations/(\d+))",
             [&job](const Request& http, Response& response) { get_migration(job, http, response, 200); });
  server.Delete(R"(/v1/migrations/(\d+))", [&job](const Request& http, Response& response) {
    job.cancel(id_in(http));
    get_migration(job, http, response, 202);
  });
  server.set_error_handler([](const Request& http, Response& response) {
    if (response.body.empty())
      answer_error(response, response.status, http.method + " " + http.path + " is not served");
  });
}

Result<std::unique_ptr<httplib::Server>> server_at(const std::filesystem::path& socket) {
  auto server = std::make_unique<OwnUserServer>();
  server->set_address_family(AF_UNIX);
  server->set_socket_options([](socket_t) {});
  server->set_payload_max_length(longest_request);
  // The directory is closed to others, so nobody can come in before the mode is set. The port is not used.
  if (!server->bind_to_port(socket.string(), 80) || chmod(socket.c_str(), 0600) != 0) {
    return tools::error("cannot listen at " + socket.string());
  }
  return server;
}

}  // namespace

Result<std::unique_ptr<Api>> Api::serve(Job& job, const std::filesystem::path& socket,
                                        const std::optional<NetworkAccess>& network) {
  std::unique_ptr<Api> api(new Api(socket));
  auto local = server_at(socket);
  if (!local) return tools::error(std::move(local).error());
  add_routes(**local, job);
  api->servings_.push_back(std::make_unique<Serving>(*std::move(local)));
  if (!network) return api;
  auto remote = NetworkServer::create(*network, longest_request);
  if (!remote) return tools::error(std::move(remote).error());
  add_routes(**remote, job);
  api->network_ = remote->get();
  api->servings_.push_back(std::make_unique<Serving>(*std::move(remote)));
  return api;
}

Api::~Api() {
  if (network_ != nullptr) network_->close_door();
  servings_.clear();
  std::error_code ignored;  // somebody has removed it before
  std::filesystem::remove(socket_, ignored);
}

}  // namespace cppc::run
