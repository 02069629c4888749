/// The same HTTP server for other machines: TLS, and answers only for who proves that he may ask.
#pragma once

#include <httplib.h>

#include <filesystem>
#include <memory>

#include "../common/unique_fd.hpp"
#include "admission.hpp"
#include "sockets.hpp"

namespace cppc::run {

/// What the user has said about requests over the network.
struct NetworkAccess {
  Endpoint listen;  ///< port 0: one that the system chooses
  std::filesystem::path certificate, key;
  std::filesystem::path token_file;  ///< empty: MUNGE says who asks
};

using tools::UniqueFd;

class NetworkServer : public httplib::SSLServer {
 public:
  /// Takes requests of `longest` bytes at most. It is bound, but does not serve yet.
  static Result<std::unique_ptr<NetworkServer>> create(const NetworkAccess& access, std::size_t longest);

  std::uint16_t port() const { return port_; }

  /// From here on strangers are not waited for, so that the server can be stopped.
  void close_door();

 private:
  NetworkServer(UniqueFd closing, const std::function<bool(SSL_CTX&)>& set_up, std::size_t longest);
  Result<void> choose_admission(const std::filesystem::path& token_file);
  Result<void> bind(const Endpoint& endpoint);
  bool is_own(std::string_view authority) const;
  HandlerResponse receive(const httplib::Request& request, httplib::Response& response) const;
  /// One request per connection.
  bool process_and_close_socket(socket_t socket) override;

  UniqueFd closing_;
  std::size_t longest_;
  Admission admits_;
  std::uint16_t port_ = 0;
};

}  // namespace cppc::run
