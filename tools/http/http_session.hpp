/// One connection of an HTTP server, with one request: reads it, has it answered, and closes. There is an end to the
/// time and the bytes of all that the other side does. Lives on the thread that runs the io_context.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <memory>

#include "http_message.hpp"
#include "sockets.hpp"

namespace cppc::tools {

/// What its sessions have from a server; it has to outlive them.
struct HttpService {
  std::size_t longest = 0;      ///< body of a request, in bytes
  AnswerToHead answer_to_head;  ///< of who is not known yet
  std::function<HttpAnswer(const HttpRequest&)> answer;
  asio::thread_pool workers{8};  ///< call these two, which may wait
};

class HttpSession {
 public:
  virtual ~HttpSession() = default;

  /// Calls `ended` once, after the connection has been closed; not before it returns.
  virtual void start(std::function<void()> ended) = 0;

  /// Nobody is waited for any more who has not been admitted, or has his answer; and not for long who watches: his
  /// stream has to end.
  virtual void finish_soon() = 0;
};

/// Of this user or root: who has connected need not be admitted.
std::shared_ptr<HttpSession> own_user_session(Socket socket, HttpService& service);

/// Of anybody, unencrypted.
std::shared_ptr<HttpSession> plain_session(Socket socket, HttpService& service);

/// Of anybody.
std::shared_ptr<HttpSession> tls_session(Socket socket, asio::ssl::context& tls, HttpService& service);

}  // namespace cppc::tools
