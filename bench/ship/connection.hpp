/// TCP between the two ends: what they tell each other, and the bare bytes of the reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "cppc/unique_fd.hpp"
#include "result.hpp"

namespace cppc::bench {

enum class Waiting { asleep, polling };

class Connection {
 public:
  explicit Connection(UniqueFd socket);
  static Result<Connection> to(const std::string& host, std::uint16_t port);

  Result<void> send(std::span<const std::byte> bytes, Waiting waiting = Waiting::asleep);
  Result<void> receive(std::span<std::byte> bytes, Waiting waiting = Waiting::asleep);
  Result<void> send_message(const std::string& message);
  Result<std::string> receive_message();
  [[nodiscard]] bool has_message() const;  ///< the other's end, too

 private:
  UniqueFd socket_;
};

class Listener {
 public:
  static Result<Listener> open();
  [[nodiscard]] std::uint16_t port() const { return port_; }
  Result<Connection> accept();

 private:
  Listener(UniqueFd socket, std::uint16_t port) : socket_(std::move(socket)), port_(port) {}
  UniqueFd socket_;
  std::uint16_t port_;
};

}  // namespace cppc::bench
