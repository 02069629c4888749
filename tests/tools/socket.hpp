/// Blocking sockets for tests. What does not come within a minute does not come.
#pragma once

#include <cstdint>
#include <string>

#include "cppc/unique_fd.hpp"

namespace cppc::test {

/// Of a blocking TCP socket, to a port of this machine.
void connect(int socket, std::uint16_t port);

class Socket {
 public:
  static Socket connect_tcp(std::uint16_t port);
  static Socket connect_unix(const std::string& path);
  explicit Socket(int fd);

  void send(const std::string& text);
  std::string receive(std::size_t bytes);  ///< fewer if the other side closes
  std::string line();                      ///< without its newline; empty when the other side has closed
  bool closed();                           ///< waits until the other side says something (false) or closes (true)
  void close() { fd_.reset(); }
  int release() { return fd_.release(); }
  void reset();           ///< closes so that the other side gets an error
  void answer_nothing();  ///< not even the system's questions any more, as of a machine that is switched off

 private:
  UniqueFd fd_;
};

class TcpListener {
 public:
  TcpListener();
  std::uint16_t port() const { return port_; }
  Socket accept();

 private:
  UniqueFd fd_;
  std::uint16_t port_ = 0;
};

}  // namespace cppc::test
