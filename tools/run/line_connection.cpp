#include "line_connection.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace cppc::run {

LineConnection::LineConnection(EventLoop& loop, UniqueFd socket, std::size_t longest_line, Events events)
    : loop_(loop),
      socket_(std::move(socket)),
      longest_line_(longest_line),
      events_(std::make_shared<const Events>(std::move(events))) {
  loop_.watch(socket_.get(), EPOLLIN, [this](std::uint32_t events) { on_events(events); });
}

LineConnection::~LineConnection() {
  *alive_ = false;
  loop_.forget(socket_.get());
}

void LineConnection::send(std::string_view lines) {
  output_ += lines;
  flush();
}

void LineConnection::finish() {
  finishing_ = true;
  flush();
}

void LineConnection::on_events(std::uint32_t events) {
  if ((events & EPOLLOUT) != 0) flush();
  if ((events & ~EPOLLOUT) == 0) return;
  const auto alive = alive_;
  const auto callbacks = events_;
  const bool open = receive();
  deliver();
  if (*alive && (!open || input_.size() > longest_line_)) {
    loop_.forget(socket_.get());
    callbacks->closed();
  }
}

// Takes what has arrived; false when the other side has closed.
bool LineConnection::receive() {
  std::array<char, 65536> buffer{};
  while (input_.size() <= longest_line_) {
    const ssize_t got = recv(socket_.get(), buffer.data(), buffer.size(), 0);
    if (got > 0) {
      input_.append(buffer.data(), static_cast<std::size_t>(got));
    } else if (got < 0 && errno == EINTR) {
      continue;
    } else {
      return got < 0 && errno == EAGAIN;
    }
  }
  return true;
}

void LineConnection::deliver() {
  const auto alive = alive_;
  const auto callbacks = events_;
  std::size_t begin = 0;  // of what has not been delivered: many lines may be waiting
  while (*alive) {
    const std::size_t end = input_.find('\n', begin);
    if (end == std::string::npos) break;
    const std::string line = input_.substr(begin, end - begin);
    begin = end + 1;
    callbacks->line(line);
  }
  if (*alive) input_.erase(0, begin);
}

void LineConnection::flush() {
  while (!output_.empty()) {
    const ssize_t sent = ::send(socket_.get(), output_.data(), output_.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno != EAGAIN) output_.clear();  // the other side has closed; the next event says so
    if (sent < 0) break;
    output_.erase(0, static_cast<std::size_t>(sent));
  }
  if (finishing_ && output_.empty()) shutdown(socket_.get(), SHUT_WR);
  loop_.change(socket_.get(), output_.empty() ? EPOLLIN : EPOLLIN | EPOLLOUT);
}

}  // namespace cppc::run
