/// A connected socket that carries lines. Lives on the thread that runs its io_context.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "sockets.hpp"

namespace cppc::run {

using namespace tools;

class LineConnection {
 public:
  struct Events {
    std::function<void(std::string_view line)> line;  ///< without its newline
    std::function<void()> closed;                     ///< by the other side, or for a line that is too long
  };

  /// The callbacks may destroy the connection.
  LineConnection(Socket socket, std::size_t longest_line, Events events);
  ~LineConnection();
  LineConnection(const LineConnection&) = delete;
  LineConnection& operator=(const LineConnection&) = delete;

  /// Sends `lines` as they are; what cannot be sent at once follows later.
  void send(std::string_view lines);

  /// Nothing more is sent; the other side can go on.
  void finish();

  void set_longest_line(std::size_t bytes);

 private:
  class Session;
  std::shared_ptr<Session> session_;  // shared with what is called back
};

}  // namespace cppc::run
