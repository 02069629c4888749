/// Leads the connections of the nodes' daemons to mpirun through this process, so that mpirun does not notice when a
/// node goes on which there is no rank. Lives on an event loop's thread.
///
/// When a daemon's side of a connection ends, mpirun's side is closed as well, and mpirun ends the job as it would by
/// itself. Of an evacuated node, or one that has vanished and may be spared, mpirun's side is held instead, and what
/// mpirun says on it is discarded, until mpirun has told its daemons to exit: then it expects to lose them.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "acceptor.hpp"
#include "sockets.hpp"

namespace cppc::run {

class Relay {
 public:
  /// Asked of a node whose daemon's connection has broken, which is no orderly end: may the job go on without it?
  using Spare = std::function<bool(const std::string& node)>;

  Relay(EventLoop& loop, Spare spare) : loop_(loop), spare_(std::move(spare)) {}
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
  void when_heard(const std::string& node, EventLoop::Callback function);

  /// Calls back once the daemon of `node` has no connection.
  void when_gone(const std::string& node, EventLoop::Callback function);

  /// All agents are gone. Orderly: mpirun is about to tell its daemons to exit. Otherwise it is ending the job already.
  void over(bool orderly);

 private:
  struct Port;
  struct Side {
    UniqueFd socket;
    std::string output;  // received on the other side, not sent yet
    bool open = true;    // nobody has closed it
    bool broken = false;
  };
  struct Link {
    Port* port;
    Side daemon, mpirun;
    bool heard = false;  // the daemon has said something
  };
  using LinkPosition = std::list<Link>::iterator;
  struct Port {
    std::string node;
    Endpoint mpirun;
    std::unique_ptr<Acceptor> door;
    std::uint16_t number = 0;
    bool given_up = false;
    std::vector<EventLoop::Callback> when_heard, when_gone;
  };

  void accept(Port& port, UniqueFd daemon);
  bool make_room(const Port& port);
  void watch(LinkPosition link, Side Link::*from, Side Link::*to);
  void on_events(LinkPosition link, Side Link::*from, Side Link::*to, std::uint32_t events);
  void receive(Link& link, Side& from, Side& to);
  static void flush(Side& side);
  void close(Side& side);
  void settle(LinkPosition link);
  void update_interest(Link& link);
  void release_given_up();
  bool connected(const std::string& node) const;
  void tell(std::vector<EventLoop::Callback>& functions);
  void remove(LinkPosition link);

  EventLoop& loop_;
  Spare spare_;
  std::map<std::string, Port> ports_;  // by node
  std::list<Link> links_;
  bool over_ = false;
};

}  // namespace cppc::run
