/// Answers the launch agents (see launch_messages.hpp): gives each node's daemon its port of the relay, and says how a
/// launch agent is to end. Lives on the thread that runs its
/// io_context.
#pragma once

#include <filesystem>
#include <list>

#include "acceptor.hpp"
#include "line_connection.hpp"
#include "relay.hpp"

namespace cppc::run {

using namespace tools;

class LaunchServer {
 public:
  /// `relay` has to outlive the server.
  static Result<std::unique_ptr<LaunchServer>> create(asio::io_context& context, Relay& relay,
                                                      const std::filesystem::path& path);
  ~LaunchServer();
  LaunchServer(const LaunchServer&) = delete;
  LaunchServer& operator=(const LaunchServer&) = delete;

 private:
  struct Client {
    std::string node;  // empty until it has said so
    std::unique_ptr<LineConnection> connection;
  };
  using Position = std::list<Client>::iterator;

  LaunchServer(Relay& relay, std::filesystem::path path, ListeningSocket listener);
  void accept(Socket socket);
  void on_line(Position client, std::string_view line);
  void end(const std::string& node, int status);

  Relay& relay_;
  std::filesystem::path path_;
  Acceptor acceptor_;
  std::list<Client> clients_;
};

}  // namespace cppc::run
