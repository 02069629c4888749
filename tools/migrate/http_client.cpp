#include "http_client.hpp"

#include <openssl/x509v3.h>

#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <optional>

#include "../common/job_directory.hpp"

namespace cppc::migrate {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;
using TlsStream = asio::ssl::stream<tcp::socket>;

constexpr std::uint64_t longest_answer = 1 << 30;

/// Steps that are waited for one after the other, all until one point in time.
class Steps {
 public:
  explicit Steps(std::chrono::milliseconds timeout) : end_(Clock::now() + timeout) {}

  asio::io_context& context() { return context_; }

  /// What has come of the operation that `begin` begins with the handler it is given; `cancel` ends it early.
  template <class Begin, class Cancel>
  error_code carry_out(Begin begin, Cancel cancel, std::optional<std::chrono::milliseconds> limit = {}) {
    std::optional<error_code> result;
    begin([&result](error_code failure, auto&&...) { result = failure; });
    context_.restart();
    context_.run_until(limit ? std::min(end_, Clock::now() + *limit) : end_);
    if (result) return *result;
    cancel();
    context_.run();
    return asio::error::timed_out;
  }

 private:
  asio::io_context context_;
  const Clock::time_point end_;
};

template <class Socket>
void close(Socket& socket) {
  error_code ignored;
  socket.close(ignored);
}

HttpReply failed(std::string reason) { return {0, "", std::move(reason)}; }

std::string why_no_answer(error_code failure) {
  return failure == asio::error::timed_out ? "it has not answered in time"
                                           : "it has not answered: " + failure.message();
}

http::request<http::string_body> message(const HttpRequest& request, const std::string& host) {
  http::request<http::string_body> message;
  message.method_string(request.method);
  message.target(request.target);
  message.set(http::field::host, host);
  message.set(http::field::connection, "close");
  message.body() = request.body;
  message.prepare_payload();
  for (const auto& [name, value] : request.headers) {
    if (boost::beast::iequals(name, "Content-Length")) message.erase(name);
    message.insert(name, value);
  }
  return message;
}

/// On a stream that is connected.
template <class Stream, class Cancel>
HttpReply exchange(Steps& steps, Stream& stream, const http::request<http::string_body>& request, Cancel cancel) {
  const auto sent =
      steps.carry_out([&](auto handler) { http::async_write(stream, request, std::move(handler)); }, cancel);
  if (sent) return failed(why_no_answer(sent));
  boost::beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.body_limit(longest_answer);
  const auto received =
      steps.carry_out([&](auto handler) { http::async_read(stream, buffer, parser, std::move(handler)); }, cancel);
  if (received) return failed(why_no_answer(received));
  return {static_cast<int>(parser.get().result_int()), std::move(parser.get().body()), ""};
}

std::string trust(asio::ssl::context& tls, const std::filesystem::path& authority) {
  error_code failure;
  if (authority.empty()) {
    tls.set_default_verify_paths(failure);
    if (failure) return "there are no certificates of this system: " + failure.message();
  } else {
    tls.load_verify_file(authority.string(), failure);
    if (failure) return "there are no certificates in the file that --ca names";
  }
  tls.set_verify_mode(asio::ssl::verify_peer, failure);
  return failure ? failure.message() : "";
}

bool is_address(const std::string& host) {
  error_code failure;
  asio::ip::make_address(host, failure);
  return !failure;
}

bool is_certificate_of(SSL* session, const std::string& host) {
  X509* const certificate = SSL_get0_peer_certificate(session);
  return certificate != nullptr &&
         (is_address(host) ? X509_check_ip_asc(certificate, host.c_str(), 0) == 1
                           : X509_check_host(certificate, host.data(), host.size(), 0, nullptr) == 1);
}

std::string host_and_port(const TlsServer& server) {
  const std::string host = server.host.find(':') == std::string::npos ? server.host : "[" + server.host + "]";
  return host + ":" + std::to_string(server.port);
}

error_code connect(Steps& steps, tcp::socket& socket, const TlsServer& server, std::chrono::milliseconds timeout) {
  tcp::resolver resolver(steps.context());
  tcp::resolver::results_type places;
  const auto found = steps.carry_out(
      [&](auto handler) {
        resolver.async_resolve(server.host, std::to_string(server.port), tcp::resolver::numeric_service,
                               [&places, handler](error_code failure, const tcp::resolver::results_type& results) {
                                 places = results;
                                 handler(failure);
                               });
      },
      [&] { resolver.cancel(); });
  if (found) return found;
  return steps.carry_out([&](auto handler) { asio::async_connect(socket, places, std::move(handler)); },
                         [&] { close(socket); }, timeout);
}

/// Empty once the server has proved that it is the one that is meant; otherwise why it has not.
std::string secure(Steps& steps, TlsStream& stream, const std::string& host) {
  if (!is_address(host)) SSL_set_tlsext_host_name(stream.native_handle(), host.c_str());
  const auto failure =
      steps.carry_out([&](auto handler) { stream.async_handshake(TlsStream::client, std::move(handler)); },
                      [&] { close(stream.next_layer()); });
  const std::string not_trusted = "its certificate is not to be trusted: ";
  const long verdict = SSL_get_verify_result(stream.native_handle());
  if (verdict != X509_V_OK) return not_trusted + X509_verify_cert_error_string(verdict);
  if (failure) return "it does not speak TLS";
  return is_certificate_of(stream.native_handle(), host) ? "" : not_trusted + "it is for another host";
}

}  // namespace

HttpReply ask_by_socket(const std::filesystem::path& path, const HttpRequest& request, const Timeouts& timeout) {
  if (const auto address = tools::socket_address(path); !address) return failed(address.error());
  Steps steps(timeout.all);
  asio::local::stream_protocol::socket socket(steps.context());
  const asio::local::stream_protocol::endpoint endpoint(path.string());
  const auto connected = steps.carry_out([&](auto handler) { socket.async_connect(endpoint, std::move(handler)); },
                                         [&] { close(socket); });
  if (connected) return failed(connected.message());
  return exchange(steps, socket, message(request, "localhost"), [&] { close(socket); });
}

HttpReply ask_by_tcp(const std::string& host, std::uint16_t port, const HttpRequest& request, const Timeouts& timeout) {
  Steps steps(timeout.all);
  tcp::socket socket(steps.context());
  const TlsServer server{host, port, {}};
  if (const auto failure = connect(steps, socket, server, timeout.connecting)) return failed(failure.message());
  return exchange(steps, socket, message(request, host_and_port(server)), [&] { close(socket); });
}

HttpReply ask_by_tls(const TlsServer& server, const HttpRequest& request, const Timeouts& timeout) {
  Steps steps(timeout.all);
  asio::ssl::context tls(asio::ssl::context::tls_client);
  SSL_CTX_set_min_proto_version(tls.native_handle(), TLS1_2_VERSION);
  if (std::string reason = trust(tls, server.authority); !reason.empty()) return failed(std::move(reason));
  TlsStream stream(steps.context(), tls);
  if (const auto failure = connect(steps, stream.next_layer(), server, timeout.connecting))
    return failed(failure.message());
  if (std::string reason = secure(steps, stream, server.host); !reason.empty()) return failed(std::move(reason));
  return exchange(steps, stream, message(request, host_and_port(server)), [&] { close(stream.next_layer()); });
}

}  // namespace cppc::migrate
