#include "line_connection.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <string>

namespace cppc::run {

using boost::system::error_code;

class LineConnection::Session : public std::enable_shared_from_this<Session> {
 public:
  Session(Socket socket, std::size_t longest_line, Events events)
      : socket_(std::move(socket)), longest_line_(longest_line), events_(std::move(events)) {}

  void set_longest_line(std::size_t bytes) { longest_line_ = bytes; }

  void receive() {
    asio::async_read_until(
        socket_, asio::dynamic_buffer(input_, longest_line_ + 1), '\n',
        [self = shared_from_this()](error_code failure, std::size_t bytes) { self->received(failure, bytes); });
  }

  void send(std::string_view lines) {
    waiting_ += lines;
    send_waiting();
  }

  void finish() {
    finishing_ = true;
    send_waiting();
  }

  void close() {
    error_code ignored;
    socket_.close(ignored);
  }

 private:
  void received(error_code failure, std::size_t bytes) {
    if (!socket_.is_open()) return;
    if (failure) return events_.closed();
    const std::string line = input_.substr(0, bytes - 1);
    input_.erase(0, bytes);
    events_.line(line);
    if (socket_.is_open()) receive();
  }

  void send_waiting() {
    if (!output_.empty() || !socket_.is_open()) return;
    if (waiting_.empty()) {
      error_code ignored;
      if (finishing_) socket_.shutdown(Socket::shutdown_send, ignored);
      return;
    }
    output_.swap(waiting_);
    asio::async_write(socket_, asio::buffer(output_),
                      [self = shared_from_this()](error_code failure, std::size_t) { self->sent(failure); });
  }

  void sent(error_code failure) {
    output_.clear();
    if (failure) waiting_.clear();  // the other side has closed; what is received next says so
    send_waiting();
  }

  Socket socket_;
  std::size_t longest_line_;
  const Events events_;
  std::string input_;
  std::string output_, waiting_;  // what is being sent, and what comes thereafter
  bool finishing_ = false;
};

LineConnection::LineConnection(Socket socket, std::size_t longest_line, Events events)
    : session_(std::make_shared<Session>(std::move(socket), longest_line, std::move(events))) {
  session_->receive();
}

LineConnection::~LineConnection() { session_->close(); }

void LineConnection::send(std::string_view lines) { session_->send(lines); }

void LineConnection::finish() { session_->finish(); }

void LineConnection::set_longest_line(std::size_t bytes) { session_->set_longest_line(bytes); }

}  // namespace cppc::run
