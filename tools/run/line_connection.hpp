/// A connected socket that carries lines. Lives on an event loop's thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "event_loop.hpp"

namespace cppc::run {

class LineConnection {
 public:
  struct Events {
    std::function<void(std::string_view line)> line;  ///< without its newline
    std::function<void()> closed;                     ///< by the other side, or for a line that is too long
  };

  /// The callbacks may destroy the connection. `socket` has to be non-blocking.
  LineConnection(EventLoop& loop, UniqueFd socket, std::size_t longest_line, Events events);
  ~LineConnection();
  LineConnection(const LineConnection&) = delete;
  LineConnection& operator=(const LineConnection&) = delete;

  /// Sends `lines` as they are; what cannot be sent at once follows later.
  void send(std::string_view lines);

  /// Nothing more is sent; the other side can go on.
  void finish();

  void set_longest_line(std::size_t bytes) { longest_line_ = bytes; }

 private:
  void on_events(std::uint32_t events);
  bool receive();
  void deliver();
  void flush();

  EventLoop& loop_;
  UniqueFd socket_;
  std::size_t longest_line_;
  std::shared_ptr<const Events> events_;  // shared with the callback that runs and may destroy this
  std::string input_, output_;
  bool finishing_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // false once a callback has destroyed this
};

}  // namespace cppc::run
