#include "network_server.hpp"

#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <semaphore>

#include "../access/credential.hpp"
#include "../access/token.hpp"
#include "tls_stream.hpp"

namespace cppc::run {
namespace {

using tools::error;

constexpr int at_a_time = 16;  // connections

// While all are busy no further connection is accepted: strangers cannot take all descriptors of this process.
class FewAtATime : public httplib::TaskQueue {
 public:
  void enqueue(std::function<void()> serve) override {
    free_.acquire();
    threads_.enqueue([this, serve = std::move(serve)] {
      serve();
      free_.release();
    });
  }
  void shutdown() override { threads_.shutdown(); }

 private:
  std::counting_semaphore<> free_{at_a_time};
  httplib::ThreadPool threads_{at_a_time};
};

std::string last_failure() {
  const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
  return reason != nullptr ? reason : "for a reason that OpenSSL does not tell";
}

Result<void> check_private(const std::filesystem::path& key) {
  struct stat status {};
  if (stat(key.c_str(), &status) != 0)
    return error("cannot open the key " + key.string() + ": " + std::strerror(errno));
  if ((status.st_mode & 007) != 0) return error("the key " + key.string() + " is open to everybody");
  return {};
}

Result<void> set_up_tls(SSL_CTX& context, const NetworkAccess& access) {
  SSL_CTX_set_min_proto_version(&context, TLS1_2_VERSION);
  SSL_CTX_set_options(&context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET);
  SSL_CTX_set_session_cache_mode(&context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(&context, 0);
  SSL_CTX_set_mode(&context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_default_passwd_cb(&context, [](char*, int, int, void*) { return -1; });  // nobody is there to be asked
  if (SSL_CTX_use_certificate_chain_file(&context, access.certificate.c_str()) != 1) {
    return error("cannot use the certificate " + access.certificate.string() + ": " + last_failure());
  }
  if (SSL_CTX_use_PrivateKey_file(&context, access.key.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(&context) != 1) {
    return error("cannot use the key " + access.key.string() + " with the certificate " + access.certificate.string() +
                 ": " + last_failure());
  }
  return {};
}

// Unlike httplib's own: two jobs at one port would share its requests out.
void set_socket_options(socket_t socket) {
  const int yes = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
}

}  // namespace

Result<std::unique_ptr<NetworkServer>> NetworkServer::create(const NetworkAccess& access, std::size_t longest) {
  if (const auto closed = check_private(access.key); !closed) return error(closed.error());
  UniqueFd closing(eventfd(0, EFD_CLOEXEC));
  if (!closing) return error(std::string("cannot serve requests over the network: ") + std::strerror(errno));
  Result<void> tls;
  const auto set_up = [&](SSL_CTX& context) { return (tls = set_up_tls(context, access)).has_value(); };
  std::unique_ptr<NetworkServer> server(new NetworkServer(std::move(closing), set_up, longest));
  if (!tls) return error(tls.error());
  if (!server->is_valid()) return error("cannot use TLS: " + last_failure());
  if (const auto chosen = server->choose_admission(access.token_file); !chosen) return error(chosen.error());
  if (const auto bound = server->bind(access.listen); !bound) return error(bound.error());
  return server;
}

NetworkServer::NetworkServer(UniqueFd closing, const std::function<bool(SSL_CTX&)>& set_up, std::size_t longest)
    : SSLServer(set_up), closing_(std::move(closing)), longest_(longest) {
  new_task_queue = [] { return new FewAtATime; };
  set_socket_options(run::set_socket_options);
  set_payload_max_length(longest_);
  set_pre_routing_handler(
      [this](const httplib::Request& request, httplib::Response& response) { return receive(request, response); });
}

Result<void> NetworkServer::choose_admission(const std::filesystem::path& token_file) {
  if (!token_file.empty()) {
    auto token = tools::read_token(token_file);
    if (!token) return error(std::move(token).error());
    admits_ = by_token(*std::move(token));
    return {};
  }
  // Better now than at the first request.
  if (const auto credential = tools::make_credential("cppc-live"); !credential) return error(credential.error());
  admits_ = by_munge([this](std::string_view authority) { return is_own(authority); });
  return {};
}

Result<void> NetworkServer::bind(const Endpoint& endpoint) {
  constexpr int numeric = AI_NUMERICHOST | AI_NUMERICSERV;
  errno = 0;
  const int port = endpoint.port == 0 ? bind_to_any_port(endpoint.address, numeric)
                   : bind_to_port(endpoint.address, endpoint.port, numeric) ? endpoint.port
                                                                            : -1;
  if (port <= 0) {
    return error("cannot listen at " + tools::authority(endpoint.address, endpoint.port) +
                 (errno != 0 ? std::string(": ") + std::strerror(errno) : ""));
  }
  port_ = static_cast<std::uint16_t>(port);
  return {};
}

// By the name that is in the certificate: clients have checked that it is the one they asked for.
bool NetworkServer::is_own(std::string_view authority) const {
  const auto colon = authority.rfind(':');
  if (colon == std::string_view::npos || authority.substr(colon + 1) != std::to_string(port_)) return false;
  std::string host(authority.substr(0, colon));
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  X509* const certificate = SSL_CTX_get0_certificate(ssl_context());
  return X509_check_host(certificate, host.data(), host.size(), 0, nullptr) == 1 ||
         X509_check_ip_asc(certificate, host.c_str(), 0) == 1;
}

// Before anything but the head of the request has been read.
NetworkServer::HandlerResponse NetworkServer::receive(const httplib::Request& request,
                                                      httplib::Response& response) const {
  if (!admits_(request)) {
    spdlog::info("a request from {} has been refused", request.remote_addr);
    response.status = 401;
    response.set_content("{\"error\":\"unauthorized\"}\n", "application/json");
    return HandlerResponse::Handled;
  }
  TlsStream::of(request).admit();
  if (request.get_header_value<std::uint64_t>("Content-Length") <= longest_) return HandlerResponse::Unhandled;
  response.status = 413;
  response.set_content("{\"error\":\"the request is too long\"}\n", "application/json");
  return HandlerResponse::Handled;
}

bool NetworkServer::process_and_close_socket(socket_t socket) {
  TlsStream stream(UniqueFd(socket), ssl_context(), closing_.get(), longest_);
  if (!stream.shake_hands()) return false;
  bool closed = false;
  const bool answered = process_request(stream, /*close_connection=*/true, closed,
                                        [&](httplib::Request& request) { request.ssl = stream.session(); });
  stream.part();
  return answered;
}

void NetworkServer::close_door() { eventfd_write(closing_.get(), 1); }

}  // namespace cppc::run
