#include "stream_server.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

namespace cppc::keeper {

using tools::error;

class StreamServer::Connections {
 public:
  explicit Connections(Serve serve) : serve_(std::move(serve)) {}

  void add(int socket) {
    const std::lock_guard lock(mutex_);
    sockets_.insert(socket);
  }

  // The socket stays open until it is not listed any more: its number is that of no other one.
  void serve(UniqueFd socket, std::chrono::seconds silence) {
    UniqueFd same(fcntl(socket.get(), F_DUPFD_CLOEXEC, 0));
    if (same) serve_(Stream(std::move(same), silence));
    const std::lock_guard lock(mutex_);
    sockets_.erase(socket.get());
    socket.reset();
    ended_.notify_all();
  }

  void cut() {
    std::unique_lock lock(mutex_);
    for (const int socket : sockets_) shutdown(socket, SHUT_RDWR);
    ended_.wait(lock, [this] { return sockets_.empty(); });
  }

 private:
  const Serve serve_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::set<int> sockets_;
};

StreamServer::StreamServer(std::chrono::seconds silence, Serve serve)
    : silence_(silence), connections_(std::make_shared<Connections>(std::move(serve))) {}

Result<std::unique_ptr<StreamServer>> StreamServer::start(std::chrono::seconds silence, Serve serve) {
  std::unique_ptr<StreamServer> server(new StreamServer(silence, std::move(serve)));
  auto io = tools::IoThread::create();
  if (!io) return error(std::move(io).error());
  server->io_ = *std::move(io);
  auto listener = tools::listen_on_tcp(server->io_->context(), tools::Reach::network);
  if (!listener) return error(std::move(listener).error());
  server->addresses_ = tools::reachable_at(listener->port, tools::Reach::network);
  server->acceptor_ =
      std::make_unique<tools::Acceptor>(std::move(listener->socket), "keepers'",
                                        [raw = server.get()](tools::Socket socket) { raw->accept(std::move(socket)); });
  server->io_->start();
  return server;
}

StreamServer::~StreamServer() {
  if (io_) io_->stop();
}

void StreamServer::accept(tools::Socket socket) const {
  boost::system::error_code failure;
  UniqueFd descriptor(socket.release(failure));
  if (failure) return;
  connections_->add(descriptor.get());
  std::thread([connections = connections_, silence = silence_, one = std::move(descriptor)]() mutable {
    connections->serve(std::move(one), silence);
  }).detach();
}

void StreamServer::cut() {
  io_->stop();
  connections_->cut();
}

}  // namespace cppc::keeper
