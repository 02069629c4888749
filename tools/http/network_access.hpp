/// What the user has said about requests over the network, and what follows from it.
#pragma once

#include <filesystem>
#include <memory>

#include "admission.hpp"
#include "sockets.hpp"

namespace boost::asio::ssl {
class context;
}

namespace cppc::tools {

struct NetworkAccess {
  Endpoint listen;  ///< port 0: one that the system chooses
  std::filesystem::path certificate, key;
  std::filesystem::path token_file;  ///< empty: MUNGE says who asks
  std::set<uid_t> operators = {};    ///< who may then, besides this user and root
};

/// With the certificate and its key.
Result<std::unique_ptr<asio::ssl::context>> make_tls(const NetworkAccess& access);

/// Whom the controller answers, with this `tls` and at `port`. `tls` has to outlive it. Those who know a token may use
/// the page, too.
Result<AnswerToHead> choose_admission(const NetworkAccess& access, asio::ssl::context& tls, std::uint16_t port);

/// How clients can call this machine so that the certificate is for it: by its own name, by another of the
/// certificate's, or by the address that it listens at. An error when there is none.
Result<std::string> host_for_clients(const NetworkAccess& access, asio::ssl::context& tls, const std::string& own_name);

Result<Listener> listen_for_requests(asio::io_context& context, const Endpoint& endpoint);

}  // namespace cppc::tools
