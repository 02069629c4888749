/// The launch socket and the relay: what launch agents say, and daemons and mpirun on their way through. A line of the
/// input is a step: a digit and a line to send on this connection to the launch socket, x and a digit: hang up; d, m:
/// the daemon, or mpirun, says the rest of the line; D, M: it closes; v: its node is evacuated; h: somebody waits for
/// it to be heard; o, O: the job is over, in good order or not.
#include <netinet/in.h>
#include <spdlog/spdlog.h>

#include <optional>

#include "../../../tools/common/job_directory.hpp"
#include "../temporary_directory.hpp"
#include "launch_server.hpp"
#include "relay.hpp"
#include "scene.hpp"

namespace {

using namespace cppc;
using run::Relay;

constexpr const char* node = "node0";

UniqueFd connect_to(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return {};
  return socket;
}

/// Without leaving the port to the connection's remains for a minute.
void abandon(UniqueFd& socket) {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  if (socket) setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  socket.reset();
}

std::string socket_path() {
  static const test::TemporaryDirectory directory;
  return directory.path() + "/launch";
}

class Scene {
 public:
  Scene() : relay_(context_, tools::usual_silence, [](const std::string&, bool) { return true; }) {
    server_ = run::LaunchServer::create(context_, relay_, socket_path()).value();
  }
  ~Scene() {
    abandon(daemon_);
    abandon(mpirun_);
  }

  void play(std::string_view text) {
    const auto lines = fuzz::lines_of(text);
    fuzz::play(context_, lines, [this](std::string_view line) { act(line); });
  }

 private:
  void act(std::string_view line) {
    if (line.empty()) return;
    const std::string_view rest = line.substr(1);
    switch (line.front()) {
      case 'x':
        launchers_[rest.empty() ? 0 : static_cast<unsigned char>(rest.front()) % launchers_.size()].reset();
        break;
      case 'd':
        say(daemon(), rest);
        break;
      case 'm':
        say(mpirun(), rest);
        break;
      case 'D':
        abandon(daemon_);
        break;
      case 'M':
        abandon(mpirun_);
        break;
      case 'v':
        relay_.evacuated(node);
        break;
      case 'h':
        relay_.when_received(node, [] {});
        break;
      case 'o':
      case 'O':
        relay_.over(line.front() == 'o');
        break;
      default:
        say(launcher(line.front()), std::string(rest) + '\n');
    }
  }

  static void say(int socket, std::string_view bytes) {
    if (socket >= 0) (void)::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }

  int launcher(char digit) {
    UniqueFd& one = launchers_[static_cast<unsigned char>(digit) % launchers_.size()];
    if (!one) {
      one = UniqueFd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
      const auto address = tools::socket_address(socket_path()).value();
      fuzz::require(::connect(one.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    }
    return one.get();
  }

  /// Led to mpirun's own port. Where the machine has no port left there is no daemon.
  int daemon() {
    if (!daemon_ && port_ == 0) {
      if (auto listener = tools::listen_on_tcp(context_, tools::Reach::machine)) {
        listener_ = *std::move(listener);
        port_ = relay_.open(node, {"127.0.0.1", listener_->port}).value_or(0);
      }
    }
    if (!daemon_ && port_ != 0) daemon_ = connect_to(port_);
    return daemon_.get();
  }

  int mpirun() {
    if (!mpirun_ && listener_)
      mpirun_ = UniqueFd(accept4(listener_->socket.native_handle(), nullptr, nullptr, SOCK_NONBLOCK));
    return mpirun_.get();
  }

  boost::asio::io_context context_;
  Relay relay_;
  std::unique_ptr<run::LaunchServer> server_;
  std::array<UniqueFd, 4> launchers_;
  std::optional<tools::Listener> listener_;
  std::uint16_t port_ = 0;
  UniqueFd daemon_, mpirun_;
};

}  // namespace

namespace cppc::fuzz {

std::vector<Bytes> seeds() {
  const std::string opened = "0{\"node\":\"node1\",\"address\":\"127.0.0.1\",\"port\":4711}\n";
  const std::string ended = "0{\"status\":255}\n";
  return {bytes_of(opened + ended), bytes_of(opened + opened + "x0\n1{\"status\":1}\n"),
          bytes_of("dhello\nmhello\nh\ndmore\nv\nD\nmexit\no\nM\n"),
          bytes_of("dhello\nv\nh\nmtext\nO\nD\ndagain\nM\n")};
}

}  // namespace cppc::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  spdlog::set_level(spdlog::level::off);
  Scene().play(cppc::fuzz::text_of(std::as_bytes(std::span(data, size))));
  return 0;
}
