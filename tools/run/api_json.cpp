#include "api_json.hpp"

#include <spdlog/fmt/chrono.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <utility>

namespace cppc::run {
namespace {

using nlohmann::json;
using tools::error;

constexpr std::size_t longest_why = 500;
constexpr double longest_timeout_s = 7 * 24 * 3600.0;

Result<std::vector<int>> read_ranks(const json& field) {
  const tl::unexpected<std::string> wrong = error("\"ranks\" has to be a list of rank numbers, at least one");
  if (!field.is_array() || field.empty()) return wrong;
  std::vector<int> ranks;
  for (const json& rank : field) {
    if (!rank.is_number_integer()) return wrong;
    // What does not fit is no rank either; the plan says so by name.
    const double wide = rank.get<double>();
    if (std::abs(wide) > std::numeric_limits<int>::max()) return wrong;
    ranks.push_back(rank.get<int>());
  }
  return ranks;
}

Result<std::vector<std::string>> read_names(const json& field, const std::string& name) {
  const tl::unexpected<std::string> wrong = error("\"" + name + "\" has to be a list of names of nodes");
  if (!field.is_array()) return wrong;
  std::vector<std::string> names;
  for (const json& one : field) {
    if (!one.is_string()) return wrong;
    names.push_back(one.get<std::string>());
  }
  return names;
}

NodesRequest& nodes_of(MigrationRequest& request) { return request.nodes ? *request.nodes : request.nodes.emplace(); }

// Of a request for nodes: which of its fields belong together.
Result<MigrationRequest> check_nodes(MigrationRequest request) {
  NodesRequest& nodes = *request.nodes;
  if (nodes.add.empty() == nodes.restore.empty())
    return error("either \"add\" or \"restore\" has to be given for nodes that come");
  const plan::Request& moves = request.request;
  if (!moves.evacuate.empty() || !moves.avoid.empty() || request.keep_node || request.checkpoint)
    return error("nodes that come are a request of their own");
  if (moves.ranks.empty() != moves.to.empty()) return error("\"ranks\" and \"to\" belong together");
  if (!nodes.restore.empty() && !moves.ranks.empty()) return error("\"restore\" knows itself which ranks");
  nodes.moves = std::exchange(request.request, {});
  nodes.timeout_s = request.timeout_s;
  return request;
}

Result<void> read_field(const std::string& name, const json& field, MigrationRequest& request) {
  if (name == "ranks") {
    auto ranks = read_ranks(field);
    if (!ranks) return error(std::move(ranks).error());
    request.request.ranks = *std::move(ranks);
  } else if (name == "to" || name == "avoid") {
    auto names = read_names(field, name);
    if (!names) return error(std::move(names).error());
    (name == "to" ? request.request.to : request.request.avoid) = *std::move(names);
  } else if (name == "evacuate") {
    if (!field.is_string() || field.get_ref<const std::string&>().empty()) {
      return error("\"evacuate\" has to be the name of a node");
    }
    request.request.evacuate = field.get<std::string>();
  } else if (name == "dry_run") {
    if (!field.is_boolean()) return error("\"dry_run\" has to be true or false");
    request.dry_run = field.get<bool>();
  } else if (name == "keep_node") {
    if (!field.is_boolean()) return error("\"keep_node\" has to be true or false");
    request.keep_node = field.get<bool>();
  } else if (name == "why") {
    if (!field.is_string() || field.get_ref<const std::string&>().size() > longest_why)
      return error("\"why\" has to be a text of " + std::to_string(longest_why) + " bytes at most");
    request.why = field.get<std::string>();
    if (std::ranges::any_of(request.why, [](unsigned char c) { return std::iscntrl(c) != 0; }))
      return error("\"why\" has to be one line of text");
  } else if (name == "add") {
    auto names = read_names(field, name);
    if (!names || names->empty()) return error("\"add\" has to be a list of names of nodes, at least one");
    nodes_of(request).add = *std::move(names);
  } else if (name == "restore" || name == "images") {
    if (!field.is_string() || field.get_ref<const std::string&>().empty())
      return error("\"" + name + "\" has to be " + (name == "restore" ? "the name of a node" : "a path"));
    (name == "restore" ? nodes_of(request).restore : nodes_of(request).images) = field.get<std::string>();
  } else if (name == "checkpoint") {
    if (!field.is_string()) return error("\"checkpoint\" has to be the path of a directory, or empty");
    request.checkpoint = field.get<std::string>();
  } else if (name == "timeout_s") {
    if (!field.is_number() || !(field.get<double>() > 0) || field.get<double>() > longest_timeout_s) {
      return error("\"timeout_s\" has to be a number of seconds above 0, at most a week");
    }
    request.timeout_s = field.get<double>();
  } else {
    return error("there is no field \"" + name + "\"");
  }
  return {};
}

// There may be very many: an initializer list for each would take several times as long.
json ranks_json(const Job::View& view) {
  json::array_t ranks;
  ranks.reserve(view.ranks.size());
  for (std::size_t i = 0; i < view.ranks.size(); ++i) {
    const RankView& rank = view.ranks[i];
    json::object_t one;
    one["rank"] = i;
    one["node"] = rank.node;
    one["pid"] = rank.pid;
    one["state"] = rank.finished ? "finished" : view.moving[i] ? "moving" : "running";
    one["bytes"] = rank.bytes;
    ranks.emplace_back(std::move(one));
  }
  return ranks;
}

// Only where there is a resource manager.
void add_release(json& object, const std::optional<Release>& release) {
  if (!release) return;
  object["release"] = text(release->state);
  object["release_text"] = release->text;
}

// As soon as it is known, and for as long as something is left.
void add_rate(json& object, const Migration& migration) {
  const auto rate = migration.timeline.rate();
  if (!rate || *rate <= 0) return;
  object["bytes_per_second"] = *rate;
  const std::uint64_t left = migration.bytes_total - std::min(migration.bytes_done, migration.bytes_total);
  if (!migration.over()) object["seconds_left"] = static_cast<double>(left) / *rate;
}

}  // namespace

Result<MigrationRequest> parse_request(const std::string& text) {
  const json body = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!body.is_object()) return error("the request is not a JSON object");
  MigrationRequest request;
  for (const auto& [name, field] : body.items()) {
    if (const auto read = read_field(name, field, request); !read) return error(read.error());
  }
  if (request.nodes) return check_nodes(std::move(request));
  if (request.checkpoint) {
    for (const auto& [name, field] : body.items())
      if (name != "checkpoint" && name != "timeout_s" && name != "why")
        return error("\"" + name + "\" is not for a checkpoint");
    return request;
  }
  const bool moves = !request.request.ranks.empty(), evacuates = !request.request.evacuate.empty();
  if (moves == evacuates) return error("either \"ranks\" or \"evacuate\" has to be given");
  if (moves && request.keep_node) return error("\"keep_node\" is for \"evacuate\"");
  if (moves && request.request.to.empty()) return error("\"to\" has to name the node to move to");
  if (!request.request.avoid.empty() && (moves || !request.request.to.empty()))
    return error("\"avoid\" belongs to \"evacuate\" without \"to\"");
  return request;
}

const char* text(Job::State state) {
  switch (state) {
    case Job::State::starting:
      return "starting";
    case Job::State::running:
    case Job::State::finishing:
      return "running";
    case Job::State::ended:
      return "ended";
  }
  return "";
}

json nodes_to_json(const Job::View& view) {
  json nodes = json::array();
  for (std::size_t i = 0; i < view.nodes.size(); ++i) {
    const NodeView& node = view.nodes[i];
    nodes.push_back({{"node", node.name},
                     {"host", node.host},
                     {"state", plan::text(node.state)},
                     {"ranks", node.ranks},
                     {"cores", node.cores},
                     {"slots", node.slots},
                     {"memory_free", node.memory_free}});
    add_release(nodes.back(), view.releases[i]);
  }
  return nodes;
}

json to_json(const Job& job) {
  const Job::View view = job.view();
  json body{{"job", job.description().id},
            {"program", job.description().program},
            {"pid", getpid()},
            {"controller", job.description().own_node},
            {"state", text(view.state)},
            {"ranks", ranks_json(view)},
            {"nodes", nodes_to_json(view)},
            {"migrations", view.migrations}};
  for (const Migration& one : job.asked_by_others()) body["by_others"].push_back(summary(one));
  if (!job.description().allocation.empty()) body["allocation"] = job.description().allocation;
  return body;
}

std::string time_text(std::chrono::system_clock::time_point time) {
  const auto since_epoch = std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch()).count();
  return fmt::format("{:%FT%T}.{:03}Z", fmt::gmtime(std::chrono::system_clock::to_time_t(time)), since_epoch % 1000);
}

json to_json(const Migration& migration) {
  json body = summary(migration);
  body["downtime_ms"] = migration.outcome.downtime_ms;
  return body;
}

const char* kind(const Migration& migration) {
  if (migration.relocation) return "relocation";
  if (migration.draft) return "checkpoint";
  return migration.request.evacuate.empty() ? "move" : "evacuate";
}

json summary(const Migration& migration) {
  json body{{"id", migration.id},
            {"state", text(migration.state)},
            {"kind", kind(migration)},
            {"requested_at", time_text(migration.requested_at)},
            {"moves", to_json(migration.moves)},
            {"bytes_done", migration.bytes_done},
            {"bytes_total", migration.bytes_total},
            {"seconds", migration.seconds()},
            {"frozen_ms", migration.outcome.frozen_ms},
            {"response_ms", migration.outcome.response_ms},
            {"evacuation_ms", migration.outcome.evacuation_ms},
            {"rebuild_ms", migration.outcome.rebuild_ms},
            {"image_bytes", migration.outcome.image_bytes},
            {"status", static_cast<int>(migration.outcome.status)},
            {"reason", migration.outcome.reason},
            {"messages", migration.messages}};
  if (!migration.origin.by.empty()) body["by"] = migration.origin.by;
  if (!migration.origin.why.empty()) body["why"] = migration.origin.why;
  if (!migration.request.evacuate.empty()) body["evacuate"] = migration.request.evacuate;
  add_rate(body, migration);
  if (migration.relocation) {
    body["add"] = json::array();
    for (const AllocatedNode& node : migration.relocation->add) body["add"].push_back(node.name);
  }
  if (migration.draft) body["checkpoint"] = migration.draft->complete.string();
  for (const auto& [agent, reason] : migration.waits_for) body["waits_for"].push_back(reason);
  add_release(body, migration.release);
  return body;
}

json to_json(const std::vector<NamedMove>& moves) {
  json list = json::array();
  for (const NamedMove& move : moves) list.push_back({{"rank", move.rank}, {"from", move.from}, {"to", move.to}});
  return list;
}

}  // namespace cppc::run
