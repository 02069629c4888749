#include "configuration.hpp"

#include <algorithm>
#include <charconv>

#include "../common/read_file.hpp"
#include "toml.hpp"

namespace cppc::health {
namespace {

using tools::error;
using namespace std::chrono_literals;

struct Reader {
  const std::string& file;
  std::string failure;

  Table table(const toml::table& table, const std::string& name) { return {table, file, name, failure}; }
};

// "10.0.0.1:9417" or "[fd00::1]:9417".
bool parse_address(const std::string& text, Listen& into) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) return false;
  into.address = text.substr(0, colon);
  if (into.address.starts_with('[') && into.address.ends_with(']'))
    into.address = into.address.substr(1, into.address.size() - 2);
  const char* const end = text.data() + text.size();
  const auto [last, failure] = std::from_chars(text.data() + colon + 1, end, into.port);
  return failure == std::errc{} && last == end && !into.address.empty();
}

void read_site(Reader& reader, const toml::table& table, Site& site) {
  Table one = reader.table(table, "[site]");
  std::string scheduler = "none";
  one.text("scheduler", scheduler);
  if (scheduler != "slurm" && scheduler != "none") one.refuse("scheduler has to be \"slurm\" or \"none\"", "scheduler");
  site.slurm = scheduler == "slurm";
  std::vector<std::string> nodes;
  one.texts("nodes", nodes);
  for (const std::string& node : nodes)
    if (!is_node_name(node)) one.refuse("\"" + node + "\" is no name of a node: name each, as jobs have it", "nodes");
  site.nodes.insert(nodes.begin(), nodes.end());
  if (!site.slurm && nodes.empty())
    one.refuse("the nodes are not known: write scheduler = \"slurm\", or nodes = [\"node0\", ...]");
  one.yes_or_no("dry_run", site.dry_run);
  one.number("evacuate_at_once", site.brakes.at_once, 1, 1000);
  one.number("per_hour", site.brakes.per_hour, 1, 100'000);
  one.number("keep_nodes", site.brakes.keep_nodes, 1, 100'000);
  one.number("attempts", site.retries.attempts, 1, 100);
  one.seconds("retry_s", site.retries.pause, 0.001);
  one.path("state", site.state);
  one.path("migrate", site.migrate);
  one.finish();
}

void read_listen(Reader& reader, const toml::table& table, std::optional<Listen>& listen) {
  Table one = reader.table(table, "[listen]");
  std::string address = "127.0.0.1:9417";
  listen.emplace();
  one.text("address", address);
  if (!parse_address(address, *listen))
    one.refuse("address has to be ADDRESS:PORT, such as \"127.0.0.1:9417\"", "address");
  one.path("token_file", listen->token_file);
  one.path("tls_cert", listen->certificate);
  one.path("tls_key", listen->key);
  if (listen->token_file.empty()) one.refuse("token_file is missing: name a file of mode 0600 that holds the token");
  const bool here = listen->address.starts_with("127.") || listen->address == "::1";
  if (listen->certificate.empty() != listen->key.empty()) one.refuse("tls_cert and tls_key belong together");
  if (!here && listen->certificate.empty())
    one.refuse(
        "others could read the token on its way to this address: write tls_cert and tls_key, or listen at 127.0.0.1",
        "address");
  one.finish();
}

void read_send(Reader& reader, const toml::table& table, std::optional<Send>& send) {
  Table one = reader.table(table, "[send]");
  send.emplace();
  one.text("server", send->server);
  if (!send->server.starts_with("http://") && !send->server.starts_with("https://"))
    one.refuse("server has to be the cppc-health to send to: \"https://HOST:PORT\"", "server");
  one.path("ca", send->authority);
  one.path("token_file", send->token_file);
  if (send->token_file.empty()) one.refuse("token_file is missing: name a file of mode 0600 that holds the token");
  one.text("node", send->node);
  one.finish();
}

void read_source(Reader& reader, const toml::table& table, std::vector<Source>& sources) {
  Table one = reader.table(table, "[[source]]");
  Source source;
  one.text("kind", source.kind);
  static const struct {
    const char *kind, *base;
    Time every;
  } kinds[] = {{"slurm-drain", "", 5s},
               {"command", "", 60s},
               {"aws", "http://169.254.169.254", 5s},
               {"gcp", "http://169.254.169.254", 1s},
               {"azure", "http://169.254.169.254", 1s}};
  const auto* const found = std::ranges::find(kinds, source.kind, [](const auto& kind) { return kind.kind; });
  if (found == std::end(kinds))
    return one.refuse("kind has to be \"slurm-drain\", \"command\", or on nodes \"aws\", \"gcp\" or \"azure\"", "kind");
  source.every = found->every;
  source.base = found->base;
  source.name = source.kind;
  one.seconds("every_s", source.every, 0.01);
  if (source.kind == "command") {
    one.text("name", source.name);
    one.texts("run", source.command);
    if (source.command.empty()) one.refuse("run is missing: write the command as [\"/etc/cppc/check\", \"argument\"]");
  } else if (!source.base.empty()) {
    one.text("base", source.base);
    if (!source.base.starts_with("http://")) one.refuse("base has to be http://HOST[:PORT]", "base");
  }
  one.finish();
  sources.push_back(source);
}

void read_match(Reader& reader, const toml::table& table, Rule& rule) {
  Table one = reader.table(table, "match");
  one.text("source", rule.source);
  one.text("severity", rule.severity);
  one.text("node", rule.node);
  one.texts_by_name("label", rule.labels);
  one.finish();
}

void read_rule(Reader& reader, const toml::table& table, std::vector<Rule>& rules) {
  Table one = reader.table(table, "[[rule]]");
  Rule rule;
  rule.line = one.line();
  std::string action, deadline_from;
  if (const toml::table* match = one.table("match")) read_match(reader, *match, rule);
  one.text("action", action);
  if (action != "log" && action != "avoid" && action != "evacuate")
    one.refuse("action has to be \"log\", \"avoid\" or \"evacuate\"", "action");
  rule.action = action == "evacuate" ? Action::evacuate : action == "avoid" ? Action::avoid : Action::log;
  one.seconds("hold_s", rule.hold, 0);
  one.seconds("clear_s", rule.clear, 0);
  one.seconds("deadline_s", rule.deadline, 0.001);
  one.text("deadline_from", deadline_from);
  if (!deadline_from.empty() && deadline_from != "notice")
    one.refuse("deadline_from can only be \"notice\"", "deadline_from");
  rule.deadline_from_notice = !deadline_from.empty();
  if (rule.action == Action::evacuate && !one.has("deadline_s"))
    one.refuse("deadline_s is missing: how many seconds there are to empty the node, if the notice does not say it");
  one.finish();
  rules.push_back(rule);
}

}  // namespace

Result<Configuration> parse_configuration(const std::string& text, const std::string& file) {
  toml::table table;
  try {
    table = toml::parse(std::string_view(text), file);
  } catch (const toml::parse_error& wrong) {
    return error(file + ":" + std::to_string(wrong.source().begin.line) +
                 ": this is not TOML: " + std::string(wrong.description()));
  }
  Reader reader{file, ""};
  Configuration configuration;
  Table top = reader.table(table, "this file");
  if (const auto* site = top.table("site")) read_site(reader, *site, configuration.site);
  if (const auto* listen = top.table("listen")) read_listen(reader, *listen, configuration.listen);
  if (const auto* send = top.table("send")) read_send(reader, *send, configuration.send);
  for (const auto* source : top.tables("source")) {
    read_source(reader, *source, configuration.sources);
    if (!configuration.site.slurm && !configuration.sources.empty() &&
        configuration.sources.back().kind == "slurm-drain")
      reader.table(*source, "[[source]]").refuse("slurm-drain needs scheduler = \"slurm\" in [site]", "kind");
  }
  for (const auto* rule : top.tables("rule")) read_rule(reader, *rule, configuration.rules);
  top.finish();
  if (!reader.failure.empty()) return error(reader.failure);
  return configuration;
}

Result<Configuration> read_configuration(const std::filesystem::path& file) {
  const auto text = tools::read_file(file);
  if (!text)
    return error("cannot read the configuration " + file.string() + ": " + text.error() +
                 "; name another with --config");
  return parse_configuration(*text, file.string());
}

}  // namespace cppc::health
