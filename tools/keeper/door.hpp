/// Where ranks and agents of the node ask for files (cppc/keeper.hpp).
#pragma once

#include <functional>
#include <memory>

#include "cppc/keeper.hpp"

namespace cppc::keeper {

class Door {
 public:
  /// What becomes of a request: the file, -1 for none. Called on a thread of each process that asks; the file is closed
  /// when it has been sent.
  using Serve = std::function<tl::expected<UniqueFd, std::string>(const Request&)>;

  /// An error when there is a keeper of the job already.
  static Result<std::unique_ptr<Door>> open(const std::string& job, Serve serve);
  ~Door();
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

 private:
  Door(UniqueFd socket, Serve serve) : socket_(std::move(socket)), serve_(std::move(serve)) {}
  void run() const;

  UniqueFd socket_;
  Serve serve_;
};

}  // namespace cppc::keeper
