/// A play of several connections to one server on one thread, step by step: what one step has caused is done before
/// the next.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "cppc/unique_fd.hpp"
#include "fuzz.hpp"
#include "sockets.hpp"

namespace cppc::fuzz {

/// A listening socket of the UNIX domain, without a name in any file system.
inline UniqueFd listener() {
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_un nameless{.sun_family = AF_UNIX, .sun_path = {}};
  require(bind(socket.get(), reinterpret_cast<const sockaddr*>(&nameless), sizeof nameless.sun_family) == 0 &&
          listen(socket.get(), SOMAXCONN) == 0);
  return socket;
}

/// Some connections to where `listener` listens, by digits.
class Callers {
 public:
  explicit Callers(int listener) : listener_(listener) {}

  /// Connects it first if it is not; what the server does not take is lost.
  void send(char digit, std::string_view bytes) {
    UniqueFd& one = of(digit);
    if (!one) one = connect();
    (void)::send(one.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  void hang_up(char digit) { of(digit).reset(); }

 private:
  UniqueFd& of(char digit) { return sockets_[static_cast<unsigned char>(digit) % sockets_.size()]; }

  UniqueFd connect() const {
    sockaddr_storage address{};
    socklen_t bytes = sizeof address;
    require(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &bytes) == 0);
    UniqueFd socket(::socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    require(socket && ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), bytes) == 0);
    return socket;
  }

  int listener_;
  std::array<UniqueFd, 4> sockets_;
};

inline std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// Calls act(line) for each line.
inline void play(boost::asio::io_context& context, std::span<const std::string_view> lines,
                 const std::function<void(std::string_view)>& act) {
  for (const std::string_view line : lines) {
    act(line);
    context.restart();
    while (context.poll() > 0) {
    }
  }
}

}  // namespace cppc::fuzz
