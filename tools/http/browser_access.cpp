#include "browser_access.hpp"

#include <nlohmann/json.hpp>

#include "../web/page_file.hpp"

namespace cppc::tools {
namespace {

using nlohmann::json;

constexpr const char* policy = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

Sessions::Time now() { return std::chrono::steady_clock::now(); }

HttpAnswer page_answer(const PageFile& file) {
  return {200,
          std::string(file.content),
          file.content_type,
          {{"Content-Security-Policy", policy},
           {"X-Content-Type-Options", "nosniff"},
           {"Referrer-Policy", "no-referrer"},
           {"Cache-Control", "no-cache"}}};
}

}  // namespace

BrowserAccess::BrowserAccess(std::string token, Server server)
    : knows_token_(by_token(std::move(token))), server_(std::move(server)) {}

std::optional<HttpAnswer> BrowserAccess::operator()(const HttpRequest& head) {
  if (head.method == "GET" || head.method == "HEAD")
    if (const PageFile* file = page_file(head.path)) return page_answer(*file);
  if (head.path == "/v1/session" && head.method == "POST") return log_in(head);
  if (!knows_token_(head) && !has_session(head)) return error_answer(401, "unauthorized");
  if (head.path == "/v1/session" && head.method == "DELETE") return log_out(head);
  return std::nullopt;
}

HttpAnswer BrowserAccess::log_in(const HttpRequest& head) {
  if (failed_.too_many(head.peer, now()))
    return error_answer(429, "too many wrong tokens came from this address: wait for a minute");
  if (!knows_token_(head)) {
    failed_.add(head.peer, now());
    return error_answer(401, "unauthorized");
  }
  const Sessions::Session session = sessions_.open(now());
  const json body{{"csrf", session.csrf}, {"server", server_.name}};
  return {200, body.dump() + "\n", "application/json", {{"Set-Cookie", cookie(session.id, "")}}};
}

HttpAnswer BrowserAccess::log_out(const HttpRequest& head) {
  sessions_.close(session_in(head.cookie));
  return {200, "{}\n", "application/json", {{"Set-Cookie", cookie("", "; Max-Age=0")}}};
}

bool BrowserAccess::has_session(const HttpRequest& head) {
  return sessions_.is_open(session_in(head.cookie), head.csrf_token, now());
}

// All ports of a host share their cookies.
std::string BrowserAccess::cookie(const std::string& value, const std::string& more) const {
  return "cppc-" + std::to_string(server_.port) + "=" + value + "; Path=/; HttpOnly; SameSite=Strict" +
         (server_.tls ? "; Secure" : "") + more;
}

// In "one=1; two=2".
std::string BrowserAccess::session_in(const std::string& cookies) const {
  const std::string name = "cppc-" + std::to_string(server_.port) + "=";
  for (std::size_t at = 0; at < cookies.size();) {
    const std::size_t end = std::min(cookies.find(';', at), cookies.size());
    const std::string one = cookies.substr(at, end - at);
    if (one.starts_with(name)) return one.substr(name.size());
    at = std::min(cookies.find_first_not_of("; ", end), cookies.size());
  }
  return "";
}

}  // namespace cppc::tools
