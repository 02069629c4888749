#include "network_access.hpp"

#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <boost/asio/ssl/context.hpp>
#include <cerrno>
#include <cstring>

#include "../access/credential.hpp"
#include "../access/token.hpp"
#include "browser_access.hpp"

namespace cppc::tools {
namespace {

using boost::system::error_code;

Result<void> check_private(const std::filesystem::path& key) {
  struct stat status {};
  if (stat(key.c_str(), &status) != 0)
    return error("cannot open the key " + key.string() + ": " + std::strerror(errno));
  if ((status.st_mode & 007) != 0) return error("the key " + key.string() + " is open to everybody");
  return {};
}

std::string last_failure() {
  const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
  return reason != nullptr ? reason : "for a reason that OpenSSL does not tell";
}

Result<void> set_up_tls(SSL_CTX* context, const NetworkAccess& access) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context, 0);
  SSL_CTX_set_default_passwd_cb(context, [](char*, int, int, void*) { return -1; });  // nobody is there to be asked
  ERR_clear_error();
  if (SSL_CTX_use_certificate_chain_file(context, access.certificate.c_str()) != 1) {
    return error("cannot use the certificate " + access.certificate.string() + ": " + last_failure());
  }
  if (SSL_CTX_use_PrivateKey_file(context, access.key.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(context) != 1) {
    return error("cannot use the key " + access.key.string() + " with the certificate " + access.certificate.string() +
                 ": " + last_failure());
  }
  return {};
}

// By the name that is in the certificate: clients have checked that it is the one they asked for.
bool is_own(SSL_CTX* context, std::uint16_t port, std::string_view authority) {
  const auto colon = authority.rfind(':');
  if (colon == std::string_view::npos || authority.substr(colon + 1) != std::to_string(port)) return false;
  std::string host(authority.substr(0, colon));
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  X509* const certificate = SSL_CTX_get0_certificate(context);
  return X509_check_host(certificate, host.data(), host.size(), 0, nullptr) == 1 ||
         X509_check_ip_asc(certificate, host.c_str(), 0) == 1;
}

bool is_for_host(X509* certificate, const std::string& host) {
  return X509_check_host(certificate, host.data(), host.size(), 0, nullptr) == 1;
}

// The first of its names that is one, not a pattern; empty: none.
std::string first_host_in(X509* certificate) {
  const std::unique_ptr<GENERAL_NAMES, decltype(&GENERAL_NAMES_free)> names(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)),
      GENERAL_NAMES_free);
  for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* const name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type != GEN_DNS) continue;
    const std::string host(reinterpret_cast<const char*>(ASN1_STRING_get0_data(name->d.dNSName)),
                           static_cast<std::size_t>(ASN1_STRING_length(name->d.dNSName)));
    if (host.find('*') == std::string::npos && is_for_host(certificate, host)) return host;
  }
  return "";
}

}  // namespace

Result<std::string> host_for_clients(const NetworkAccess& access, asio::ssl::context& tls,
                                     const std::string& own_name) {
  X509* const certificate = SSL_CTX_get0_certificate(tls.native_handle());
  if (is_for_host(certificate, own_name)) return own_name;
  if (const std::string host = first_host_in(certificate); !host.empty()) return host;
  if (X509_check_ip_asc(certificate, access.listen.address.c_str(), 0) == 1) return access.listen.address;
  return error("the certificate " + access.certificate.string() + " names no host");
}

Result<std::unique_ptr<asio::ssl::context>> make_tls(const NetworkAccess& access) {
  if (const auto closed = check_private(access.key); !closed) return error(closed.error());
  try {
    auto tls = std::make_unique<asio::ssl::context>(asio::ssl::context::tls_server);
    if (const auto done = set_up_tls(tls->native_handle(), access); !done) return error(done.error());
    return tls;
  } catch (const boost::system::system_error& failure) {
    return error("cannot use TLS: " + failure.code().message());
  }
}

Result<AnswerToHead> choose_admission(const NetworkAccess& access, asio::ssl::context& tls, std::uint16_t port) {
  if (!access.token_file.empty()) {
    auto token = read_token(access.token_file);
    if (!token) return error(std::move(token).error());
    const auto browsers =
        std::make_shared<BrowserAccess>(*std::move(token), BrowserAccess::Server{"cppc-run", port, /*tls=*/true});
    return [browsers](const HttpRequest& head) { return (*browsers)(head); };
  }
  // Better now than at the first request.
  if (const auto credential = make_credential("cppc-live"); !credential) return error(credential.error());
  return refusing_others(by_munge(
      [context = tls.native_handle(), port](std::string_view authority) { return is_own(context, port, authority); },
      access.operators));
}

Result<Listener> listen_for_requests(asio::io_context& context, const Endpoint& endpoint) {
  const std::string cannot = "cannot listen at " + authority(endpoint.address, endpoint.port);
  const auto address = numeric_endpoint(endpoint);
  if (!address) return error(cannot);
  auto listener = listen_at(context, *address, /*again=*/true);
  if (!listener) return error(cannot + ": " + listener.error());
  return listener;
}

}  // namespace cppc::tools
