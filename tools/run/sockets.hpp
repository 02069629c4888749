/// TCP and UNIX sockets as cppc-run uses them: all non-blocking and closed on exec.
#pragma once

#include <sys/socket.h>

#include <filesystem>
#include <string>

#include "../common/result.hpp"
#include "../common/unique_fd.hpp"

namespace cppc::run {

using tools::Result;
using tools::UniqueFd;

struct Endpoint {
  std::string address;  ///< numeric
  std::uint16_t port = 0;
};

struct Listener {
  UniqueFd socket;
  std::uint16_t port = 0;
};

/// Who can connect: processes of this machine only, or others as well.
enum class Reach { machine, network };

/// On the loopback address or on all of this machine, at a port that the system chooses.
Result<Listener> listen_on_tcp(Reach reach);

/// Only for this user. `path` must not exist.
Result<UniqueFd> listen_on_unix(const std::filesystem::path& path);

/// An empty descriptor and errno when there is none: EAGAIN when no connection is waiting.
UniqueFd accept_one(int listener);

/// Starts to connect; the socket becomes writable once that is done.
Result<UniqueFd> start_connecting(const Endpoint& to);

/// Sends at once, and notices within half a minute that the other machine has gone.
void tune_tcp(int socket);

/// Is the process at the other end of this UNIX socket one of this user, or root's?
bool is_own_peer(int socket);

/// "10.0.0.1:4711,...": where others reach `port` of this machine; the loopback address only when there is no other.
std::string reachable_at(std::uint16_t port, Reach reach);

}  // namespace cppc::run
