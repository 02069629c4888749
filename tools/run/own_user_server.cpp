#include "own_user_server.hpp"

#include <poll.h>

#include "../common/unique_fd.hpp"

namespace cppc::run {
namespace {

constexpr int patience_ms = 5000;

bool is_own_peer(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && (peer.uid == geteuid() || peer.uid == 0);
}

class SocketStream : public httplib::Stream {
 public:
  explicit SocketStream(socket_t socket) : socket_(socket) {}
  bool is_readable() const override { return wait_for(POLLIN); }
  bool is_writable() const override { return wait_for(POLLOUT); }
  ssize_t read(char* data, size_t size) override { return is_readable() ? recv(socket_, data, size, 0) : -1; }
  ssize_t write(const char* data, size_t size) override {
    return is_writable() ? send(socket_, data, size, MSG_NOSIGNAL) : -1;
  }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return socket_; }

 private:
  bool wait_for(short events) const {
    pollfd one{socket_, events, 0};
    return poll(&one, 1, patience_ms) > 0;
  }
  socket_t socket_;
};

}  // namespace

bool OwnUserServer::process_and_close_socket(socket_t socket) {
  const tools::UniqueFd owned(socket);
  if (!is_own_peer(socket)) return false;
  SocketStream stream(socket);
  bool closed = false;
  return process_request(stream, /*close_connection=*/true, closed, nullptr);
}

}  // namespace cppc::run
