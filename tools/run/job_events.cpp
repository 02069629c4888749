#include "job_events.hpp"

#include "../access/random.hpp"
#include "api_json.hpp"

namespace cppc::run {
namespace {

using nlohmann::json;

constexpr int most_watchers = 8;  // they hold connections, of which there are sixteen over the network

}  // namespace

JobEvents::JobEvents(const Job& job) : job_(job), log_(tools::random_hex(4), most_watchers) {}

void JobEvents::publish() {
  const Job::View view = job_.view();
  const std::string state = text(view.state);
  if (state_ != state) log_.add("job", {{"job", job_.description().id}, {"state", state}});
  state_ = state;
  publish_nodes(view);
  publish_migrations();
}

// Free memory changes all the time, and is not news.
void JobEvents::publish_nodes(const Job::View& view) {
  json nodes = nodes_to_json(view);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes[i].erase("memory_free");
    if (i >= nodes_.size() || nodes_[i] != nodes[i]) log_.add("node", nodes[i]);
  }
  nodes_ = std::move(nodes);
}

void JobEvents::publish_migrations() {
  bool all_over = true;
  for (const Migration& migration : job_.migrations(first_open_)) {
    json now = summary(migration);
    json known = now;
    known.erase("seconds");
    if (const auto before = open_.find(migration.id); before == open_.end() || before->second != known)
      log_.add("migration", now);
    open_[migration.id] = std::move(known);
    all_over = all_over && migration.over();
    if (!all_over) continue;
    open_.erase(migration.id);
    first_open_ = migration.id + 1;
  }
}

}  // namespace cppc::run
