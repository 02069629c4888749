#include "launch_server.hpp"

#include <spdlog/spdlog.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace cppc::run {
namespace {

using nlohmann::json;

constexpr std::size_t longest_line = 4096;

template <class T>
std::optional<T> number(const json& message, const char* name) {
  const auto field = message.find(name);
  if (field == message.end() || !field->is_number_unsigned()) return std::nullopt;
  const auto value = field->get<std::uint64_t>();
  if (value > static_cast<std::uint64_t>(std::numeric_limits<T>::max())) return std::nullopt;
  return static_cast<T>(value);
}

std::optional<std::string> text(const json& message, const char* name) {
  const auto field = message.find(name);
  if (field == message.end() || !field->is_string()) return std::nullopt;
  return field->get<std::string>();
}

}  // namespace

Result<std::unique_ptr<LaunchServer>> LaunchServer::create(asio::io_context& context, Relay& relay,
                                                           const std::filesystem::path& path) {
  auto listener = listen_on_unix(context, path);
  if (!listener) return tools::error(std::move(listener).error());
  return std::unique_ptr<LaunchServer>(new LaunchServer(relay, path, *std::move(listener)));
}

LaunchServer::LaunchServer(Relay& relay, std::filesystem::path path, ListeningSocket listener)
    : relay_(relay),
      path_(std::move(path)),
      acceptor_(std::move(listener), "launch agents'", [this](Socket socket) { accept(std::move(socket)); }) {}

LaunchServer::~LaunchServer() {
  std::error_code ignored;  // somebody has removed it before
  std::filesystem::remove(path_, ignored);
}

void LaunchServer::accept(Socket socket) {
  if (!is_own_peer(socket)) return;
  const Position client = clients_.emplace(clients_.end());
  client->connection = std::make_unique<LineConnection>(
      std::move(socket), longest_line,
      LineConnection::Events{.line = [this, client](std::string_view line) { on_line(client, line); },
                             .closed = [this, client] { clients_.erase(client); }});
}

void LaunchServer::on_line(Position client, std::string_view line) {
  const json message = json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (const auto status = number<int>(message, "status"); status && !client->node.empty()) {
    relay_.when_gone(client->node, [this, node = client->node, status = *status] { end(node, status); });
    return;
  }
  const auto node = text(message, "node");
  const auto address = text(message, "address");
  const auto port = number<std::uint16_t>(message, "port");
  if (!node || !address || !port) {
    spdlog::error("a launch agent sent something that is not understood: {}", line);
    clients_.erase(client);
    return;
  }
  const auto relayed = relay_.open(*node, {*address, *port});
  if (!relayed) {
    spdlog::error("{} cannot be reached: {}", *node, relayed.error());
    clients_.erase(client);
    return;
  }
  client->node = *node;
  client->connection->send(json{{"port", *relayed}}.dump() + '\n');
}

// What mpirun hears of a shell's end it must not hear while the daemon lives, or when the job goes on without the node.
void LaunchServer::end(const std::string& node, int status) {
  const int exit = relay_.is_given_up(node) ? 0 : status;
  for (Client& client : clients_)
    if (client.node == node) client.connection->send(json{{"exit", exit}}.dump() + '\n');
}

}  // namespace cppc::run
