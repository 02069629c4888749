/// Leads the connections of the nodes' daemons to mpirun through this process, so that mpirun does not notice when a
/// node goes on which there is no rank. Lives on the thread that runs its io_context.
///
/// When a daemon's side of a connection ends, mpirun's side is closed as well, and mpirun ends the job as it would by
/// itself. Of an evacuated node, or one that has vanished and may be spared, mpirun's side is held instead, and what
/// mpirun says on it is discarded, until mpirun has told its daemons to exit: then it expects to lose them.
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "acceptor.hpp"
#include "sockets.hpp"

namespace cppc::run {

using namespace tools;

class Relay {
 public:
  /// Asked of a node whose daemon's connection has broken, which is no orderly end: may the job go on without it?
  /// silent: the node has not answered for too long.
  using Spare = std::function<bool(const std::string& node, bool silent)>;

  using Callback = std::function<void()>;

  /// `silence`: so long a node may leave the network's own questions unanswered before its connection breaks.
  Relay(asio::io_context& context, std::chrono::milliseconds silence, Spare spare);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  /// The port of this machine at which the daemon of `node` reaches mpirun, which listens at `mpirun`.
  Result<std::uint16_t> open(const std::string& node, const Endpoint& mpirun);

  /// The daemon of `node` is connected: nobody else is let in at its port.
  void complete(const std::string& node);

  /// From now on the daemon of `node` may go.
  void evacuated(const std::string& node);
  bool is_given_up(const std::string& node) const;

  /// Calls back once the daemon of `node` has said something to mpirun, or is gone: at once when it has no connection.
  void when_received(const std::string& node, Callback function);

  /// Calls back once the daemon of `node` has no connection.
  void when_gone(const std::string& node, Callback function);

  /// Keeps what mpirun and its daemons say to each other until it is told to pass it on again.
  void withhold(bool withholds);

  /// Closes all connections: for mpirun its daemons are lost, for them mpirun is, and they end without it.
  void part();

  /// All agents are gone. Orderly: mpirun is about to tell its daemons to exit. Otherwise it is ending the job already.
  void over(bool orderly);

 private:
  struct Port {
    std::string node;
    asio::ip::tcp::endpoint mpirun;
    std::unique_ptr<Acceptor> acceptor;
    std::uint16_t number = 0;
    bool given_up = false;
    std::vector<Callback> when_received, when_gone;
  };
  struct Side {
    explicit Side(Socket its_socket) : socket(std::move(its_socket)) {}
    Socket socket;
    std::array<char, 8192> received{};  // what is on its way to the other side
    std::size_t bytes = 0;              // of that
    bool open = true;                   // nobody has closed it
    bool broken = false;
    bool silent = false;  // broken since the other end did not answer
    bool busy = false;    // it is being sent something, or will be once it is connected
    bool waits = false;   // for what is withheld
  };
  struct Link {
    Link(Port& its_port, Socket to_daemon, Socket to_mpirun)
        : port(&its_port), daemon(std::move(to_daemon)), mpirun(std::move(to_mpirun)) {}
    Port* port;
    Side daemon, mpirun;
    bool connected = false;     // to mpirun
    bool has_received = false;  // the daemon has said something
    bool removed = false;
  };
  using LinkPointer = std::shared_ptr<Link>;  // shared with what is called back

  void accept(Port& port, Socket daemon);
  bool make_room(const Port& port);
  void connect(const LinkPointer& link);
  void receive(const LinkPointer& link, Side& from, Side& to);
  void received(const LinkPointer& link, Side& from, Side& to, boost::system::error_code failure);
  void pass_on(const LinkPointer& link, Side& from, Side& to);
  static void end(Side& side, boost::system::error_code failure);
  void settle(const LinkPointer& link);
  void drop_silent();
  void release_given_up();
  bool connected(const std::string& node) const;
  void call(std::vector<Callback>& functions);
  void remove(const LinkPointer& link);  // which must not be the element of links_ itself

  asio::io_context& context_;
  std::chrono::milliseconds silence_;
  Spare spare_;
  std::map<std::string, Port> ports_;  // by node
  std::vector<LinkPointer> links_;
  bool over_ = false, withholds_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // false once this has been destroyed
};

}  // namespace cppc::run
