/// The controller's side of the connections to the agents (cppc/wire.hpp). Lives on the thread that runs its
/// io_context.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>

#include "acceptor.hpp"
#include "cppc/wire.hpp"
#include "line_connection.hpp"
#include "sockets.hpp"

namespace cppc::run {

using namespace tools;

class AgentServer {
 public:
  struct Events {
    std::function<void(const wire::Hello&)> joined;
    std::function<void(const wire::Message&)> received;  ///< of an agent or its guardian, but Hello and Farewell
    std::function<void(int agent)> left;                 ///< it is gone, or dismissed: no more of it is received
    /// Thereafter: its connection is closed. Clean: once the ranks on its node had ended.
    std::function<void(int agent, bool clean)> gone;
  };

  /// Expects `agents` agents, each once, with its agent_key() of `key`, and substitutes for them with theirs.
  AgentServer(Listener listener, std::string key, int agents, Events events);
  ~AgentServer() = default;
  AgentServer(const AgentServer&) = delete;
  AgentServer& operator=(const AgentServer&) = delete;

  [[nodiscard]] bool connected(int agent) const { return connection_of_.contains(agent); }
  [[nodiscard]] bool any_connected() const { return !connection_of_.empty(); }

  /// No effect when the agent is not connected.
  void send(int agent, const wire::Message& message);

  /// Says nothing more to any agent, or to this one: they exit.
  void dismiss();
  void drop(int agent);

 private:
  struct Client {
    int agent = -1;         // until it has said Hello
    bool farewell = false;  // has been said
    std::unique_ptr<LineConnection> connection;
  };
  using Position = std::list<Client>::iterator;

  void accept(Socket socket);
  void on_line(Position client, std::string_view line);
  bool greet(Position client, const wire::Message& message);
  bool welcome(Position client, const wire::Hello& hello);
  bool replace(Position client, const wire::Substitute& substitute);
  void serve(Position client, int agent);
  bool take(Client& client, const wire::Message& message);
  void dismiss(Client& client);
  void leave(int agent);
  void close(Position client);

  Acceptor acceptor_;
  std::string key_;
  int agents_;
  Events events_;
  std::list<Client> clients_;
  std::map<int, int> substitutes_;                // of agents that have said Hello, gone or not: how many they have had
  std::map<int, LineConnection*> connection_of_;  // of those that are connected
};

}  // namespace cppc::run
