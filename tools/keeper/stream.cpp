#include "stream.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <sstream>

#include "../http/sockets.hpp"

namespace cppc::keeper {
namespace {

using tools::error;

std::string why() { return errno == EAGAIN ? "it does not answer" : std::strerror(errno); }

void tune(int socket, std::chrono::seconds silence) {
  const int flags = fcntl(socket, F_GETFL);
  fcntl(socket, F_SETFL, flags & ~O_NONBLOCK);
  const timeval timeout{.tv_sec = silence.count(), .tv_usec = 0};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);  // connect() has it, too
  const int at_once = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
}

Result<tools::asio::ip::tcp::endpoint> endpoint_of(const std::string& text) {
  const auto colon = text.rfind(':');
  tools::Endpoint endpoint{text.substr(0, colon), 0};
  if (endpoint.address.starts_with('[')) endpoint.address = endpoint.address.substr(1, endpoint.address.size() - 2);
  if (colon != std::string::npos) std::from_chars(text.data() + colon + 1, text.data() + text.size(), endpoint.port);
  return tools::numeric_endpoint(endpoint);
}

Result<UniqueFd> connect_to(const std::string& address, std::chrono::seconds silence) {
  const auto endpoint = endpoint_of(address);
  if (!endpoint) return error(endpoint.error());
  UniqueFd socket(::socket(endpoint->protocol().family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) return error(why());
  tune(socket.get(), silence);
  if (::connect(socket.get(), endpoint->data(), static_cast<socklen_t>(endpoint->size())) == 0) return socket;
  return error(errno == EINPROGRESS ? "it does not answer" : why());
}

}  // namespace

Stream::Stream(UniqueFd socket, std::chrono::seconds silence) : socket_(std::move(socket)) {
  tune(socket_.get(), silence);
}

Result<Stream> Stream::connect(const std::string& addresses, std::chrono::seconds silence) {
  std::string failure = "it has no address";
  std::istringstream list(addresses);
  for (std::string one; std::getline(list, one, ',');) {
    auto socket = connect_to(one, silence);
    if (socket) return Stream(*std::move(socket), silence);
    failure = one + ": " + socket.error();
  }
  return error(failure);
}

Result<void> Stream::send(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return error("the connection is lost: " + why());
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
  return {};
}

Result<void> Stream::receive(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = recv(socket_.get(), bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) return error("the connection has been closed");
    if (got < 0) return error("the connection is lost: " + why());
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  return {};
}

Result<void> Stream::send_line(const nlohmann::json& object) {
  const std::string line = object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
  return send(std::as_bytes(std::span(line)));
}

Result<nlohmann::json> Stream::receive_line() {
  std::string line;
  for (char one = 0; one != '\n'; line += one) {
    if (line.size() > longest) return error("a line of it is too long");
    const auto got = receive(std::as_writable_bytes(std::span(&one, 1)));
    if (!got) return error(got.error());
  }
  auto object = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return error("it does not speak as a keeper does");
  return object;
}

}  // namespace cppc::keeper
