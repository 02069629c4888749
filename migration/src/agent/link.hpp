/// An agent's connection to the controller. Used by one thread.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "cppc/unique_fd.hpp"
#include "cppc/wire.hpp"

namespace cppc::migration {

class Link {
 public:
  /// Connects to the first of "10.0.0.1:4711,[fd00::1]:4711" that answers.
  static tl::expected<Link, cppc_status> connect(std::string_view addresses);

  /// To wait on with poll(2).
  [[nodiscard]] int descriptor() const { return socket_.get(); }

  /// The controller has closed it, or is gone.
  [[nodiscard]] bool closed() const;

  /// CPPC_ERR_PEER when the controller is gone.
  tl::expected<void, cppc_status> send(const wire::Message& message);

  /// What has arrived, without waiting. CPPC_ERR_PEER when the controller is gone.
  tl::expected<std::vector<wire::Message>, cppc_status> receive();

  /// For tests of faults: what the controller cannot understand; the end of the connection.
  void send_malformed();
  void cut();

 private:
  tl::expected<void, cppc_status> send_line(std::string_view line);
  explicit Link(UniqueFd socket) : socket_(std::move(socket)) {}
  UniqueFd socket_;
  std::string input_;
};

}  // namespace cppc::migration
