/// Serves HTTP on a listening socket, on the thread that runs its io_context.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <set>

#include "acceptor.hpp"
#include "http_session.hpp"

namespace cppc::tools {

class HttpServer {
 public:
  struct Settings {
    std::string whose;            ///< connections these are, for messages
    std::size_t at_a_time;        ///< so many connections; the others wait until they are accepted
    std::size_t longest;          ///< body of a request, in bytes
    AnswerToHead answer_to_head;  ///< on some thread, may wait; empty: this user and root alone may connect
    std::function<HttpAnswer(const HttpRequest&)> answer;  ///< on some thread, may wait
    std::unique_ptr<asio::ssl::context> tls;               ///< null: unencrypted
  };

  /// From any thread; the io_context has to run until this has been destroyed.
  HttpServer(asio::io_context& context, ListeningSocket listener, Settings settings);
  /// Waits until those who have been admitted have their answers. From another thread than that of the io_context.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

 private:
  using SessionPointer = std::shared_ptr<HttpSession>;

  void accept(Socket socket);
  void ended(const SessionPointer& session);
  void stop_accepting();

  asio::io_context& context_;
  const Settings settings_;
  HttpService service_;
  std::unique_ptr<Acceptor> acceptor_;
  std::set<SessionPointer> sessions_;
  bool closing_ = false;
  std::promise<void> all_ended_;
};

}  // namespace cppc::tools
