#include "http_server.hpp"

#include <spdlog/spdlog.h>

#include "io_thread.hpp"

namespace cppc::tools {

HttpServer::HttpServer(asio::io_context& context, ListeningSocket listener, Settings settings)
    : context_(context), settings_(std::move(settings)) {
  service_.longest = settings_.longest;
  service_.answer_to_head = settings_.answer_to_head;
  service_.answer = settings_.answer;
  post(context_, [this, socket = std::make_shared<ListeningSocket>(std::move(listener))] {
    acceptor_ = std::make_unique<Acceptor>(std::move(*socket), settings_.whose,
                                           [this](Socket connection) { accept(std::move(connection)); });
  });
}

HttpServer::~HttpServer() {
  post(context_, [this] { stop_accepting(); });
  all_ended_.get_future().wait();
  service_.workers.join();
}

void HttpServer::accept(Socket socket) {
  if (!settings_.answer_to_head && !is_own_peer(socket)) return;
  const SessionPointer session = settings_.tls              ? tls_session(std::move(socket), *settings_.tls, service_)
                                 : settings_.answer_to_head ? plain_session(std::move(socket), service_)
                                                            : own_user_session(std::move(socket), service_);
  sessions_.insert(session);
  if (sessions_.size() >= settings_.at_a_time) acceptor_->hold();
  session->start([this, weak = std::weak_ptr(session)] { ended(weak.lock()); });
}

void HttpServer::ended(const SessionPointer& session) {
  sessions_.erase(session);
  if (acceptor_) acceptor_->go_on();
  if (closing_ && sessions_.empty()) all_ended_.set_value();
}

void HttpServer::stop_accepting() {
  closing_ = true;
  acceptor_.reset();
  for (const SessionPointer& session : sessions_) session->finish_soon();
  if (sessions_.empty()) all_ended_.set_value();
}

}  // namespace cppc::tools
