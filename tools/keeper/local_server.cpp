#include "local_server.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

namespace cppc::keeper {
namespace {

// A keeper of the job whose connection to cppc-run is lost may be about to end; one that outlives cppc-run is not.
constexpr int times_to_bind = 20;
constexpr std::chrono::milliseconds between_times{100};

void serve_one(const UniqueFd& socket, const LocalServer::Serve& serve) {
  if (!is_own(socket.get())) return;
  std::array<char, longest_packet> packet{};
  ssize_t size = -1;
  while ((size = recv(socket.get(), packet.data(), packet.size(), 0)) < 0 && errno == EINTR) continue;
  const auto request = decode({packet.data(), static_cast<std::size_t>(size > 0 ? size : 0)});
  if (!request) return;
  const auto file = serve(*request);
  (void)answer(socket.get(), file ? Result<int>(file->get()) : tl::unexpected(file.error()));  // or it has gone
}

}  // namespace

Result<std::unique_ptr<LocalServer>> LocalServer::open(const std::string& job, Serve serve) {
  const Address own = address_of(job);
  UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  int failure = socket ? EADDRINUSE : errno;
  for (int i = 0; i < times_to_bind && failure == EADDRINUSE; ++i) {
    if (i > 0) std::this_thread::sleep_for(between_times);
    failure = bind(socket.get(), reinterpret_cast<const sockaddr*>(&own.address), own.size) == 0 ? 0 : errno;
  }
  if (failure == 0 && listen(socket.get(), SOMAXCONN) != 0) failure = errno;
  if (failure != 0) return tl::unexpected(std::string("cannot listen for ranks: ") + std::strerror(failure));
  std::unique_ptr<LocalServer> server(new LocalServer(std::move(socket), std::move(serve)));
  std::thread([raw = server.get()] { raw->run(); }).detach();
  return server;
}

// The process ends with it: threads may still wait.
LocalServer::~LocalServer() { shutdown(socket_.get(), SHUT_RDWR); }

void LocalServer::run() const {
  while (true) {
    UniqueFd one(accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!one && (errno == EINTR || errno == ECONNABORTED)) continue;
    if (!one && (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      continue;
    }
    if (!one) return;
    std::thread([socket = std::move(one), serve = serve_] { serve_one(socket, serve); }).detach();
  }
}

}  // namespace cppc::keeper
