#include "notice.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace cppc::health {
namespace {

using nlohmann::json;
using tools::error;

constexpr std::size_t longest_text = 1024;
constexpr std::size_t most_labels = 64;
constexpr double longest_deadline_s = 30 * 24 * 3600.0;

// Logs and terminals get these.
std::string printable(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return std::iscntrl(c) != 0; }, ' ');
  if (text.size() > longest_text) text.resize(longest_text);
  return text;
}

Result<std::string> text_of(const json& object, const char* field, bool needed) {
  if (!object.contains(field)) {
    if (needed) return error(std::string("the field \"") + field + "\" is missing");
    return std::string();
  }
  if (!object[field].is_string()) return error(std::string("\"") + field + "\" has to be a string");
  const auto& text = object[field].get_ref<const std::string&>();
  if (needed && text.empty()) return error(std::string("\"") + field + "\" is empty");
  if (needed && text.size() > longest_text) return error(std::string("\"") + field + "\" is too long");
  return printable(text);
}

Result<double> seconds_in(const json& value) {
  if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() < 0 ||
      value.get<double>() > longest_deadline_s)
    return error("\"deadline\" has to be the seconds that are left, from 0 to 30 days");
  return value.get<double>();
}

Result<std::map<std::string, std::string>> labels_in(const json& object) {
  std::map<std::string, std::string> labels;
  if (!object.contains("labels")) return labels;
  if (!object["labels"].is_object() || object["labels"].size() > most_labels)
    return error("\"labels\" has to be an object of at most 64 strings");
  for (const auto& [name, value] : object["labels"].items()) {
    if (!value.is_string()) return error("the label \"" + printable(name) + "\" has to be a string");
    labels[printable(name)] = printable(value.get<std::string>());
  }
  return labels;
}

Result<bool> is_firing(const json& object, const char* field) {
  const auto state = text_of(object, field, false);
  if (!state) return error(state.error());
  if (*state != "resolved" && *state != "firing" && !state->empty())
    return error(std::string("\"") + field + "\" has to be \"firing\" or \"resolved\", and not \"" + *state + "\"");
  return *state != "resolved";
}

std::string label_of(const Notice& notice, const char* name) {
  const auto found = notice.labels.find(name);
  return found == notice.labels.end() ? "" : found->second;
}

Result<Notice> alert_from(const json& alert) {
  if (!alert.is_object()) return error("an alert is not an object");
  Notice notice;
  notice.source = "alertmanager";
  const auto firing = is_firing(alert, "status");
  if (!firing) return error(firing.error());
  notice.firing = *firing;
  auto labels = labels_in(alert);
  if (!labels) return error(labels.error());
  notice.labels = *std::move(labels);
  const auto fingerprint = text_of(alert, "fingerprint", true), starts = text_of(alert, "startsAt", true);
  if (!fingerprint) return error(fingerprint.error());
  if (!starts) return error(starts.error());
  notice.key = *fingerprint + "@" + *starts;
  const std::string instance = label_of(notice, "instance");
  notice.node = label_of(notice, "node").empty() ? instance.substr(0, instance.rfind(':')) : label_of(notice, "node");
  notice.severity = label_of(notice, "severity");
  const json annotations = alert.value("annotations", json::object());
  const auto summary = annotations.is_object() ? text_of(annotations, "summary", false) : Result<std::string>("");
  if (!summary) return error(summary.error());
  notice.reason = summary->empty() ? label_of(notice, "alertname") : *summary;
  if (annotations.is_object() && annotations.contains("deadline_s")) {
    const json& text = annotations["deadline_s"];
    const auto left = seconds_in(text.is_string() ? json::parse(text.get<std::string>(), nullptr, false) : text);
    if (!left) return error("annotation deadline_s: " + left.error());
    notice.deadline_s = *left;
  }
  return notice;
}

}  // namespace

bool is_node_name(const std::string& name) {
  return !name.empty() && name.size() <= 255 && name.front() != '-' && name.front() != '.' &&
         std::ranges::all_of(name,
                             [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '.' || c == '_'; });
}

Result<Notice> notice_from(const json& object, const std::string& source) {
  if (!object.is_object()) return error("a notice has to be a JSON object");
  for (const auto& [name, value] : object.items()) {
    static const char* const fields[] = {"key", "source", "node", "reason", "severity", "deadline", "state", "labels"};
    if (std::ranges::find(fields, name) == std::end(fields))
      return error("a notice has no field \"" + printable(name) + "\"");
  }
  Notice notice;
  const struct {
    const char* name;
    std::string& into;
    bool needed;
  } texts[] = {{"key", notice.key, true},
               {"source", notice.source, source.empty()},
               {"node", notice.node, true},
               {"reason", notice.reason, false},
               {"severity", notice.severity, false}};
  for (const auto& [name, into, needed] : texts) {
    auto text = text_of(object, name, needed);
    if (!text) return error(std::move(text).error());
    into = *std::move(text);
  }
  if (notice.source.empty()) notice.source = source;
  if (!is_node_name(notice.node)) return error("\"" + notice.node + "\" is no name of a node");
  const auto firing = is_firing(object, "state");
  if (!firing) return error(firing.error());
  notice.firing = *firing;
  auto labels = labels_in(object);
  if (!labels) return error(std::move(labels).error());
  notice.labels = *std::move(labels);
  if (object.contains("deadline") && !object["deadline"].is_null()) {
    const auto left = seconds_in(object["deadline"]);
    if (!left) return error(left.error());
    notice.deadline_s = *left;
  }
  return notice;
}

json to_json(const Notice& notice) {
  json object{{"key", notice.key},           {"source", notice.source},
              {"node", notice.node},         {"reason", notice.reason},
              {"severity", notice.severity}, {"state", notice.firing ? "firing" : "resolved"}};
  if (!notice.labels.empty()) object["labels"] = notice.labels;
  if (notice.deadline_s) object["deadline"] = *notice.deadline_s;
  return object;
}

Result<std::vector<Notice>> notices_in(const std::string& text) {
  const json body = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (body.is_discarded()) return error("the request is not JSON");
  std::vector<Notice> notices;
  for (const json& one : body.is_array() ? body : json::array({body})) {
    auto notice = notice_from(one);
    if (!notice) return error("notice " + std::to_string(notices.size() + 1) + ": " + notice.error());
    notices.push_back(*std::move(notice));
  }
  return notices;
}

Result<std::vector<Notice>> notices_of_alertmanager(const std::string& text) {
  const json body = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!body.is_object()) return error("the request is not a JSON object");
  const auto version = text_of(body, "version", true);
  if (!version) return error(version.error());
  if (*version != "4") return error("version " + *version + " of Alertmanager's webhook is not known, only 4 is");
  if (!body.contains("alerts") || !body["alerts"].is_array()) return error("\"alerts\" has to be a list");
  std::vector<Notice> notices;
  for (const json& alert : body["alerts"]) {
    auto notice = alert_from(alert);
    if (!notice) return error("alert " + std::to_string(notices.size() + 1) + ": " + notice.error());
    notices.push_back(*std::move(notice));
  }
  return notices;
}

}  // namespace cppc::health
