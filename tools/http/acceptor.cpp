#include "acceptor.hpp"

#include <spdlog/spdlog.h>

#include <boost/asio/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>

namespace cppc::tools {
namespace {

using boost::system::error_code;

constexpr std::chrono::milliseconds until_next_attempt{200};

}  // namespace

class Acceptor::Listening : public std::enable_shared_from_this<Listening> {
 public:
  Listening(ListeningSocket listener, std::string whose, Accepted accepted)
      : listener_(std::move(listener)),
        pause_(listener_.get_executor()),
        whose_(std::move(whose)),
        accepted_(std::move(accepted)) {}

  void wait() {
    listener_.async_wait(ListeningSocket::wait_read, [self = shared_from_this()](error_code failure) {
      if (!failure) self->accept();
    });
  }

  void hold() { held_ = true; }
  void go_on() {
    if (std::exchange(held_, false)) wait();
  }

  void close() {
    error_code ignored;
    listener_.close(ignored);
    pause_.cancel();
  }

 private:
  void accept() {
    while (listener_.is_open() && !held_) {
      error_code failure;
      Socket socket = accept_one(listener_, failure);
      if (!failure) {
        failing_ = false;
        accepted_(std::move(socket));
      } else if (failure == asio::error::would_block) {
        return wait();
      } else if (failure != asio::error::interrupted && failure != asio::error::connection_aborted) {
        return pause(failure);
      }
    }
  }

  // The connection waits, and so would be reported again at once.
  void pause(error_code reason) {
    if (!std::exchange(failing_, true))
      spdlog::error("cannot accept {} connections: {}; trying again until it works", whose_, reason.message());
    pause_.expires_after(until_next_attempt);
    pause_.async_wait([self = shared_from_this()](error_code) {
      if (self->listener_.is_open()) self->wait();
    });
  }

  ListeningSocket listener_;
  asio::steady_timer pause_;
  const std::string whose_;
  const Accepted accepted_;
  bool held_ = false;
  bool failing_ = false;  // and that has been said
};

Acceptor::Acceptor(ListeningSocket listener, std::string whose, Accepted accepted)
    : listening_(std::make_shared<Listening>(std::move(listener), std::move(whose), std::move(accepted))) {
  listening_->wait();
}

Acceptor::~Acceptor() { listening_->close(); }

void Acceptor::hold() { listening_->hold(); }

void Acceptor::go_on() { listening_->go_on(); }

}  // namespace cppc::tools
