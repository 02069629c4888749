#include "agent_server.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "cppc/agent_key.hpp"

namespace cppc::run {
namespace {

constexpr std::size_t longest_hello = 16 << 10;
constexpr std::size_t longest_message = 64 << 20;  // a roster of a million ranks
constexpr std::size_t most_strangers = 64;  // connections that have not said Hello yet, beyond the agents expected

}  // namespace

AgentServer::AgentServer(Listener listener, std::string key, int agents, Events events)
    : acceptor_(std::move(listener.socket), "agents'", [this](Socket socket) { accept(std::move(socket)); }),
      key_(std::move(key)),
      agents_(agents),
      events_(std::move(events)) {}

void AgentServer::send(int agent, const wire::Message& message) {
  if (const auto found = connection_of_.find(agent); found != connection_of_.end()) {
    found->second->send(wire::encode(message));
  }
}

void AgentServer::dismiss() {
  for (Client& client : clients_)
    if (client.agent >= 0) dismiss(client);
}

void AgentServer::drop(int agent) {
  for (Client& client : clients_)
    if (client.agent == agent) dismiss(client);
}

void AgentServer::dismiss(Client& client) {
  client.connection->finish();
  leave(client.agent);
}

void AgentServer::accept(Socket socket) {
  tune_tcp(socket);
  const Position client = clients_.emplace(clients_.end());
  client->connection = std::make_unique<LineConnection>(
      std::move(socket), longest_hello,
      LineConnection::Events{.line = [this, client](std::string_view line) { on_line(client, line); },
                             .closed = [this, client] { close(client); }});
  if (clients_.size() > static_cast<std::size_t>(agents_) + most_strangers) {
    close(std::find_if(clients_.begin(), clients_.end(), [](const Client& one) { return one.agent < 0; }));
  }
}

void AgentServer::on_line(Position client, std::string_view line) {
  const auto message = wire::decode(line);
  const bool understood =
      message.has_value() && (client->agent < 0 ? greet(client, *message) : take(*client, *message));
  if (understood) return;
  if (client->agent >= 0) {
    spdlog::error("agent {} sent {} bytes that are not understood", client->agent, line.size());  // may hold a key
  } else {
    spdlog::warn("a connection that was no agent's has been closed");
  }
  close(client);
}

bool AgentServer::greet(Position client, const wire::Message& message) {
  if (const auto* hello = std::get_if<wire::Hello>(&message)) return welcome(client, *hello);
  if (const auto* substitute = std::get_if<wire::Substitute>(&message)) return replace(client, *substitute);
  return false;
}

bool AgentServer::welcome(Position client, const wire::Hello& hello) {
  if (!same_secret(hello.key, agent_key(key_, hello.agent)) || hello.agents != agents_ || hello.job_size < 1 ||
      !substitutes_.emplace(hello.agent, 0).second) {
    return false;
  }
  serve(client, hello.agent);
  spdlog::info("{}: its agent is connected", hello.node);
  events_.joined(hello);
  return true;
}

// Its predecessor's connection is closed, or about to be: nobody has to hear of that.
bool AgentServer::replace(Position client, const wire::Substitute& substitute) {
  const auto before = substitutes_.find(substitute.agent);
  if (before == substitutes_.end() || substitute.count <= before->second ||
      !same_secret(substitute.key, substitute_key(key_, substitute.agent, substitute.count))) {
    return false;
  }
  before->second = substitute.count;
  std::erase_if(clients_, [&](const Client& one) { return one.agent == substitute.agent; });
  serve(client, substitute.agent);
  events_.received(substitute);
  return true;
}

void AgentServer::serve(Position client, int agent) {
  client->agent = agent;
  client->connection->set_longest_line(longest_message);
  connection_of_[agent] = client->connection.get();
}

bool AgentServer::take(Client& client, const wire::Message& message) {
  const int agent = client.agent;
  const auto* roster = std::get_if<wire::Roster>(&message);
  const auto* ready = std::get_if<wire::Ready>(&message);
  const auto* farewell = std::get_if<wire::Farewell>(&message);
  const auto* abandoned = std::get_if<wire::Abandoned>(&message);
  const auto* failed = std::get_if<wire::MpiFailed>(&message);
  const auto* saved = std::get_if<wire::Saved>(&message);
  const auto* relay = std::get_if<wire::Relay>(&message);
  const auto* progress = std::get_if<wire::Progress>(&message);
  const auto* late = std::get_if<wire::Late>(&message);
  const auto is_its_own = [agent](const auto* one) { return one == nullptr || one->agent == agent; };
  const bool its_own = is_its_own(roster) && is_its_own(ready) && is_its_own(farewell) && is_its_own(abandoned) &&
                       is_its_own(failed) && is_its_own(saved) && is_its_own(progress) && is_its_own(late) &&
                       (relay == nullptr || relay->from == agent);
  if (farewell != nullptr && its_own) {
    client.farewell = true;
    leave(agent);
    return true;
  }
  const bool for_controller = roster != nullptr || ready != nullptr || abandoned != nullptr || failed != nullptr ||
                              saved != nullptr || relay != nullptr || progress != nullptr || late != nullptr ||
                              std::holds_alternative<wire::Outcome>(message);
  if (!its_own || !for_controller) return false;
  if (connection_of_.contains(agent)) events_.received(message);
  return true;
}

void AgentServer::leave(int agent) {
  if (connection_of_.erase(agent) > 0) events_.left(agent);
}

void AgentServer::close(Position client) {
  const int agent = client->agent;
  const bool clean = client->farewell;
  clients_.erase(client);
  if (agent < 0) return;
  leave(agent);
  events_.gone(agent, clean);
}

}  // namespace cppc::run
