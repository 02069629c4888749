#include "cloud.hpp"

#include <strings.h>

#include <algorithm>
#include <ctime>

namespace cppc::health {
namespace {

using migrate::HttpReply;
using nlohmann::json;
using tools::error;

constexpr double gcp_preemption_s = 30, gcp_maintenance_s = 60;
constexpr double longest_deadline_s = 30 * 24 * 3600.0;  // of a notice

double time_left(double at, double now) { return std::clamp(at - now, 0., longest_deadline_s); }

std::string text_of(const json& object, const char* field) {
  return object.is_object() && object.contains(field) && object[field].is_string() ? object[field].get<std::string>()
                                                                                   : "";
}

tl::unexpected<std::string> no_answer(const std::string& target, const HttpReply& reply) {
  return error(target + ": " + (reply.status == 0 ? reply.failure : "status " + std::to_string(reply.status)));
}

Notice critical(const std::string& source, const std::string& node, const std::string& reason) {
  Notice notice;
  notice.key = source + ":" + node;
  notice.source = source;
  notice.node = node;
  notice.reason = reason;
  notice.severity = "critical";
  return notice;
}

/// One document: nothing where there is none.
Result<json> aws_document(const AskCloud& ask, const std::string& token, const std::string& target) {
  const HttpReply reply = ask({"GET", target, {{"X-aws-ec2-metadata-token", token}}, ""});
  if (reply.status == 404) return json();
  const json body = json::parse(reply.body, nullptr, /*allow_exceptions=*/false);
  if (reply.status != 200 || !body.is_object()) return no_answer(target, reply);
  return body;
}

bool concerns(const json& event, const std::string& node) {
  if (!event.is_object() || !event.contains("Resources") || !event["Resources"].is_array()) return false;
  return std::ranges::any_of(event["Resources"], [&](const json& one) {
    return one.is_string() && strcasecmp(one.get_ref<const std::string&>().c_str(), node.c_str()) == 0;
  });
}

}  // namespace

Result<double> time_in(const std::string& text) {
  tm parts{};
  const char* const end = strptime(
      text.c_str(), text.find(',') == std::string::npos ? "%Y-%m-%dT%H:%M:%S" : "%a, %d %b %Y %H:%M:%S GMT", &parts);
  if (end == nullptr) return error("\"" + text + "\" is no time");
  return static_cast<double>(timegm(&parts));
}

Result<std::vector<Notice>> aws_notices(const AskCloud& ask, const std::string& node, double now) {
  const std::string tokens = "/latest/api/token";
  const HttpReply token =
      ask({"PUT", tokens, {{"X-aws-ec2-metadata-token-ttl-seconds", "60"}, {"Content-Length", "0"}}, ""});
  if (token.status != 200) return no_answer(tokens, token);
  std::vector<Notice> notices;
  const auto action = aws_document(ask, token.body, "/latest/meta-data/spot/instance-action");
  if (!action) return error(action.error());
  if (!action->is_null()) {
    const auto at = time_in(text_of(*action, "time"));
    if (!at) return error("spot/instance-action: " + at.error());
    Notice notice =
        critical("aws-spot", node, "spot instance: " + text_of(*action, "action") + " at " + text_of(*action, "time"));
    notice.deadline_s = time_left(*at, now);
    notices.push_back(notice);
  }
  const auto rebalance = aws_document(ask, token.body, "/latest/meta-data/events/recommendations/rebalance");
  if (!rebalance) return error(rebalance.error());
  if (!rebalance->is_null()) {
    Notice notice = critical("aws-rebalance", node, "recommended to leave since " + text_of(*rebalance, "noticeTime"));
    notice.severity = "warning";
    notices.push_back(notice);
  }
  return notices;
}

Result<std::vector<Notice>> gcp_notices(const AskCloud& ask, const std::string& node) {
  const auto value = [&](const std::string& name) -> Result<std::string> {
    const std::string target = "/computeMetadata/v1/instance/" + name;
    const HttpReply reply = ask({"GET", target, {{"Metadata-Flavor", "Google"}}, ""});
    if (reply.status != 200) return no_answer(target, reply);
    return reply.body.substr(0, reply.body.find('\n'));
  };
  std::vector<Notice> notices;
  const auto preempted = value("preempted"), maintenance = value("maintenance-event");
  if (!preempted) return error(preempted.error());
  if (!maintenance) return error(maintenance.error());
  if (*preempted == "TRUE") {
    notices.push_back(critical("gcp-preempted", node, "the machine is being preempted"));
    notices.back().deadline_s = gcp_preemption_s;
  }
  if (*maintenance != "NONE") {
    notices.push_back(critical("gcp-maintenance", node, *maintenance));
    notices.back().deadline_s = gcp_maintenance_s;
    if (!maintenance->starts_with("TERMINATE")) notices.back().severity = "warning";
  }
  return notices;
}

Result<std::vector<Notice>> azure_notices(const AskCloud& ask, const std::string& node, double now) {
  const std::string target = "/metadata/scheduledevents?api-version=2020-07-01";
  const HttpReply reply = ask({"GET", target, {{"Metadata", "true"}}, ""});
  const json body = json::parse(reply.body, nullptr, /*allow_exceptions=*/false);
  if (reply.status != 200 || !body.is_object() || !body.contains("Events") || !body["Events"].is_array())
    return no_answer(target, reply);
  std::vector<Notice> notices;
  for (const json& event : body["Events"]) {
    if (!concerns(event, node)) continue;
    const std::string type = text_of(event, "EventType"), before = text_of(event, "NotBefore");
    Notice notice = critical("azure", node, type + (before.empty() ? ", begun" : ", not before " + before));
    notice.key = text_of(event, "EventId");
    if (notice.key.empty()) return error("an event has no EventId");
    notice.labels["type"] = type;
    if (type == "Freeze") notice.severity = "warning";  // of seconds
    notice.deadline_s = 0;
    if (!before.empty()) {
      const auto at = time_in(before);
      if (!at) return error("NotBefore: " + at.error());
      notice.deadline_s = time_left(*at, now);
    }
    notices.push_back(notice);
  }
  return notices;
}

}  // namespace cppc::health
