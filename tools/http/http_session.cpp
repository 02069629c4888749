#include "http_session.hpp"

#include <spdlog/spdlog.h>

#include <array>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <type_traits>
#include <utility>

namespace cppc::tools {
namespace {

namespace http = boost::beast::http;
using boost::system::error_code;
using nlohmann::json;
using namespace std::chrono_literals;

constexpr auto admission_timeout = 5s;  // for all that comes before they are admitted
constexpr auto watchers_timeout = 1s;   // for the end of an answer that goes on, when the server closes
constexpr auto timeout = 60s;           // for the rest of the request, and for the answer
constexpr std::size_t longest_head = 16 << 10;
constexpr std::size_t longest_target = 8192;

constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";

using TlsStream = asio::ssl::stream<Socket>;

Socket& socket_of(Socket& stream) { return stream; }
Socket& socket_of(TlsStream& stream) { return stream.next_layer(); }

std::string peer_of(const Socket& socket) {
  error_code failure;
  const auto peer = socket.remote_endpoint(failure);
  asio::ip::tcp::endpoint endpoint;
  if (failure || peer.size() > endpoint.capacity()) return "somebody who has gone";
  std::memcpy(endpoint.data(), peer.data(), peer.size());
  return endpoint.address().to_string();
}

std::string head_of(const HttpAnswer& answer) {
  http::response<http::empty_body> head;
  head.result(static_cast<unsigned>(answer.status));
  head.set(http::field::content_type, answer.content_type);
  for (const auto& [name, value] : answer.headers) head.set(name, value);
  head.keep_alive(false);
  if (answer.stream) {
    head.set(http::field::cache_control, "no-store");
  } else {
    head.content_length(answer.body.size());
  }
  std::ostringstream text;
  text << head.base();
  return text.str();
}

/// Whether what has come is not HTTP as it is wanted here, rather than that nothing comes.
bool is_of_http(error_code failure) {
  return failure.category() == http::make_error_code(http::error::bad_value).category();
}

template <class Stream>
class Session final : public HttpSession, public std::enable_shared_from_this<Session<Stream>> {
 public:
  template <class... More>
  Session(HttpService& service, bool admitted, Socket socket, More&... more)
      : service_(service),
        stream_(std::move(socket), more...),
        executor_(socket_of(stream_).get_executor()),
        deadline_(executor_),
        admitted_(admitted) {
    parser_.header_limit(longest_head);
    parser_.body_limit(boost::none);  // which would count before it is known who asks
  }

  void start(std::function<void()> ended) override {
    ended_ = std::move(ended);
    give(admission_timeout);
    if constexpr (is_tls) {
      stream_.async_handshake(TlsStream::server, call([this] { receive_head(); }));
    } else {
      receive_head();
    }
  }

  void finish_soon() override {
    closing_ = true;
    if (!admitted_ || parting_) return end();
    if (endless_) give(watchers_timeout);
  }

 private:
  static constexpr bool is_tls = std::is_same_v<Stream, TlsStream>;

  /// Calls `next` unless the step before it has failed, or this is over.
  template <class Next>
  auto call(Next next) {
    return [self = this->shared_from_this(), next](error_code failure, std::size_t = 0) {
      if (self->over_) return;
      if (failure) return self->end();
      next();
    };
  }

  /// Has a worker call `work`, and calls `next` with what it returns.
  template <class Work, class Next>
  void have_done(Work work, Next next) {
    asio::post(service_.workers, [self = this->shared_from_this(), work, next] {
      asio::post(self->executor_, [self, next, result = work()] {
        if (!self->over_) next(result);
      });
    });
  }

  void give(std::chrono::seconds time) {
    deadline_.expires_after(time);
    deadline_.async_wait([self = this->shared_from_this()](error_code failure) {
      if (!failure && self->deadline_.expiry() <= std::chrono::steady_clock::now()) self->end();
    });
  }

  void receive_head() {
    http::async_read_header(
        stream_, buffer_, parser_,
        [self = this->shared_from_this()](error_code failure, std::size_t) { self->head_received(failure); });
  }

  void head_received(error_code failure) {
    if (over_) return;
    const auto& head = parser_.get();
    if (!is_of_http(failure)) {
      if (failure) return end();
    } else if (failure == http::error::end_of_stream || (head.target().empty() && is_too_long(failure))) {
      return end();
    } else {
      return refuse(http::status::bad_request, "the request is malformed, or too long");
    }
    request_.method = head.method_string();
    request_.path = head.target().substr(0, head.target().find('?'));
    for (auto [one, end] = head.equal_range(http::field::authorization); one != end; ++one)
      request_.authorization.emplace_back(one->value());
    request_.last_event_id = head["Last-Event-ID"];
    request_.cookie = head[http::field::cookie];
    request_.csrf_token = head["X-CSRF-Token"];
    if (admitted_) {
      request_.user = user_at(socket_of(stream_));
      return admitted();
    }
    request_.peer = peer_of(socket_of(stream_));
    have_done([this] { return service_.answer_to_head(request_); },
              [this](const std::optional<HttpAnswer>& answer) { answer ? answer_head(*answer) : admitted(); });
  }

  static bool is_too_long(error_code failure) {
    return failure == http::error::header_limit || failure == http::error::buffer_overflow;
  }

  void answer_head(const HttpAnswer& answer) {
    if (answer.status >= 400) spdlog::info("a request from {} has been refused", request_.peer);
    send(answer);
  }

  void admitted() {
    admitted_ = true;
    give(timeout);
    if (request_.path.size() > longest_target) return refuse(http::status::uri_too_long, "the path is too long");
    if (parser_.content_length().value_or(0) > service_.longest) return refuse_long();
    parser_.body_limit(service_.longest);
    if (!boost::beast::iequals(parser_.get()[http::field::expect], "100-continue")) return receive_body();
    asio::async_write(stream_, asio::buffer(go_on), call([this] { receive_body(); }));
  }

  void receive_body() {
    http::async_read(stream_, buffer_, parser_, [self = this->shared_from_this()](error_code failure, std::size_t) {
      self->body_received(failure);
    });
  }

  void body_received(error_code failure) {
    if (over_) return;
    if (failure == http::error::body_limit) return refuse_long();
    if (is_of_http(failure)) return refuse(http::status::bad_request, "the request is malformed");
    if (failure) return end();
    request_.body = std::move(parser_.get().body());
    have_done([this] { return service_.answer(request_); }, [this](const HttpAnswer& answer) { send(answer); });
  }

  void refuse_long() { refuse(http::status::payload_too_large, "the request is too long"); }

  void refuse(http::status status, const char* reason) { send(error_answer(static_cast<int>(status), reason)); }

  void send(const HttpAnswer& answer) {
    answer_ = head_of(answer);
    if (request_.method != "HEAD") {
      answer_ += answer.body;
      endless_ = answer.stream;
    }
    asio::async_write(stream_, asio::buffer(answer_), call([this] { sent(); }));
  }

  void sent() {
    if (!endless_) return part();
    give(timeout);
    endless_->next([self = this->shared_from_this()](std::string more) {
      asio::post(self->executor_, [self, more = std::move(more)]() mutable { self->send_more(std::move(more)); });
    });
  }

  void send_more(std::string more) {
    if (over_) return;
    if (more.empty()) return part();
    answer_ = std::move(more);
    asio::async_write(stream_, asio::buffer(answer_), call([this] { sent(); }));
  }

  // To close a socket that has something to read left takes the answer from the other side's hands.
  void part() {
    parting_ = true;
    give(admission_timeout);
    if constexpr (is_tls) {
      SSL_set_shutdown(stream_.native_handle(), SSL_RECEIVED_SHUTDOWN);  // what the other side says now does not matter
      stream_.async_shutdown(call([this] { close_own_side(); }));
    } else {
      close_own_side();
    }
  }

  void close_own_side() {
    error_code ignored;
    socket_of(stream_).shutdown(Socket::shutdown_send, ignored);
    if (closing_) return end();
    discard();
  }

  void discard() {
    socket_of(stream_).async_read_some(asio::buffer(rest_), call([this] { discard(); }));
  }

  void end() {
    if (std::exchange(over_, true)) return;
    deadline_.cancel();
    error_code ignored;
    socket_of(stream_).close(ignored);
    asio::post(executor_, ended_);
  }

  HttpService& service_;
  Stream stream_;
  Socket::executor_type executor_;
  asio::steady_timer deadline_;
  boost::beast::flat_buffer buffer_{longest_head};
  http::request_parser<http::string_body> parser_;
  HttpRequest request_;
  std::string answer_;
  std::shared_ptr<HttpStream> endless_;
  std::array<char, 4096> rest_{};
  std::function<void()> ended_;
  bool admitted_;
  bool parting_ = false;  // the answer has been sent
  bool closing_ = false;  // finish_soon() has been called
  bool over_ = false;
};

}  // namespace

HttpAnswer error_answer(int status, const std::string& text) {
  return {status, json{{"error", text}}.dump(-1, ' ', false, json::error_handler_t::replace) + "\n"};
}

std::shared_ptr<HttpSession> own_user_session(Socket socket, HttpService& service) {
  return std::make_shared<Session<Socket>>(service, /*admitted=*/true, std::move(socket));
}

std::shared_ptr<HttpSession> plain_session(Socket socket, HttpService& service) {
  return std::make_shared<Session<Socket>>(service, /*admitted=*/false, std::move(socket));
}

std::shared_ptr<HttpSession> tls_session(Socket socket, asio::ssl::context& tls, HttpService& service) {
  return std::make_shared<Session<TlsStream>>(service, /*admitted=*/false, std::move(socket), tls);
}

}  // namespace cppc::tools
