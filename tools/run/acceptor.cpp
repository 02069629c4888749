#include "acceptor.hpp"

#include <spdlog/spdlog.h>
#include <sys/epoll.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "sockets.hpp"

namespace cppc::run {
namespace {

constexpr std::chrono::milliseconds until_next_attempt{200};

}  // namespace

Acceptor::Acceptor(EventLoop& loop, UniqueFd listener, std::string whose, std::function<void(UniqueFd)> accepted)
    : loop_(loop),
      listener_(std::move(listener)),
      whose_(std::move(whose)),
      accepted_(std::make_shared<const std::function<void(UniqueFd)>>(std::move(accepted))) {
  listen();
}

Acceptor::~Acceptor() {
  *alive_ = false;
  loop_.forget(listener_.get());
}

void Acceptor::listen() {
  loop_.watch(listener_.get(), EPOLLIN, [this](std::uint32_t) { accept(); });
}

void Acceptor::accept() {
  const auto alive = alive_;
  const auto accepted = accepted_;
  while (*alive) {
    UniqueFd socket = accept_one(listener_.get());
    const int reason = errno;
    if (socket) {
      failing_ = false;
      (*accepted)(std::move(socket));
    } else if (reason == EAGAIN) {
      return;
    } else if (reason != EINTR && reason != ECONNABORTED) {
      return pause(reason);
    }
  }
}

// The connection waits, and so would be reported again at once.
void Acceptor::pause(int reason) {
  if (!std::exchange(failing_, true))
    spdlog::error("cannot accept {} connections: {}; trying again until it works", whose_, std::strerror(reason));
  loop_.forget(listener_.get());
  loop_.after(until_next_attempt, [this, alive = alive_] {
    if (*alive) listen();
  });
}

}  // namespace cppc::run
