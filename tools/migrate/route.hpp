/// How requests come to a job's interface: by its socket on this machine, or over the network.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

#include "../common/result.hpp"
#include "http_client.hpp"

namespace cppc::migrate {

using tools::Result;

class Route {
 public:
  virtual ~Route() = default;

  /// The answer, which may take that long.
  virtual HttpReply ask(const HttpRequest& request, std::chrono::milliseconds timeout) const = 0;
  /// What its header says of who asks; empty: nothing.
  virtual Result<std::string> authorization(const std::string& method, const std::string& path) const = 0;
  /// Whether nobody listens there any more, rather than not answer in time. It may take `timeout` to know.
  virtual bool gone(std::chrono::milliseconds timeout) const = 0;
  /// Between requests that ask how things are.
  virtual std::chrono::milliseconds pause() const = 0;
};

std::shared_ptr<const Route> by_socket(std::filesystem::path socket);

/// What the user has said about a job elsewhere.
struct RemoteJob {
  std::string server;                ///< "https://HOST:PORT"
  std::filesystem::path authority;   ///< certificates that the server's has to lead to; empty: the system's
  std::filesystem::path token_file;  ///< empty: MUNGE says who asks
};

/// An error when that cannot be right.
Result<std::shared_ptr<const Route>> by_network(const RemoteJob& job);

}  // namespace cppc::migrate
