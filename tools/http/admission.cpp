#include "admission.hpp"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include "../access/credential.hpp"
#include "cppc/agent_key.hpp"

namespace cppc::tools {
namespace {

// What follows the scheme in the one header that says who asks; empty when it says nothing of the kind.
std::string shown(const HttpRequest& request, std::string_view scheme) {
  if (request.authorization.size() != 1) return "";
  const std::string& header = request.authorization.front();
  const bool fits = header.size() > scheme.size() && header.starts_with(scheme) && header[scheme.size()] == ' ';
  return fits ? header.substr(scheme.size() + 1) : "";
}

}  // namespace

std::function<bool(const HttpRequest& head)> by_token(std::string token) {
  return
      [token = std::move(token)](const HttpRequest& request) { return same_secret(shown(request, "Bearer"), token); };
}

Admission by_munge(std::function<bool(std::string_view authority)> is_own, std::set<uid_t> others) {
  return [is_own = std::move(is_own), others = std::move(others)](HttpRequest& request) {
    const std::string text = shown(request, "MUNGE");
    if (text.empty()) return false;
    const auto credential = open_credential(text);
    if (!credential) {
      spdlog::info("a credential of MUNGE is not good: {}", credential.error());
      return false;
    }
    const std::string before_authority = statement(request.method, request.path, "");
    request.user = credential->user;
    return (credential->user == geteuid() || credential->user == 0 || others.contains(credential->user)) &&
           credential->statement.starts_with(before_authority) &&
           is_own(std::string_view(credential->statement).substr(before_authority.size()));
  };
}

AnswerToHead refusing_others(Admission admission) {
  return [admission = std::move(admission)](HttpRequest& head) -> std::optional<HttpAnswer> {
    if (admission(head)) return std::nullopt;
    return error_answer(401, "unauthorized");
  };
}

}  // namespace cppc::tools
