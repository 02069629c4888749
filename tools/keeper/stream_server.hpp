/// Takes connections that keepers make to this process, each on a thread of its own.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "../http/acceptor.hpp"
#include "../http/io_thread.hpp"
#include "stream.hpp"

namespace cppc::keeper {

class StreamServer {
 public:
  /// Called for each connection, which ends with the stream.
  using Serve = std::function<void(Stream stream)>;

  /// On all addresses of this machine. `silence`: of the other side, for which a connection lasts.
  static Result<std::unique_ptr<StreamServer>> start(std::chrono::seconds silence, Serve serve);
  /// From here on nobody can connect. Connections go on unless they are cut, so `serve` must be good for them.
  ~StreamServer();
  StreamServer(const StreamServer&) = delete;
  StreamServer& operator=(const StreamServer&) = delete;

  /// Where it is reached.
  const std::string& addresses() const { return addresses_; }

  /// Nobody can connect any more; ends all connections, and waits until `serve` has returned for each.
  void cut();

 private:
  class Connections;
  StreamServer(std::chrono::seconds silence, Serve serve);
  void accept(tools::Socket socket) const;

  const std::chrono::seconds silence_;
  const std::shared_ptr<Connections> connections_;  // shared with their threads
  std::string addresses_;
  std::unique_ptr<tools::IoThread> io_;
  std::unique_ptr<tools::Acceptor> acceptor_;
};

}  // namespace cppc::keeper
