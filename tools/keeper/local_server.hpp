/// Where ranks and agents of the node ask for files (cppc/keeper.hpp).
#pragma once

#include <functional>
#include <memory>

#include "cppc/keeper.hpp"

namespace cppc::keeper {

class LocalServer {
 public:
  /// What becomes of a request: the file, -1 for none. Called on a thread of each process that asks; the file is closed
  /// when it has been sent.
  using Serve = std::function<tl::expected<UniqueFd, std::string>(const Request&)>;

  /// An error when there is a keeper of the job already.
  static Result<std::unique_ptr<LocalServer>> open(const std::string& job, Serve serve);
  ~LocalServer();
  LocalServer(const LocalServer&) = delete;
  LocalServer& operator=(const LocalServer&) = delete;

 private:
  LocalServer(UniqueFd socket, Serve serve) : socket_(std::move(socket)), serve_(std::move(serve)) {}
  void run() const;

  UniqueFd socket_;
  Serve serve_;
};

}  // namespace cppc::keeper
