#include "send.hpp"

#include <charconv>

#include "http_client.hpp"
#include "token.hpp"

namespace cppc::health {
namespace {

using nlohmann::json;
using tools::error;
using namespace std::chrono_literals;

constexpr migrate::Timeouts answer_timeouts{5s, 30s};

bool is_this_machine(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

}  // namespace

Result<Server> parse_server(const std::string& url) {
  const auto wrong = error("\"" + url + "\" is no address of a server: write https://HOST:PORT");
  Server server{url.starts_with("https://"), "", 0};
  if (!server.tls && !url.starts_with("http://")) return wrong;
  server.port = server.tls ? 443 : 80;
  server.host = url.substr(server.tls ? 8 : 7);
  if (server.host.ends_with('/')) server.host.pop_back();
  const auto colon = server.host.rfind(':');
  if (colon != std::string::npos && !server.host.ends_with(']')) {
    const char* const end = server.host.data() + server.host.size();
    const auto [last, failure] = std::from_chars(server.host.data() + colon + 1, end, server.port);
    if (failure != std::errc{} || last != end || server.port == 0) return wrong;
    server.host.resize(colon);
  }
  if (server.host.starts_with('[') && server.host.ends_with(']'))
    server.host = server.host.substr(1, server.host.size() - 2);
  if (server.host.empty() || server.host.find_first_of("/?#@ ") != std::string::npos) return wrong;
  return server;
}

Result<void> send_notices(const Send& send, const std::vector<Notice>& notices) {
  const auto server = parse_server(send.server);
  if (!server) return error(server.error());
  if (!server->tls && !is_this_machine(server->host))
    return error("others could read the token on its way to " + send.server + ": write https://");
  const auto token = tools::read_token(send.token_file);
  if (!token) return error(token.error());
  json body = json::array();
  for (const Notice& notice : notices) body.push_back(to_json(notice));
  const migrate::HttpRequest request{"POST",
                                     "/v1/notices",
                                     {{"Authorization", "Bearer " + *token}, {"Content-Type", "application/json"}},
                                     body.dump(-1, ' ', false, json::error_handler_t::replace)};
  const auto reply = server->tls
                         ? migrate::ask_by_tls({server->host, server->port, send.authority}, request, answer_timeouts)
                         : migrate::ask_by_tcp(server->host, server->port, request, answer_timeouts);
  if (reply.status == 200) return {};
  if (reply.status == 0) return error("no answer from " + send.server + ": " + reply.failure);
  if (reply.status == 401) return error(send.server + " has another token than " + send.token_file.string());
  const json answer = json::parse(reply.body, nullptr, /*allow_exceptions=*/false);
  const bool has_error = answer.is_object() && answer.contains("error") && answer["error"].is_string();
  return error(send.server + " answers with status " + std::to_string(reply.status) +
               (has_error ? ": " + answer["error"].get<std::string>() : ""));
}

}  // namespace cppc::health
