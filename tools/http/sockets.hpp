/// TCP and UNIX sockets as the tools use them: all closed on exec.
#pragma once

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "../common/result.hpp"

namespace cppc::tools {

namespace asio = boost::asio;

/// Of TCP and of the UNIX domain alike.
using Socket = asio::basic_stream_socket<asio::generic::stream_protocol, asio::io_context::executor_type>;
using ListeningSocket = asio::basic_socket_acceptor<asio::generic::stream_protocol, asio::io_context::executor_type>;

struct Endpoint {
  std::string address;  ///< numeric
  std::uint16_t port = 0;
};

struct Listener {
  ListeningSocket socket;
  std::uint16_t port = 0;
};

/// Who can connect: processes of this machine only, or others as well.
enum class Reach { machine, network };

/// On the loopback address or on all of this machine, at a port that the system chooses.
Result<Listener> listen_on_tcp(asio::io_context& context, Reach reach);

/// `again`: even if connections of one that listened there before are still being closed.
Result<Listener> listen_at(asio::io_context& context, const asio::ip::tcp::endpoint& endpoint, bool again);

/// Only for this user. `path` must not exist.
Result<ListeningSocket> listen_on_unix(asio::io_context& context, const std::filesystem::path& path);

/// An error when the address is no number.
Result<asio::ip::tcp::endpoint> numeric_endpoint(const Endpoint& endpoint);

/// A socket that is not connected yet.
Result<Socket> open_socket(asio::io_context& context, const asio::generic::stream_protocol& protocol);

/// Without waiting. The failure would_block: no connection is waiting.
Socket accept_one(ListeningSocket& listener, boost::system::error_code& failure);

/// For this time a machine may be silent, whose network answers without any process there.
constexpr std::chrono::seconds usual_silence{30};

/// Sends at once; the connection breaks (timed_out) when the other machine has been silent for longer.
void tune_tcp(Socket& socket, std::chrono::seconds silence = usual_silence);

/// Since when the other machine has been silent, if it has left two questions of TCP's unanswered: probes, as
/// tune_tcp() has them sent, or data sent again. Otherwise none. The system breaks a connection at whole seconds only.
std::optional<std::chrono::milliseconds> unanswered_for(Socket& socket);

/// Is the process at the other end of this UNIX socket one of this user, or root's?
bool is_own_peer(Socket& socket);

/// The user at the other end of a UNIX socket; none: of another one.
std::optional<uid_t> user_at(Socket& socket);

/// "10.0.0.1:4711,...": where others reach `port` of this machine; the loopback address only when there is no other.
std::string reachable_at(std::uint16_t port, Reach reach);

}  // namespace cppc::tools
